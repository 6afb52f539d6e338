package repair

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/longlines"
	"github.com/eaapl/handoff/pkg/internal/undo"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// ErrWhole reports that a session has to be repaired as a whole: see [Lines].
var ErrWhole = errors.New("this session can only be repaired as a whole")

// Lines is [Parse] and [Message] for a message that is JSON Lines, such as the session of a coding
// agent, which need not be in memory, and in which nothing is to be mended but a last line that is cut
// off. It keeps what validating the lines keeps, works on all cores, and returns the offset after
// what stays of the file, in the place of [Result].Text. For all other sessions the error is
// [ErrWhole], and for those that cannot be read: whoever looks at the whole is told why.
func Lines(file jsonstream.LinesFile, limits jsonstream.Limits, o Options) (r Result, end int64, err error) {
	text := longlines.Text{LinesFile: file, Limits: limits}
	r.Format, r.For = o.Format, o.For
	if r.Format == "" {
		if r.Format, _, err = text.Detect(); err != nil && !errors.As(err, new(*jsonstream.CutError)) {
			return Result{}, 0, whole(err)
		}
	}
	if r.For == "" {
		r.For = cmp.Or(provider.Provider(formats.Named(r.Format).Provider), provider.OpenAIChat)
	}
	err = sound(text, &r)
	if cut := (*jsonstream.CutError)(nil); errors.As(err, &cut) {
		text.End = cut.Start.Offset
		if err = sound(text, &r); err == nil {
			err = r.cut(file, text.End)
		}
	}
	if err != nil {
		return Result{}, 0, whole(err)
	}
	return r, text.End, nil
}

// whole returns [ErrWhole] for lines that cannot be read.
func whole(err error) error {
	if errors.As(err, new(*jsonstream.SyntaxError)) {
		return ErrWhole
	}
	return err
}

// sound returns [ErrWhole] for a session in which something is to be mended.
func sound(text longlines.Text, r *Result) error {
	layout := formats.Named(r.Format)
	c := longlines.NewConversation(text, layout)
	if c == nil {
		return ErrWhole
	}
	places, err := longlines.Read(text, func(doc *jsonstream.Document) *longlines.Block { return c.Read(doc.Root()) }, func(b *longlines.Block) error {
		c.Add(b)
		return nil
	})
	if err != nil {
		return err
	}
	if places.Len() == 0 {
		return ErrWhole
	}
	return longlines.EachStretch(c, places, func(s provider.Stretch, turns []conversation.Turn) error {
		for _, f := range s.Faults(r.For, layout, turns) {
			if isMended(f) {
				return ErrWhole
			}
		}
		return nil
	}, func(err error) error { return err })
}

// cut records that what is after an offset of a file is taken out.
func (r *Result) cut(file jsonstream.LinesFile, end int64) error {
	digest := sha256.New()
	kept := end - file.Start.Offset
	if _, err := io.Copy(digest, io.NewSectionReader(file.In, file.Start.Offset, kept)); err != nil {
		return err
	}
	after := hex.EncodeToString(digest.Sum(nil))
	rest, err := io.ReadAll(io.NewSectionReader(file.In, end, file.End-end))
	if err != nil {
		return err
	}
	digest.Write(rest)
	r.Steps = []Step{damageStep(rest, 0, true)}
	r.Archive = line(entry{after, undo.OfCut(hex.EncodeToString(digest.Sum(nil)), int(kept), rest)})
	return nil
}
