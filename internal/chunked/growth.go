package chunked

import (
	"errors"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A growth is a message under construction. It needs little more memory than the message's text.
//
// Only the right edge of a member can grow: the member itself, its last element or member, the last
// one of that, and so on. So a member is stored as a text without its closing brackets, and a level
// for each of them.
type growth struct {
	limits  jsonstream.Limits
	members []grownMember
	index   map[string]int // indexes of members by name
	size    int            // length of the text
	extra   int            // bytes held in addition to the text
	seed    maphash.Seed
}

// grownMember is one member of the message.
type grownMember struct {
	name []byte // quoted
	text []byte // without the closing brackets of its levels
	edge []level
	open bool // text is owned by this growth, and edge describes its end
}

// A level is an array, object or string at the right edge of a member, outermost first.
type level struct {
	kind  jsonstream.Kind
	token string // its reference token in a pointer; "" for the member itself
	count int    // number of its values
	names map[uint64]struct{}
}

// Approximate memory in addition to the text of the message, in bytes.
const (
	memberCost = 160
	levelCost  = 96
	nameCost   = 40
)

var (
	errFixed    = errors.New("this member is complete in the first chunk: nothing can be appended to it")
	errTooLarge = fmt.Errorf("the message: %w", jsonstream.ErrTooLarge)
	errTooDeep  = fmt.Errorf("the message: %w", jsonstream.ErrTooDeep)
)

// newGrowth returns a growth that begins with first, an object.
func newGrowth(first jsonstream.Value, limits jsonstream.Limits) *growth {
	g := &growth{limits: withDefaults(limits), index: map[string]int{}, size: len("{}"), seed: maphash.MakeSeed()}
	text := make([]byte, 0, len(first.Raw())) // of all members: names and values are slices of it
	for name, member := range first.Members() {
		text = g.addMember(text, name, member)
	}
	return g
}

// withDefaults replaces limits of 0 by the defaults.
func withDefaults(l jsonstream.Limits) jsonstream.Limits {
	if l.MaxBytes == 0 {
		l.MaxBytes = jsonstream.DefaultMaxBytes
	}
	if l.MaxDepth == 0 {
		l.MaxDepth = jsonstream.DefaultMaxDepth
	}
	return l
}

// addMember adds a member of the message and appends its text to dst.
func (g *growth) addMember(dst []byte, name string, member jsonstream.Value) []byte {
	if len(g.members) > 0 {
		g.size += len(",")
	}
	begin := len(dst)
	dst = append(dst, member.RawName()...)
	colon := len(dst)
	dst = jsonstream.AppendCompact(dst, member.Raw())
	g.index[strings.Clone(name)] = len(g.members)
	g.members = append(g.members, grownMember{name: dst[begin:colon:colon], text: dst[colon:len(dst):len(dst)]})
	g.size += len(dst) - begin + len(":")
	g.extra += memberCost + len(name)
	return dst
}

// memory returns the approximate size of the growth, in bytes.
func (g *growth) memory() int { return g.size + g.extra }

// append appends add to the value at a pointer of the message: elements to an array, members to an
// object, characters to a string. After an error the growth must not be used.
func (g *growth) append(pointer string, add jsonstream.Value) error {
	if err := g.appendTo(pointer, add); err != nil {
		return err
	}
	if int64(g.size) > g.limits.MaxBytes {
		return errTooLarge
	}
	return nil
}

func (g *growth) appendTo(pointer string, add jsonstream.Value) error {
	tokens, ok := jsonstream.SplitPointer(pointer)
	if !ok {
		return errors.New("not a JSON Pointer")
	}
	if len(tokens) == 0 {
		return g.appendMembers(add)
	}
	i, ok := g.index[tokens[0]]
	if !ok {
		return fmt.Errorf("the message has no member %s so far", finding.Quote(tokens[0]))
	}
	if isFixed(tokens[0]) {
		return errFixed
	}
	m := &g.members[i]
	if err := g.openMember(m); err != nil {
		return err
	}
	return g.extend(m, tokens, add)
}

// appendMembers appends members to the message itself.
func (g *growth) appendMembers(add jsonstream.Value) error {
	if add.Kind() != jsonstream.Object {
		return fmt.Errorf("members are appended to the message, not %s", finding.KindName(add.Kind()))
	}
	for name, member := range add.Members() {
		if _, there := g.index[name]; there {
			return fmt.Errorf("the message already has a member %s", finding.Quote(name))
		}
		if isFixed(name) && !fixed[name] {
			return fmt.Errorf("the member %s must be in the first chunk", finding.Quote(name))
		}
		g.addMember(nil, name, member)
	}
	return nil
}

// openMember finds the right edge of a member.
func (g *growth) openMember(m *grownMember) error {
	if m.open {
		return nil
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(m.text), g.limits)
	if err != nil {
		return err
	}
	m.edge, m.open = g.edgeOf(nil, doc.Root(), ""), true
	m.text = append(make([]byte, 0, 2*len(m.text)), m.text[:len(m.text)-len(m.edge)]...)
	return nil
}

// edgeOf appends the levels at the right edge of v, which token refers to.
func (g *growth) edgeOf(edge []level, v jsonstream.Value, token string) []level {
	for {
		l := level{kind: v.Kind(), token: token, count: v.Len()}
		switch v.Kind() {
		case jsonstream.String:
			g.extra += levelCost
			return append(edge, l)
		case jsonstream.Object:
			l.names = make(map[uint64]struct{}, v.Len())
		case jsonstream.Array:
		default:
			return edge
		}
		var last jsonstream.Value
		for child := v.First(); child.Exists(); child = child.Next() {
			if l.names != nil {
				l.names[maphash.String(g.seed, child.Name())] = struct{}{}
			}
			last = child
		}
		g.extra += levelCost + nameCost*len(l.names)
		edge = append(edge, l)
		if !last.Exists() {
			return edge
		}
		v, token = last, l.lastToken(last)
	}
}

// lastToken returns the reference token of the last value of a level.
func (l *level) lastToken(last jsonstream.Value) string {
	if l.kind == jsonstream.Object {
		return strings.Clone(last.Name())
	}
	return strconv.Itoa(l.count - 1)
}

// extend appends add to the level of a member that the tokens refer to.
func (g *growth) extend(m *grownMember, tokens []string, add jsonstream.Value) error {
	n := len(tokens) // levels from the member to the one to extend
	if n > len(m.edge) {
		return errors.New("the value to append to does not exist")
	}
	for i, token := range tokens[1:] {
		if m.edge[i+1].token != token {
			return fmt.Errorf("only the last value of an array or object can grow: %s is not the last, or does not exist", finding.Quote(token))
		}
	}
	target := &m.edge[n-1]
	if target.kind != add.Kind() {
		return fmt.Errorf("the value is %s, but the addition is %s", finding.KindName(target.kind), finding.KindName(add.Kind()))
	}
	if add.Len() == 0 && (add.Kind() != jsonstream.String || len(add.Raw()) == len(`""`)) {
		return nil // nothing to append
	}
	before := len(m.text) + len(m.edge)
	g.close(m, n)
	var last jsonstream.Value
	for child := add.First(); child.Exists(); child = child.Next() {
		if target.names != nil {
			hash := maphash.String(g.seed, child.Name())
			if _, there := target.names[hash]; there {
				return fmt.Errorf("%w: %s", jsonstream.ErrDuplicateName, finding.Quote(child.Name()))
			}
			target.names[hash] = struct{}{}
			g.extra += nameCost
		}
		target.count++
		last = child
	}
	if last.Exists() && target.count > add.Len() {
		m.text = append(m.text, ',')
	}
	at := len(m.text)
	m.text = jsonstream.AppendCompact(m.text, add.Raw())
	copy(m.text[at:], m.text[at+1:]) // without the opening and closing bracket or quote of add
	m.text = m.text[:len(m.text)-2]
	if last.Exists() {
		m.edge = g.edgeOf(m.edge, last, target.lastToken(last))
		m.text = m.text[:len(m.text)-(len(m.edge)-n)]
	}
	g.size += len(m.text) + len(m.edge) - before
	if len(m.edge)+1 > g.limits.MaxDepth+1 { // a string is not a level of nesting, but the message is
		return errTooDeep
	}
	return nil
}

// close ends all levels of a member except the first n.
func (g *growth) close(m *grownMember, n int) {
	for i := len(m.edge) - 1; i >= n; i-- {
		m.text = append(m.text, end(m.edge[i].kind))
		g.extra -= levelCost + nameCost*len(m.edge[i].names)
	}
	clear(m.edge[n:])
	m.edge = m.edge[:n]
}

// end returns the last character of a value.
func end(k jsonstream.Kind) byte {
	switch k {
	case jsonstream.Array:
		return ']'
	case jsonstream.Object:
		return '}'
	default:
		return '"'
	}
}

// bytes returns the text of the message.
func (g *growth) bytes() []byte {
	text := append(make([]byte, 0, g.size), '{')
	for _, m := range g.members {
		text = append(append(append(jsonstream.AppendComma(text), m.name...), ':'), m.text...)
		for i := len(m.edge) - 1; i >= 0; i-- {
			text = append(text, end(m.edge[i].kind))
		}
	}
	return append(text, '}')
}
