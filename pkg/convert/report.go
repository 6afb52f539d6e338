package convert

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Report says what became of every member of a message.
type Report struct {
	From format.Format `json:"from"`
	To   format.Format `json:"to"`
	// Restored tells that the source carried what it was once made of.
	Restored bool      `json:"restored,omitzero"`
	Mapped   []Mapping `json:"mapped,omitempty"`
	Carried  []Carried `json:"carried,omitempty"`
	MadeUp   []MadeUp  `json:"madeUp,omitempty"`
	// Changed are the places in the target whose carried values no longer apply, since
	// the source was changed after it was made.
	Changed []Change `json:"changed,omitempty"`
	// Filled are the rules that the source breaks; only [Options.Lenient] lets it.
	Filled []Fault `json:"filled,omitempty"`
	// Signature is the place of a signature in the source, which does not cover the
	// target.
	Signature string `json:"signature,omitempty"`
}

// A Mapping is a value that both formats have a place for. The places are JSON Pointers,
// in encoded contexts too.
type Mapping struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Turns int    `json:"turns,omitzero"` // how many, of a conversation
}

// A Carried is a value of the source that the target has no place for.
type Carried struct {
	Pointer string `json:"pointer"` // in the source
	Place   string `json:"place"`   // in the target
	Turns   int    `json:"turns,omitzero"`
}

// A Change is a place in the target whose carried value no longer applies.
type Change struct {
	Pointer string `json:"pointer"`
	Turns   int    `json:"turns,omitzero"` // how many, in a conversation
}

// A MadeUp is a value that the target asks for and the source does not have.
type MadeUp struct {
	Pointer string         `json:"pointer"` // in the target
	Value   jsontext.Value `json:"value"`
	Rule    string         `json:"rule"`
}

// describe fills a report.
func (t trace) describe(r *Report, source, target *node) {
	from := shower{r.From, mapped(r.From, source), t.shape.get("context").str() == shapeState}
	to := shower{r.To, mapped(r.To, target), t.shapeThere.get("context").str() == shapeState}
	r.Restored = t.restored
	for i, v := range t.meaning.values {
		if v != nil {
			r.Mapped = append(r.Mapped, Mapping{From: from.row(i), To: to.row(i)})
		}
	}
	if n := len(t.meaning.turns); n > 0 {
		r.Mapped = append(r.Mapped, Mapping{From: from.turns(), To: to.turns(), Turns: n})
	}
	for _, e := range t.residue.members {
		if e.value != nil {
			r.Carried = append(r.Carried, Carried{Pointer: from.pointer(e.at), Place: t.place})
		}
	}
	r.Carried = slices.Compact(r.Carried) // several are of one array
	if n := len(t.residue.turns); n > 0 {
		r.Carried = append(r.Carried, Carried{Pointer: from.turns(), Place: t.place, Turns: n})
	}
	if t.residue.text != nil {
		r.Carried = append(r.Carried, Carried{Pointer: from.pointer(textPlaces[r.From]), Place: t.place})
	}
	for _, m := range t.made {
		m.Pointer = to.pointer(m.Pointer)
		r.MadeUp = append(r.MadeUp, m)
	}
	slices.Sort(t.missed)
	lists := codecs[r.To].lists
	turns := 0
	for _, at := range t.missed {
		if slices.Contains(lists, at) {
			turns++
		} else {
			r.Changed = append(r.Changed, Change{Pointer: to.pointer(at)})
		}
	}
	if turns > 0 {
		r.Changed = append(r.Changed, Change{to.turns(), turns})
	}
	if r.From == format.EAAPL && source.get("signature") != nil {
		r.Signature = "/signature"
	}
}

// A shower writes places in the view of a message as places in the message, and on into
// what is encoded there.
type shower struct {
	format format.Format
	mapped [3]int // of a transcript: the indices of its mapped messages
	state  bool   // whether the context of a transcript is the state itself
}

func mapped(f format.Format, doc *node) [3]int {
	if f != format.MACP {
		return [3]int{}
	}
	return mappedMessages(elementsOf(doc.get("messages")))
}

// row returns where a row is.
func (s shower) row(i int) string {
	if place := placeOf(rows[i], s.format); place != "" {
		return s.pointer(place)
	}
	brief := codecs[s.format].brief
	switch {
	case s.state && i == rowState:
		return s.pointer(brief)
	case s.format == format.OpenAI:
		brief = "/input_history/0/content"
	}
	return s.pointer(brief + rows[i].member)
}

// turns returns where the first list of turns is.
func (s shower) turns() string { return s.pointer(codecs[s.format].lists[0]) }

// wrapped are the members that the views lay open.
var wrapped = map[format.Format]string{format.SW4RMRequest: "context_snapshot", format.OpenAI: "input_history", format.MACP: "context"}

func (s shower) pointer(pointer string) string {
	tokens, _ := jsonstream.SplitPointer(pointer)
	at := ""
	for i, token := range tokens {
		if i > 0 && tokens[i-1] == wrapped[s.format] && (token == "value" || token == "form") {
			continue
		}
		if s.format == format.MACP && i == 1 && tokens[0] == "messages" {
			t := slices.Index(mappedTypes, token)
			if t < 0 {
				break // of the other messages: all of them
			}
			if index := s.mapped[t]; index >= 0 {
				token = strconv.Itoa(index)
			}
		}
		at = jsonstream.AppendPointer(at, token)
	}
	return at
}
