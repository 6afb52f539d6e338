package convert

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	// Implied are the members of the source that every message of its format has alike, or
	// that follow from the rest of the target: they come back without being carried.
	Implied []string  `json:"implied,omitempty"`
	Carried []Carried `json:"carried,omitempty"`
	MadeUp  []MadeUp  `json:"madeUp,omitempty"`
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
	Pointer string          `json:"pointer"` // in the target
	Value   json.RawMessage `json:"value"`
	Rule    string          `json:"rule"`
	// Source is where the source could say it, "" if it has no place for it.
	Source string `json:"source,omitempty"`
}

// describe fills a report.
func (t trace) describe(r *Report, source, target node) {
	from, to := newShower(r.From, source), newShower(r.To, target)
	r.Restored = t.restored
	written, _ := codecs[r.To].read(view(r.To, target))
	for i, v := range t.meaning.values {
		if v == none {
			continue
		}
		m := Mapping{From: from.pointer(t.meaning.at[i]), To: to.row(i)}
		if written.values[i] != none {
			m.To = to.pointer(written.at[i])
		}
		r.Mapped = append(r.Mapped, m)
	}
	for _, list := range t.turns(r.From) {
		r.Mapped = append(r.Mapped, Mapping{From: from.pointer(list.From), To: to.turns(), Turns: list.Turns})
	}
	t.describeCarried(r, from)
	t.describeMadeUp(r, from, to, target)
	t.describeChanged(r, to)
	if r.From == format.EAAPL && source.get("signature") != none {
		r.Signature = "/signature"
	}
	bare, _, _ := strip(r.From, source, r.To)
	r.Implied = from.implied(view(r.From, bare), *r)
}

// turns returns how many turns the lists of the source have.
func (t trace) turns(f format.Format) []Mapping {
	lists, n := codecs[f].lists, len(t.meaning.turns)
	if f != format.OpenAI {
		lists = lists[:1]
	}
	var all []Mapping
	for i, list := range lists {
		here := n
		if f == format.OpenAI {
			before, _ := t.shape.get("pre").count()
			items, _ := t.shape.get("new").count()
			here = []int{n - before - items, before, items}[i]
		}
		if here > 0 {
			all = append(all, Mapping{From: list, Turns: here})
		}
	}
	return all
}

func (t trace) describeCarried(r *Report, from shower) {
	for _, e := range t.residue.members {
		if e.value != none {
			r.Carried = append(r.Carried, Carried{Pointer: from.pointer(e.at), Place: t.place})
		}
	}
	r.Carried = slices.Compact(r.Carried) // several are of one array
	if n := len(t.residue.turns); n > 0 {
		r.Carried = append(r.Carried, Carried{Pointer: from.turns(), Place: t.place, Turns: n})
	}
	if t.residue.text != none {
		r.Carried = append(r.Carried, Carried{Pointer: from.pointer(textPlaces[r.From]), Place: t.place})
	}
}

func (t trace) describeMadeUp(r *Report, from, to shower, target node) {
	for _, m := range t.made {
		for i, row := range rows {
			if placeOf(row, r.To) != m.Pointer {
				continue
			}
			m.Source = from.row(i)
			if t.meaning.values[i] != none {
				m.Source = from.pointer(t.meaning.at[i])
			}
		}
		m.Pointer = to.pointer(m.Pointer)
		r.MadeUp = append(r.MadeUp, m)
	}
	if r.To != format.OpenAI || len(t.calls) == 0 {
		return
	}
	made := map[node]bool{}
	for _, call := range t.calls {
		made[call] = true
	}
	for _, list := range codecs[r.To].lists {
		at := to.pointer(list)
		for i, item := range elementsOf(target.at(at)) {
			if made[item] { // and not taken away by what the source carried
				r.MadeUp = append(r.MadeUp, MadeUp{fmt.Sprintf("%s/%d", at, i), item.append(nil), "the call of this result is not there", from.turns()})
			}
		}
	}
}

func (t trace) describeChanged(r *Report, to shower) {
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
}

// A shower writes places in the view of a message as places in the message, and on into
// what is encoded there.
type shower struct {
	format format.Format
	doc    node
	mapped [3]int // of a transcript: the indices of its mapped messages
}

func newShower(f format.Format, doc node) shower {
	s := shower{format: f, doc: doc}
	if f == format.MACP {
		s.mapped = mappedMessages(doc.get("messages"))
	}
	return s
}

// row returns where a format has a row.
func (s shower) row(i int) string {
	if place := placeOf(rows[i], s.format); place != "" {
		return s.pointer(place)
	}
	brief := codecs[s.format].brief
	if s.format == format.OpenAI {
		brief = "/input_history/value/0/content"
	}
	return s.pointer(brief + rows[i].member)
}

// turns returns where the first list of turns is.
func (s shower) turns() string { return s.pointer(codecs[s.format].lists[0]) }

// wrapped are the members that the views lay open.
var wrapped = map[format.Format]string{format.SW4RMRequest: "context_snapshot", format.OpenAI: "input_history", format.MACP: "context"}

// pointer returns a place in the view as one in the message. A message that is not there
// is "-", the one after the last (RFC 6901, section 4).
func (s shower) pointer(pointer string) string {
	tokens, _ := jsonstream.SplitPointer(pointer)
	at, n := "", s.doc
	for i, token := range tokens {
		if i > 0 && tokens[i-1] == wrapped[s.format] && (token == "value" || token == "form") {
			continue
		}
		if s.format == format.MACP && i == 1 && tokens[0] == "messages" {
			t := slices.Index(mappedTypes, token)
			if t < 0 {
				break // of the other messages: all of them
			}
			token = "-"
			if index := s.mapped[t]; index >= 0 {
				token = strconv.Itoa(index)
			}
		}
		if s.format == format.MACP && n.is(jsonstream.Object) && n.get(token) == none && slices.Contains(macpNames, token) && n.get(camel(token)) != none {
			token = camel(token)
		}
		at, n = jsonstream.AppendPointer(at, token), n.at(jsonstream.AppendPointer("", token))
	}
	return at
}

// implied returns the members of a view that a report does not tell of.
func (s shower) implied(view node, r Report) []string {
	told, above := map[string]bool{}, map[string]bool{}
	tell := func(pointer string) {
		told[pointer] = true
		for i, c := range pointer {
			if c == '/' {
				above[pointer[:i]] = true
			}
		}
	}
	for _, m := range r.Mapped {
		tell(m.From)
	}
	for _, m := range r.Carried {
		tell(m.Pointer)
	}
	var implied []string
	var walk func(n node, at string)
	walk = func(n node, at string) {
		for m := n.children(); m.next(); {
			below := jsonstream.AppendPointer(at, m.name)
			shown := s.pointer(below)
			switch {
			case told[shown] || isOfView(s.format, below):
			case !above[shown]:
				implied = append(implied, shown)
			case m.value.is(jsonstream.Object):
				walk(m.value, below)
			}
		}
	}
	if !told[""] {
		walk(view, "")
	}
	return implied
}

// isOfView reports whether a place is of the view alone, or stands for several.
func isOfView(f format.Format, at string) bool {
	switch at {
	case "/messages/form", "/messages/at", "/messages/others":
		return f == format.MACP
	}
	return wrapped[f] != "" && strings.HasSuffix(at, "/"+wrapped[f]+"/form")
}
