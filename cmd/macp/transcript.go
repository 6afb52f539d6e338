package macp

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/macp/wire"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A transcript is a session in a source, or an error.
type transcript struct {
	source  string // as named by the user
	index   int    // 0-based, within the source
	origin  input.Origin
	doc     *jsonstream.Document
	raw     jsonstream.Raw // of doc, if it is JSON
	offsets []int64        // of its messages on the wire, in bytes; nil for JSON
	err     error          // why there is none, with the place
}

// place returns the place of a violation in its source. On the wire, only the offset of the envelope is
// known.
func (t transcript) place(v macp.Violation) jsonstream.Position {
	if t.offsets == nil {
		return v.Position()
	}
	offset := t.offsets[0]
	if v.Index >= 0 && v.Index < len(t.offsets) {
		offset = t.offsets[v.Index]
	}
	return jsonstream.Position{Offset: offset}
}

// sessionID returns the session ID of the transcript, "" if it has none.
func (t transcript) sessionID() string {
	root := t.doc.Root()
	if id := root.Get("session_id"); id.Exists() {
		return id.Text()
	}
	return root.Get("sessionId").Text()
}

// hasMessages returns an error for a document that is not a transcript.
func (t transcript) hasMessages() error {
	if t.doc.Root().Get("messages").Kind() != jsonstream.Array {
		return fmt.Errorf("%s: is not a transcript: the array messages is missing", t.origin)
	}
	return nil
}

// transcripts returns the transcripts in a document: one in JSON, or one for each session on the wire.
func (f transcriptInput) transcripts(d input.Document) []transcript {
	t := transcript{source: d.Source.Name, index: d.Index, origin: d.Origin()}
	if t.err = d.Err; t.err == nil && f.wire {
		var list []transcript
		if list, t.err = f.sessions(t, d.Raw.Bytes); t.err == nil {
			return list
		}
	} else if t.err == nil {
		t.raw = d.Raw
		t.doc, t.err = jsonstream.Parse(d.Raw, f.Limits)
		if t.err != nil && isBinary(d.Raw.Bytes) {
			t.err = fmt.Errorf("%w; if these are protobuf envelopes, add --wire", t.err)
		}
	}
	if t.err != nil {
		t.err = input.InFile(term.Visible(d.Source.Name), t.err)
	}
	return []transcript{t}
}

// isBinary reports whether a text begins with bytes that are not valid in JSON.
func isBinary(text []byte) bool {
	const looked = 512
	return bytes.ContainsFunc(text[:min(len(text), looked)], func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\r' && r != '\n'
	})
}

// sessions reads a stream of envelopes; each transcript is like t.
func (f transcriptInput) sessions(t transcript, stream []byte) ([]transcript, error) {
	decoded, err := wire.Decode(bytes.NewReader(stream), f.Limits)
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		err = fmt.Errorf("envelope %d, at byte %d: %w", e.Envelope+1, e.Offset, err)
		if stream[0] == '{' {
			err = fmt.Errorf("%w; if this is JSON, leave out --wire", err)
		}
	}
	if err == nil && len(decoded) == 0 {
		err = errors.New("contains no envelopes")
	}
	var list []transcript
	for i, session := range decoded {
		t.index, t.offsets = i, session.Offsets
		t.origin.Several = false // a line number is meaningless here
		if t.doc, err = jsonstream.Parse(jsonstream.NewRaw(session.Text), f.Limits); err != nil {
			return nil, fmt.Errorf("session %d: %w", i+1, err)
		}
		list = append(list, t)
	}
	return list, err
}
