// Package chat provides the codecs that convert the formats of chat histories. They share the
// location of turns and instructions in a message, and a common turn into which all of them are
// read: the turn of the canonical message, which is that of OpenAI's Chat API. A [Form] describes
// how a format reads and writes turns.
package chat

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Form describes the turns of a format.
type Form struct {
	// At are the places of turns, as JSON Pointers to lists or single turns, in the order of the
	// conversation. "" is the message itself, which may be a list. A message may have any of these
	// places; a new message has the first.
	At []string
	// Lines is set for files of JSON Lines, whose lines are the elements. At then begins with "".
	Lines bool
	// Known finds the turns of a list; nil means that all elements are turns. Within is its
	// [format.Elements.Within] for nodes.
	Known *format.Elements
	// InOrder reports that all elements of a list are its turns, so that Known need not read them;
	// nil means that this is not known.
	InOrder func(elements []tree.Node) bool
	// Select, if set, returns the indices of the turns of a list instead of Known: for a list whose turns also
	// depend on the rest of the message, which may be None.
	Select func(rest tree.Node, elements []tree.Node) []int
	Within func(element tree.Node) []tree.Node
	// System is the place of instructions outside the turns, "" if there is none. ReadSystem
	// returns the content of an instructions turn, None if the form of the value is unknown, and
	// WriteSystem is its inverse.
	System string
	// Systems are alternative places of instructions if System is absent.
	Systems     []string
	ReadSystem  func(value tree.Node) (content tree.Node)
	WriteSystem func(content tree.Node) tree.Node
	// Items is set if the elements are items of the Responses API, which has approvals.
	Items bool
	// Short is set if strings and arrays can also be turns.
	Short bool
	// Developer is set if System also has instructions with the role developer.
	Developer bool
	// Text is the place of At that may be a string, which is a single user turn; "" if there is
	// none.
	Text string
	// Whole reports whether a value is itself a turn: a message, or the value at one of the places
	// in Alone that do not end in /message; nil means never.
	Whole func(value tree.Node) bool
	Alone []string
	// Before maps the place of a single turn to the place of the list of earlier turns. The list
	// also receives turns that do not fit the place. If the turn repeats the last one of the list,
	// as Again reports, it is not a turn of its own and is kept equal to it.
	Before map[string]string
	Again  func(turn, last tree.Node) bool
	// Aside are places of lists of other elements than messages. IsAside reports whether a turn was read from
	// one: it goes there, wherever it stands, and no other turn does.
	Aside   []string
	IsAside func(turn tree.Node) bool
	// Style returns the variant of an element's form, "" for the usual one.
	Style func(element tree.Node) string
	// Read appends the canonical turns of an element.
	Read func(dst []tree.Node, element tree.Node) []tree.Node
	// Reading, if set, returns the Read for one message, in formats whose elements depend on
	// earlier ones.
	Reading func() func(dst []tree.Node, element tree.Node) []tree.Node
	// Site returns the folder and the branch of a session with a description, None if they are unknown. It
	// is nil for formats that are not sessions.
	Site func(rest tree.Node, elements []tree.Node) (folder, branch tree.Node)
	// Write returns the elements for canonical turns.
	Write func(turns []tree.Node, w *Writing) []tree.Node
	// Holder is the place of carried data in a message; by default it is the member [exchange.HolderName].
	Holder exchange.Holder
	// Rest are the other members of a new message with turns in the first place of At, unless the
	// message provides them.
	Rest func(m exchange.Meaning, k *exchange.Maker) tree.Node
}

// maxPlaces is the maximum number of places with turns in a message.
const maxPlaces = 3

var lists = []string{"/turns/0", "/turns/1", "/turns/2"}

// layout puts all rows into the brief, which is in a user turn.
var layout = exchange.Layout{BriefText: "/turns/0/0/content"}

// Codec returns the codec of a form. The view of a message is an object:
//
//	at     the places of its turns
//	turns  a list for each of them
//	rest   the message without them; None for a list
//	around instead of rest, if the only place is a single turn: the other members, not for a list
//	text   true if the turn at Text is a string
//	whole  true if the turn is the message
//	again  the place of a turn that repeats the last one of the list before it
func (f *Form) Codec() *exchange.Codec {
	c := &exchange.Codec{
		Layout:   &layout,
		Lists:    lists,
		ViewOnly: []string{"/at", "/text", "/turns", "/whole", "/again"},
		Open:     f.open,
		Shut:     f.shut,
		Read:     f.read,
		Write:    f.write,
		Counts:   counts,
		Check:    f.check,
		Locate:   f.locate,
		Holder:   f.Holder,
	}
	if c.HolderAt == nil {
		c.HolderAt = func(tree.Node) string { return "/" + exchange.HolderName }
	}
	if !f.Lines {
		for _, at := range f.At {
			if c.Bare == "" {
				c.Bare = strings.TrimPrefix(at, "/")
			}
		}
	}
	return c
}

// open returns the view of a message.
func (f *Form) open(message tree.Node) tree.Node {
	var at, turns []tree.Node
	rest, text := message, false
	places := f.places(message)
	for _, place := range places {
		at = append(at, tree.String(place))
		list := message.At(place)
		if f.isText(place, list) {
			list, text = exchange.UserMessage(list), true
		}
		if !list.Is(jsonstream.Array) {
			list = tree.Array(list)
		}
		turns = append(turns, list)
		rest = rest.Set(place, tree.None)
	}
	again := ""
	for _, place := range f.At {
		// The same turn is written twice; a turn that only shares the id is kept.
		if list := tree.Elements(message.At(f.Before[place])); again == "" && slices.Contains(places, f.Before[place]) && !slices.Contains(places, place) && len(list) > 0 && tree.Same(message.At(place), list[len(list)-1]) {
			again, rest = place, rest.Set(place, tree.None)
		}
	}
	view := tree.Object(tree.Member{Name: "at", Value: tree.Array(at...)}, tree.Member{Name: "turns", Value: tree.Array(turns...)})
	if rest != tree.None {
		view = view.With(f.restName(places), rest)
	}
	if text {
		view = view.With("text", tree.Bool(true))
	}
	if again != "" {
		view = view.With("again", tree.String(again))
	}
	if f.isWhole(message) {
		view = view.With("whole", tree.Bool(true))
	}
	return view
}

// shut is the inverse of open.
func (f *Form) shut(view tree.Node) tree.Node {
	var places []string
	for _, place := range tree.Elements(view.Get("at")) {
		places = append(places, place.Text())
	}
	message := view.Get(f.restName(places))
	turns := tree.Elements(view.Get("turns"))
	for i, at := range places {
		if i >= len(turns) {
			break
		}
		list := turns[i]
		if at == f.Text && view.Get("text").Is(jsonstream.True) {
			if content := list.At("/0/content"); tree.IsString(content) && tree.Same(list, tree.Array(exchange.UserMessage(content))) {
				list = content
			}
		}
		if f.isAlone(at) || view.Get("whole").Is(jsonstream.True) {
			if list = list.Element("0"); list == tree.None {
				continue
			}
		}
		switch {
		case at == "" && message == tree.None:
			return list
		case at != "" && slices.Contains(f.At, at) && takes(message, at):
			message = message.Set(at, list)
		}
	}
	if again := view.Get("again").Text(); f.Before[again] != "" {
		if list := tree.Elements(message.At(f.Before[again])); len(list) > 0 && takes(message, again) {
			message = message.Set(again, list[len(list)-1])
		}
	}
	if message == tree.None {
		return tree.Object()
	}
	return message
}

// read returns the meaning of a view. The shape has the places of the turns, their numbers and the
// style, unless they are as in a new message.
func (f *Form) read(view tree.Node, _ exchange.Others) (exchange.Meaning, tree.Node) {
	var m exchange.Meaning
	var counts []tree.Node
	style := ""
	read := f.Read
	if f.Reading != nil {
		read = f.Reading()
	}
	begun := false // whether the conversation has begun; instructions and the brief may precede it
	system := f.takeSystem(&m, view)
	for l, list := range tree.Elements(view.Get("turns")) {
		elements := tree.Elements(list)
		if f.Site != nil {
			m.Folder, m.Branch = f.Site(view.Get("rest"), elements)
		}
		before := len(m.Turns)
		m.Turns = slices.Grow(m.Turns, len(elements))
		for i, element := range f.path(view.Get("rest"), elements) {
			if f.isCarried(elements[i]) {
				continue
			}
			if style == "" && f.Style != nil {
				style = f.Style(elements[i])
			}
			first := len(m.Turns)
			m.Turns = read(m.Turns, element)
			if begun || len(m.Turns) == first || isInstruction(m.Turns[first]) {
				continue
			}
			begun = true
			if brief, rest, ok := briefIn(m.Turns[first]); ok {
				m.TakeBrief(brief, fmt.Sprintf("/turns/%d/%d", l, i))
				if m.Turns[first] = rest; rest == tree.None {
					m.Turns = slices.Delete(m.Turns, first, first+1)
				}
			}
		}
		counts = append(counts, tree.Int(int64(len(m.Turns)-before)))
	}
	var shape tree.Node
	if at := view.Get("at"); at.Length() != 1 || at.Element("0").Text() != f.At[0] {
		shape = shape.With("at", at).With("counts", tree.Array(counts...))
	}
	if style != "" {
		shape = shape.With("style", tree.String(style))
	}
	if f.Text != "" && view.Get("text").Is(jsonstream.True) {
		shape = shape.With("text", tree.Bool(true))
	}
	for _, name := range []string{"whole", "again"} {
		if v := view.Get(name); v != tree.None {
			shape = shape.With(name, v)
		}
	}
	if n, _ := f.instructions(m.Turns); system == "" && n > 0 {
		shape = shape.With("system", tree.String(amongTurns))
	} else if system != "" && system != f.System {
		shape = shape.With("system", tree.String(system))
	}
	return m, shape
}

// path yields the turns of a list, each with the index of its element.
func (f *Form) path(rest tree.Node, elements []tree.Node) iter.Seq2[int, tree.Node] {
	if f.Select != nil {
		return func(yield func(int, tree.Node) bool) {
			for _, i := range f.Select(rest, elements) {
				if !yield(i, elements[i]) {
					return
				}
			}
		}
	}
	if f.Known == nil || f.InOrder != nil && f.InOrder(elements) {
		return slices.All(elements)
	}
	return func(yield func(int, tree.Node) bool) {
		var within []tree.Node
		of := int32(-1)
		for _, at := range f.Known.Path(tree.Values(elements)) {
			turn := elements[at.Index]
			if at.Nth > 0 {
				if of != at.Index {
					within, of = f.Within(turn), at.Index
				}
				turn = within[at.Nth-1]
			}
			if !yield(int(at.Index), turn) {
				return
			}
		}
	}
}

// counts returns the number of turns in each list.
func counts(shape tree.Node, turns int) []int {
	list := make([]int, len(lists))
	for i, n := range tree.Elements(shape.Get("counts")) {
		if i < len(list) && i > 0 {
			list[i], _ = n.Count()
			list[i] = min(list[i], turns)
			turns -= list[i]
		}
	}
	list[0] = turns
	return list
}

// write returns the view of a message with this meaning. The turns are distributed over the places
// from the end, since mostly old turns are trimmed or added.
func (f *Form) write(m exchange.Meaning, shape tree.Node, k *exchange.Maker, _ exchange.Others) tree.Node {
	turns := slices.Clone(exchange.Spelled(m.Turns))
	if !f.Items {
		turns = settled(turns)
	}
	var rest tree.Node
	at := f.placesIn(shape)
	if f.Rest != nil && at[0].Text() == f.At[0] {
		rest = f.Rest(m, k)
	}
	if at[0].Text() != "" { // a list has no place for other members
		rest, turns = f.putSystem(rest, turns, shape)
	}
	if brief := m.Brief(&layout); brief != tree.None {
		first := slices.IndexFunc(turns, func(t tree.Node) bool { return !isInstruction(t) })
		if first < 0 {
			first = len(turns)
		}
		turns = slices.Insert(turns, first, exchange.UserMessage(brief.Labelled(briefLabel)))
	}
	at, turns, aside := f.setAside(at, turns)
	number := f.shares(at, shape, len(turns))
	w := &Writing{Meaning: m, Maker: k, Style: shape.Get("style").Text(), seen: map[string]int{}, called: map[string]bool{}, ids: map[string]bool{}}
	var written [][]tree.Node
	for i := range at {
		w.list, w.Place = lists[i], at[i].Text()
		if f.isAside(at[i]) {
			written = append(written, f.Write(aside, w))
			continue
		}
		n := min(number[i], len(turns))
		written = append(written, f.Write(turns[:n], w))
		turns = turns[n:]
	}
	whole := shape.Get("whole").Is(jsonstream.True) && at[0].Text() == ""
	if f.Before != nil || f.Whole != nil {
		if places, moved := f.makeRoom(at, written, whole); places != nil {
			at, written, whole = places, moved, false
			if at[0].Text() == f.At[0] && f.Rest != nil {
				rest = f.Rest(m, k)
			}
		}
	}
	var places []string
	var elements []tree.Node
	for i := range at {
		places, elements = append(places, at[i].Text()), append(elements, tree.Array(written[i]...))
	}
	view := tree.Object(tree.Member{Name: "at", Value: tree.Array(at...)}, tree.Member{Name: "turns", Value: tree.Array(elements...)})
	if rest == tree.None && (len(at) != 1 || at[0].Text() != "") {
		rest = tree.Object()
	}
	if rest != tree.None {
		view = view.With(f.restName(places), rest)
	}
	if shape.Get("text").Is(jsonstream.True) {
		view = view.With("text", tree.Bool(true))
	}
	if again := shape.Get("again"); f.Before[again.Text()] != "" {
		view = view.With("again", again)
	}
	if whole {
		view = view.With("whole", tree.Bool(true))
	}
	return view
}

func (f *Form) isAside(place tree.Node) bool { return slices.Contains(f.Aside, place.Text()) }

// setAside returns the turns for the place of turns that are set aside, and the others, for which it adds a
// place if there is none.
func (f *Form) setAside(at, turns []tree.Node) (places, others, aside []tree.Node) {
	i := slices.IndexFunc(at, f.isAside)
	if i < 0 {
		return at, turns, nil
	}
	for _, turn := range turns {
		if f.IsAside(turn) {
			aside = append(aside, turn)
		} else {
			others = append(others, turn)
		}
	}
	if len(at) == 1 && len(others) > 0 {
		at = slices.Insert(slices.Clone(at), 0, tree.String(f.Before[at[i].Text()]))
	}
	return at, others, aside
}

// shares returns the number of turns for each place. Turns that are not set aside are in the other places.
func (f *Form) shares(at []tree.Node, shape tree.Node, turns int) []int {
	number := counts(shape, turns)
	home := slices.IndexFunc(at, func(place tree.Node) bool { return !f.isAside(place) })
	for i := range at {
		if f.isAside(at[i]) && home >= 0 {
			number[home], number[i] = number[home]+number[i], 0
		}
	}
	return number
}

// placesIn returns the places of turns in a shape, or in a new message.
func (f *Form) placesIn(shape tree.Node) []tree.Node {
	var at []tree.Node
	for _, place := range tree.Elements(shape.Get("at")) {
		if len(at) < maxPlaces && tree.IsString(place) && (place.Text() == "" || slices.Contains(f.At, place.Text())) {
			at = append(at, place)
		}
	}
	if len(at) == 0 {
		at = []tree.Node{tree.String(f.At[0])}
	}
	return at
}

// isCarried reports whether an element contains carried data.
func (f *Form) isCarried(element tree.Node) bool {
	if f.Holder.Unpack == nil {
		return false
	}
	_, ok := f.Holder.Unpack(element)
	return ok
}

// check reports lists that are not arrays, and turns that are not objects.
func (f *Form) check(c *exchange.Checker, message tree.Node) {
	places := f.places(message)
	if len(places) == 0 && !f.Lines {
		c.Add("/"+strings.TrimPrefix(f.At[0], "/"), "is missing: the list of turns is required")
	}
	for _, place := range places {
		for i, e := range tree.Elements(message.At(place)) {
			if !e.Is(jsonstream.Object) && !(f.Short && (tree.IsString(e) || e.Is(jsonstream.Array))) {
				c.Add(place+"/"+strconv.Itoa(i), "expected object, found %s: a turn is an object", e.Kind())
			}
		}
	}
}

// locate returns a function that maps places in the view to places in the message.
func (f *Form) locate(message tree.Node) func(pointer string) string {
	places := f.places(message)
	return func(pointer string) string {
		for _, name := range []string{"/rest", "/around"} {
			if rest, ok := strings.CutPrefix(pointer, name); ok {
				return rest
			}
		}
		rest, ok := strings.CutPrefix(pointer, "/turns/")
		if !ok {
			return pointer
		}
		list, below, found := strings.Cut(rest, "/")
		i, err := strconv.Atoi(list)
		if err != nil || i >= len(places) {
			return f.At[0]
		}
		if !found || f.isText(places[i], message.At(places[i])) {
			return places[i]
		}
		if f.isAlone(places[i]) || f.isWhole(message) {
			if _, within, ok := strings.Cut(below, "/"); ok {
				return places[i] + "/" + within
			}
			return places[i]
		}
		return places[i] + "/" + below
	}
}
