package repair

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/longlines"
	"github.com/eaapl/handoff/pkg/internal/undo"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// ErrWhole reports a session that must be in memory to be repaired: see [Lines].
var ErrWhole = errors.New("this session can be repaired only as a whole")

// Lines is [Parse] and [Message] for a message that is JSON Lines, such as the session of a coding agent,
// without the message in memory, if a last line that is cut off is the only fault. It uses as much memory
// as validation of the lines, and all cores. It returns the offset of the end of the repaired file, instead
// of [Result].Text. For all other sessions, including unreadable ones, the error is [ErrWhole]: a repair of
// the whole session reports the reason.
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

// sound returns [ErrWhole] for a session with faults to repair.
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
	if places.Len() == 0 || slices.ContainsFunc(c.Losses(), format.Loss.CanRelink) {
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

// cut records that a file is cut off at an offset.
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
