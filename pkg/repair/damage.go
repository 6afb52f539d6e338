package repair

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// cutOff is the rule that each line of JSON Lines is whole.
const cutOff = "lines/cut-off"

// joined is the rule that each line of JSON Lines is one document.
const joined = "lines/joined"

// Damage is the text that [Parse] removed from JSON Lines. The zero value is no damage.
type Damage struct {
	text  []byte       // the original text
	steps []Step       // one for each line
	after map[int]bool // the indices of the elements after a removed text
}

// maxDamaged is the maximum number of damaged lines: with more, the text is assumed not to be JSON Lines.
const maxDamaged = 100

// Parse is like [jsonstream.Parse], but removes damage from JSON Lines: partial lines left by a killed
// writer, even if another line follows without a line end, and NUL bytes left by a power failure. Damage
// describes the removed text, for [Options]. The error is that of [jsonstream.Parse] if more than 100 lines
// are damaged, if more lines are damaged than whole, or if a line has another fault.
func Parse(raw jsonstream.Raw, limits jsonstream.Limits) (*jsonstream.Document, Damage, error) {
	doc, err := jsonstream.Parse(raw, limits)
	if err == nil || !raw.Lines {
		return doc, Damage{}, err
	}
	d := Damage{text: raw.Bytes, after: map[int]bool{}}
	var whole []byte
	var parser jsonstream.Parser
	elements := 0
	for number, rest := 1, raw.Bytes; len(rest) > 0; number++ {
		line := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line = rest[:end+1]
		}
		rest = rest[len(line):]
		blank := len(bytes.TrimSpace(line)) == 0
		kept := line
		if _, failed := parser.Parse(jsonstream.NewRaw(line), limits); isWhole(failed) || len(d.steps) > maxDamaged {
			return nil, Damage{}, err
		} else if failed != nil && !blank {
			kept = d.mend(line, number, len(rest) == 0, limits, &elements)
		} else if !blank {
			elements++
		}
		whole = append(whole, kept...)
	}
	if len(d.steps) > elements {
		return nil, Damage{}, err
	}
	raw.Bytes = whole
	if doc, failed := jsonstream.Parse(raw, limits); failed == nil {
		return doc, d, nil
	}
	return nil, Damage{}, err
}

// isWhole reports whether an error is about a complete line, rather than one that is cut off.
func isWhole(err error) bool {
	return errors.Is(err, jsonstream.ErrTooLarge) || errors.Is(err, jsonstream.ErrTooDeep) || errors.Is(err, jsonstream.ErrDuplicateName)
}

// mend returns the whole documents of a damaged line, each on a line of its own, and records the
// other text. elements counts the documents.
func (d *Damage) mend(line []byte, number int, last bool, limits jsonstream.Limits, elements *int) (whole []byte) {
	text := bytes.TrimRight(line, "\r\n")
	end := line[len(text):]
	count := 0
	for piece, isWhole := range jsonstream.Pieces(text, limits, isLine) {
		if !isWhole {
			if len(piece) == len(text) {
				piece = line
			}
			d.steps = append(d.steps, damageStep(piece, number, last && count == 0))
			d.after[*elements] = true
			continue
		}
		if count++; count > 1 {
			whole = append(whole, '\n')
		}
		whole = append(whole, bytes.TrimSpace(piece)...)
		*elements++
	}
	if count > 1 {
		d.steps = append(d.steps, Step{joined, "", fmt.Sprintf("put the %d documents of line %d on lines of their own", count, number)})
	}
	if count == 0 {
		return nil
	}
	return append(whole, end...)
}

// isLine reports whether a value has a member common to all lines of some format, or is a turn that no other
// format has.
func isLine(v jsonstream.Value) bool {
	for _, d := range formats.All() {
		if d.IsLines() && (d.Known.Fit(v) == format.Typical || slices.ContainsFunc(d.Known.Lines, func(name string) bool { return v.Get(name).Exists() })) {
			return true
		}
	}
	return false
}

// relink changes the parentUuid of Claude Code session lines that follow a removed line, to the uuid of the
// last line before it.
func (d *Damage) relink(doc *jsonstream.Document) (*jsonstream.Document, error) {
	uuids := map[string]bool{}
	for _, line := range doc.Root().Elements() {
		uuids[line.Get("uuid").Text()] = true
	}
	draft, last := jsonstream.NewDraft(doc.Root()), "" // the uuid of the previous line
	for i, line := range doc.Root().Elements() {
		parent := line.Get("parentUuid")
		if d.after[i] && last != "" && parent.Kind() == jsonstream.String && !uuids[parent.Text()] {
			if err := draft.Set(parent.Pointer(), format.Fill("%", last)); err != nil {
				return nil, err
			}
			d.steps = append(slices.Clip(d.steps), Step{cutOff, fmt.Sprintf("/%d", i), "linked the line to the line before it, because its parent line was removed"})
		}
		if uuid := line.Get("uuid").Text(); uuid != "" {
			last = uuid
		}
	}
	return jsonstream.Parse(doc.Raw().With(draft.Bytes()), jsonstream.Unlimited())
}

// damageStep returns the step for a text removed from a line.
func damageStep(part []byte, number int, last bool) Step {
	size := bytesOf(len(part))
	did := fmt.Sprintf("removed the incomplete part of line %d: %s", number, size)
	switch {
	case len(bytes.Trim(part, "\x00\r\n")) == 0:
		did = fmt.Sprintf("removed line %d, which has only NUL bytes, as after a power failure: %s", number, size)
	case last:
		did = "removed the incomplete last line: " + size
	}
	return Step{cutOff, "", did}
}

// bytesOf returns a number of bytes as text.
func bytesOf(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
