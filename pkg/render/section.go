package render

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// data returns the lines of the data: sections of lines from the message, each under a heading
// that this package writes.
func (r *Renderer) data(doc *jsonstream.Document) ([]byte, error) {
	f, err := history.FormatOf(doc.Root(), r.From)
	if err != nil {
		return nil, err
	}
	d := formats.Named(f)
	w := &writer{carriers: map[int]int{}}
	var contexts []carriedContext
	if d.Carriers != nil {
		for _, c := range d.Carriers(doc.Root()) {
			if open, ok := openCarrier(c, r.Limits); ok {
				contexts = append(contexts, open)
				w.carriers[c.Value.Ordinal()] = len(contexts)
			}
		}
	}
	w.object(doc.Root(), d)
	w.carriers = nil // a context carries no other context
	for i, c := range contexts {
		w.heading(fmt.Sprintf("# Context %d of %d, which the message carries", i+1, len(contexts)))
		if c.context == nil {
			w.text(c.text)
			continue
		}
		f, _ := formats.Detect(c.context.Root())
		w.object(c.context.Root(), formats.Named(f))
	}
	return borders(w.out), nil
}

// A carriedContext is shown after the message, instead of within it in base64.
type carriedContext struct {
	context *jsonstream.Document // nil if it is a text
	text    string
}

// openCarrier returns the content of a carrier. An unreadable carrier stays as it is.
func openCarrier(c format.Carrier, limits jsonstream.Limits) (carriedContext, bool) {
	switch {
	case c.Value.Kind() == jsonstream.Object:
		context, err := jsonstream.Parse(jsonstream.NewRaw(c.Value.Raw()), jsonstream.Unlimited())
		return carriedContext{context: context}, err == nil
	case c.Value.Kind() != jsonstream.String:
		return carriedContext{}, false
	case c.JSON:
		context, err := history.Decode(c.Value, limits)
		return carriedContext{context: context}, err == nil
	}
	text, err := history.DecodeBytes(c.Value)
	return carriedContext{text: string(text)}, err == nil && utf8.Valid(text)
}

// A writer writes the data of one message.
type writer struct {
	out []byte
	// carriers maps the ordinals of values that stand for a context to the number of the context.
	carriers map[int]int
}

// The signs at the start of lines that come from the message.
const (
	textSign = "|"
	jsonSign = ":"
)

// object writes a message or a context: the sections of its format, then its turns, unless a
// section has them, and the remaining members.
func (w *writer) object(root jsonstream.Value, d *format.Descriptor) {
	if root.Kind() == jsonstream.Array && d.Known != nil && root.Len() > 0 {
		w.heading("## Turns")
		w.conversation(root, d.Known)
		return
	}
	if root.Kind() != jsonstream.Object {
		w.json(root)
		return
	}
	shown := map[string]bool{}
	section := func(name, title string) {
		member := root.Get(name)
		if !member.Exists() || shown[name] {
			return
		}
		shown[name] = true
		w.heading("## " + title)
		if slices.Contains(d.Turns, name) && member.Len() > 0 {
			w.conversation(member, d.Known)
		} else {
			w.value(member)
		}
	}
	for _, place := range d.Outline {
		section(place.Pointer[len("/"):], place.Name)
	}
	for _, name := range d.Turns {
		section(name, "Turns: "+name)
	}
	title := "## Other members"
	if len(shown) == 0 {
		title = "## Members"
	}
	if root.Len() > len(shown) {
		w.heading(title)
		w.members(root, func(name string) bool { return shown[name] })
	}
}

// heading writes one of the headings that are not from the message.
func (w *writer) heading(title string) { w.out = append(append(w.out, title...), '\n') }

// conversation writes the elements of a list with turns. If not all of them are turns, as in a session
// of a coding agent, the others follow the conversation: a turn that the user rolled back is not part of it.
func (w *writer) conversation(list jsonstream.Value, known *format.Elements) {
	elements := elementsOf(list)
	if known == nil || known.Trail == nil || list.Kind() != jsonstream.Array {
		w.turns(elements)
		return
	}
	spots := known.Path(list.Elements())
	w.turns(known.At(spots, func(index int) jsonstream.Value { return elements[index] }))
	isTurn := make([]bool, len(elements))
	for _, s := range spots {
		isTurn[s.Index] = isTurn[s.Index] || s.Nth == 0
	}
	if !slices.Contains(isTurn, false) {
		return
	}
	w.heading("## " + besides(list) + " that are not part of the conversation")
	for i, element := range elements {
		if !isTurn[i] {
			w.value(element)
		}
	}
}

// besides names the elements of a list that are no turns.
func besides(list jsonstream.Value) string {
	if list.IsLines() {
		return "Lines"
	}
	return "Elements"
}

func elementsOf(list jsonstream.Value) []jsonstream.Value {
	all := make([]jsonstream.Value, 0, list.Len())
	for _, v := range list.Elements() {
		all = append(all, v)
	}
	return all
}

// turns writes turns as data. Each has a heading with its role, its other members as JSON, and its content as
// text.
func (w *writer) turns(turns []jsonstream.Value) {
	n := len(turns)
	for i, turn := range turns {
		role, content := turn.Get("role"), turn.Get("content")
		if !isPlain(role.Text()) || content.Kind() != jsonstream.String {
			w.heading(fmt.Sprintf("### Turn %d of %d", i+1, n))
			w.value(turn)
			continue
		}
		w.heading(fmt.Sprintf("### Turn %d of %d, role %q", i+1, n, role.Text()))
		if turn.Len() > 2 {
			w.members(turn, func(name string) bool { return name == "role" || name == "content" })
		}
		w.text(content.Text())
	}
}

// isPlain reports whether a role is a word that is safe in a heading.
func isPlain(role string) bool {
	const longest = 16
	return role != "" && len(role) <= longest && strings.Trim(role, alphabet) == ""
}

// value writes a string as text, and any other value as JSON.
func (w *writer) value(v jsonstream.Value) {
	if v.Kind() == jsonstream.String && !w.isCarried(v) {
		w.text(v.Text())
	} else {
		w.json(v)
	}
}

func (w *writer) isCarried(v jsonstream.Value) bool { return w.carriers[v.Ordinal()] > 0 }

// text writes the lines of a text; an empty text has one empty line.
func (w *writer) text(text string) {
	w.out = append(w.out, textSign...)
	start := true
	for _, c := range neutral(nil, text, inText) {
		if c == '\n' {
			w.out = append(append(w.out, '\n'), textSign...)
			start = true
			continue
		}
		if start {
			w.out = append(w.out, ' ')
			start = false
		}
		w.out = append(w.out, c)
	}
	w.out = append(w.out, '\n')
}

// json writes a value as lines of JSON.
func (w *writer) json(v jsonstream.Value) { w.members(v, nil) }

// members writes a value as json does, without the members for which omit returns true. A nil omit keeps all.
func (w *writer) members(v jsonstream.Value, omit func(name string) bool) {
	w.out = append(w.out, jsonSign+" "...)
	w.layOut(v, omit, 0)
	w.out = append(w.out, '\n')
}

// maxLine is the maximum length, in bytes, of an object or array on one line.
const maxLine = 100

// layOut appends a value: on one line if it is short, and otherwise with a line for each
// member or element.
func (w *writer) layOut(v jsonstream.Value, omit func(name string) bool, depth int) {
	start := len(w.out)
	if w.compact(v, omit, start+maxLine) {
		return
	}
	w.out = w.out[:start]
	first := true
	each := func(name string, child jsonstream.Value) {
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.newLine(depth + 1)
		if v.Kind() == jsonstream.Object {
			w.out = append(quote(w.out, name), ": "...)
		}
		w.layOut(child, nil, depth+1)
	}
	switch v.Kind() { // a carried context never gets here: its reference is a short line
	case jsonstream.Object:
		w.out = append(w.out, '{')
		for name, member := range v.Members() {
			if omit == nil || !omit(name) {
				each(name, member)
			}
		}
		w.newLine(depth)
		w.out = append(w.out, '}')
	case jsonstream.Array:
		w.out = append(w.out, '[')
		for _, element := range v.Elements() {
			each("", element)
		}
		w.newLine(depth)
		w.out = append(w.out, ']')
	default:
		w.scalar(v)
	}
}

// maxIndent bounds the indentation, so that deep values do not take quadratic space.
const maxIndent = 12

func (w *writer) newLine(depth int) {
	w.out = append(w.out, "\n"+jsonSign+" "...)
	for range min(depth, maxIndent) {
		w.out = append(w.out, "  "...)
	}
}

// compact appends a value on one line, and reports whether w.out is then at most limit bytes
// long; if not, it stops early.
func (w *writer) compact(v jsonstream.Value, omit func(name string) bool, limit int) bool {
	if len(w.out) > limit {
		return false
	}
	separator := ""
	switch {
	case w.isCarried(v):
		w.reference(v)
	case v.Kind() == jsonstream.Object:
		w.out = append(w.out, '{')
		for name, member := range v.Members() {
			if omit != nil && omit(name) {
				continue
			}
			if len(name) > maxLine {
				return false
			}
			w.out = append(w.out, separator...)
			w.out = append(quote(w.out, name), ": "...)
			if !w.compact(member, nil, limit) {
				return false
			}
			separator = ", "
		}
		w.out = append(w.out, '}')
	case v.Kind() == jsonstream.Array:
		w.out = append(w.out, '[')
		for _, element := range v.Elements() {
			w.out = append(w.out, separator...)
			if !w.compact(element, nil, limit) {
				return false
			}
			separator = ", "
		}
		w.out = append(w.out, ']')
	case len(v.Raw()) > 6*maxLine: // every character may be an escape
		return false
	default:
		w.scalar(v)
	}
	return len(w.out) <= limit
}

// scalar appends a value that is neither an object nor an array.
func (w *writer) scalar(v jsonstream.Value) {
	if v.Kind() == jsonstream.String {
		w.out = quote(w.out, v.Text())
	} else {
		w.out = append(w.out, v.Raw()...)
	}
}

// reference appends a reference to a carried context. Unlike all texts of the message, it has
// no quotes.
func (w *writer) reference(v jsonstream.Value) {
	w.out = fmt.Appendf(w.out, "(see context %d)", w.carriers[v.Ordinal()])
}

// quote appends a text as a JSON string.
func quote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, neutral(nil, text, inJSON)) // valid UTF-8: it was read from JSON
	return dst
}
