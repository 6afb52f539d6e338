package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// maxParts is the maximum size of a program: the cells, names and links of all states.
const maxParts = 1 << 16

// A compiler builds the states of a program, beginning with the document's and following links.
type compiler struct {
	options   Options
	documents map[string]*document // by the URL used to load them
	nodes     map[jsonstream.Value]*node
	patterns  map[string]*pattern
	formats   map[string]*format
	count     int // number of nodes
	memories  int // number of formats with a memory
	found     map[string]*state
	todo      []*draft
	parts     int
	objects   int   // in all documents
	err       error // the schema is unusable
	slow      error // the reason why there are no states
}

func newCompiler(o Options) *compiler {
	return &compiler{
		options:   o,
		documents: map[string]*document{},
		nodes:     map[jsonstream.Value]*node{},
		patterns:  map[string]*pattern{},
		formats:   map[string]*format{},
		found:     map[string]*state{},
	}
}

// fail keeps the first reason why there is no program. The compiler may continue for a while.
func (c *compiler) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *compiler) reject(keyword string, schema jsonstream.Value, problem string) {
	c.fail(&KeywordError{keyword, c.locate(schema), problem})
}

// uncovered keeps the first reason why there are no states.
func (c *compiler) uncovered(keyword string, schema jsonstream.Value, problem string) {
	if c.slow == nil {
		c.slow = &KeywordError{keyword, c.locate(schema), problem}
	}
}

// locate returns the location of a schema: the URL of its document with a JSON Pointer.
func (c *compiler) locate(schema jsonstream.Value) string {
	within := ""
	for address, d := range c.documents {
		if d.holds(schema) && (within == "" || address < within) {
			within = address
		}
	}
	return within + "#" + schema.Pointer()
}

// grow counts the parts that a schema adds to the program.
func (c *compiler) grow(n *node, parts int) {
	if c.parts += parts; c.parts > maxParts {
		c.uncovered("", n.value, "a program of more than "+strconv.Itoa(maxParts)+" parts")
	}
}

func (c *compiler) patternOf(expr string) *pattern {
	p := c.patterns[expr]
	if p == nil {
		p = &pattern{expr: expr}
		c.patterns[expr] = p
	}
	return p
}

func (c *compiler) formatOf(name string) *format {
	f, ok := c.formats[name]
	if !ok {
		f = newFormat(name, c.options)
		if f != nil && f.slow != nil {
			f.id = c.memories
			c.memories++
		}
		c.formats[name] = f
	}
	return f
}

// A draft is a state under construction.
type draft struct {
	*compiler
	state    *state
	roots    [][]*node // each becomes a cell
	cells    []*cell
	order    []int          // cells in dependency order
	ready    map[string]int // finished cells, by their schemas
	bits     map[string]int // of the names whose presence matters
	names    []string       // those of bits, in order
	contains []*node        // of arrays, by their counters
	live     [kinds]set     // undecided cells that the roots depend on
}

// A cell is a set of schemas that must hold together, with the cells they refer to.
type cell struct {
	nodes []*node
	rules []op // about other cells
}

// states builds the states reachable from a document's schema and returns the link to the first.
func (c *compiler) states(schema *node) (root *link) {
	root = c.link([]want{{[]*node{schema}, 0, none, none}})
	for len(c.todo) > 0 && c.slow == nil {
		d := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		d.build()
	}
	return root
}

// A want is a requirement on a value inside another.
type want struct {
	nodes   []*node
	cell    int // the cell that fails if the value does
	counter int // or the counter of matching values
	when    int // the condition
}

// link returns a link to the state for all wants, nil if there are no requirements.
func (c *compiler) link(wants []want) *link {
	keys := make([]string, 0, len(wants))
	kept := wants[:0:0]
	for _, w := range wants {
		w.nodes = c.essence(w.nodes)
		if len(w.nodes) > 0 || w.counter >= 0 {
			kept = append(kept, w)
			keys = append(keys, keyOf(w.nodes))
		}
	}
	if len(kept) == 0 {
		return nil
	}
	unique := slices.Clone(keys)
	slices.Sort(unique)
	unique = slices.Compact(unique)
	if len(unique) > maxBits {
		for _, w := range kept {
			for _, n := range w.nodes {
				c.tooMany(n)
			}
		}
		return nil
	}
	l := &link{}
	roots := make([][]*node, len(unique))
	for i, w := range kept {
		at, _ := slices.BinarySearch(unique, keys[i])
		roots[at] = w.nodes
		l.want(at, w)
	}
	l.state = c.state(unique, roots)
	return l
}

// want adds a requirement to a root, which it adds if necessary.
func (l *link) want(at int, w want) {
	for i := range l.roots {
		r := &l.roots[i]
		if int(r.cell) == at && int(r.counter) == w.counter && int(r.when) == w.when && w.counter < 0 {
			r.parents.add(w.cell)
			return
		}
	}
	r := root{cell: uint8(at), counter: int32(w.counter), when: int8(w.when)}
	if w.counter < 0 {
		r.parents.add(w.cell)
	} else {
		l.counts = true
	}
	l.roots = append(l.roots, r)
}

// essence returns the schemas equivalent to a list: without empty ones, with mere references
// replaced by their targets, sorted and without duplicates.
func (c *compiler) essence(nodes []*node) []*node {
	var list []*node
	for _, n := range nodes {
		c.parse(n)
		for range maxBits { // a reference loop is detected when cells are gathered
			if !n.isReference() {
				break
			}
			n = n.together[0]
			c.parse(n)
		}
		if !n.isEmpty() {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b *node) int { return a.id - b.id })
	return slices.Compact(list)
}

// isReference reports whether a schema only refers to another.
func (n *node) isReference() bool {
	return len(n.together) == 1 && !n.hasRules() && !n.hasBranches()
}

// isEmpty reports whether a schema accepts every value.
func (n *node) isEmpty() bool {
	return len(n.together) == 0 && !n.hasRules() && !n.hasBranches()
}

func (n *node) hasBranches() bool {
	return n.any != nil || n.one != nil || n.not != nil || n.then != nil || n.other != nil || n.dependents != nil
}

func (n *node) hasRules() bool {
	return n.types != anyType || n.values != nil ||
		n.size != nil || n.required != nil || n.properties != nil || n.patterns != nil || n.additional != nil || n.nameSchema != nil || n.isClosed ||
		n.length != nil || n.prefix != nil || n.items != nil || n.contains != nil || n.isUnique || n.uniqueKeys != nil ||
		n.characters != nil || n.pattern != nil || n.format != nil || n.bounds != nil || n.multiple != nil
}

// keyOf returns a key that is equal only for equal lists of schemas.
func keyOf(nodes []*node) string {
	var b []byte
	for _, n := range nodes {
		b = append(strconv.AppendInt(b, int64(n.id), 36), ' ')
	}
	return string(b)
}

// state returns the state for lists of schemas. The state may not be built yet.
func (c *compiler) state(keys []string, roots [][]*node) *state {
	key := strings.Join(keys, ";")
	s := c.found[key]
	if s == nil {
		s = &state{names: map[string]int{}}
		c.found[key] = s
		c.todo = append(c.todo, &draft{
			compiler: c, state: s, roots: roots,
			ready: map[string]int{}, bits: map[string]int{},
		})
	}
	return s
}
