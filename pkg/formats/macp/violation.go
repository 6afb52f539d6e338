package macp

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Violation says which rule a message breaks, or what a fixture expects and does
// not come.
type Violation struct {
	Index     int    `json:"index"`      // of the message in the transcript, from 0; -1 for the transcript itself
	MessageID string `json:"message_id"` // "" if the message has none
	Rule      int    `json:"rule"`       // 1 to 22; 0 for the shape of the document and the expectations of a fixture
	Code      Code   `json:"code"`
	Expected  string `json:"expected"`
	Found     string `json:"found"`
	Remedy    string `json:"remedy"` // what to do
	Pointer   string `json:"pointer"`
	// Position is where the value at Pointer begins.
	Position jsonstream.Position `json:"-"`
	// Follows tells a violation that is no more than the consequence of an earlier
	// one, such as an answer to an offer that was refused. Check leaves those out.
	Follows bool `json:"follows,omitzero"`
}

// Message returns in one line what was expected, what was found and what to do. It
// does not repeat the place, the rule and the code.
func (v Violation) Message() string {
	return fmt.Sprintf("expected %s, found %s; %s", v.Expected, v.Found, v.Remedy)
}

// at places a violation.
func (v Violation) at(value jsonstream.Value) *Violation {
	v.Pointer = value.Pointer()
	v.Position = value.Position()
	return &v
}

// longest is how many bytes of a text a violation quotes.
const longest = 80

// quoted returns a text in quotes, cut short where it is long: a violation must not
// cost what a hostile text does.
func quoted(text string) string {
	tail := ""
	if len(text) > longest {
		end := longest
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text, tail = text[:end], "…"
	}
	out, _ := jsontext.AppendQuote(nil, text)
	return string(out) + tail
}

// shown returns what stands in place of a value that was expected.
func shown(v jsonstream.Value) string {
	switch v.Kind() {
	case jsonstream.String:
		return quoted(v.Text())
	case jsonstream.Object, jsonstream.Array, jsonstream.Absent:
		return article(v.Kind())
	default:
		raw := v.Raw()
		if len(raw) > longest {
			return string(raw[:longest]) + "…"
		}
		return string(raw)
	}
}

func article(k jsonstream.Kind) string {
	switch k {
	case jsonstream.Absent:
		return "nothing"
	case jsonstream.Object, jsonstream.Array:
		return "an " + k.String()
	default:
		return "a " + k.String()
	}
}
