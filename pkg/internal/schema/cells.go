package schema

import "strconv"

// build builds the state.
func (d *draft) build() {
	for range d.roots {
		d.cells = append(d.cells, &cell{})
	}
	for i, nodes := range d.roots {
		d.fill(i, nodes)
	}
	if d.slow != nil {
		return
	}
	for kind := range kinds {
		d.program(kind)
	}
	d.members()
	d.elements()
	d.judge()
}

// fill collects the schemas of a cell.
func (d *draft) fill(index int, nodes []*node) {
	for _, n := range nodes {
		d.gather(index, n)
	}
	d.order = append(d.order, index)
	d.ready[keyOf(nodes)] = index
}

// cell returns the index of a schema's cell.
func (d *draft) cell(n *node) int16 {
	nodes := d.essence([]*node{n})
	if index, ok := d.ready[keyOf(nodes)]; ok {
		return int16(index)
	}
	index := len(d.cells)
	if index >= maxBits {
		d.tooMany(n)
		return 0
	}
	d.cells = append(d.cells, &cell{})
	d.fill(index, nodes)
	return int16(index)
}

func (c *compiler) tooMany(n *node) {
	c.uncovered("", n.value, "more than "+strconv.Itoa(maxBits)+" schemas for one value")
}

// gather adds a schema to a cell, with the schemas that must hold together with it.
func (d *draft) gather(index int, n *node) {
	d.parse(n)
	if d.grow(n, 1); d.slow != nil {
		return
	}
	own := d.cells[index]
	for _, other := range own.nodes {
		if other == n {
			return
		}
	}
	if len(own.nodes) == maxBits {
		d.tooMany(n)
		return
	}
	own.nodes = append(own.nodes, n)
	for _, other := range n.together {
		d.gather(index, other)
	}
	rules := d.branches(n)
	for i := range rules {
		rules[i].cell = uint8(index)
	}
	own.rules = append(own.rules, rules...)
}

// branches returns the rules of a schema about other cells.
func (d *draft) branches(n *node) []op {
	var rules []op
	for _, group := range n.any {
		rules = append(rules, op{code: opAny, set: d.cellsOf(group)})
	}
	if n.one != nil {
		rules = append(rules, d.exactlyOne(n.one)...)
	}
	for _, not := range n.not {
		rules = append(rules, op{code: opNot, a: d.cell(not)})
	}
	if n.then != nil || n.other != nil {
		o := op{code: opIf, a: d.cell(n.yes[0]), b: none, c: none}
		for _, then := range n.then {
			o.b = d.cell(then)
		}
		for _, other := range n.other {
			o.c = d.cell(other)
		}
		rules = append(rules, o)
	}
	for _, dependent := range n.dependents {
		if dependent.node != nil {
			rules = append(rules, op{code: opWith, n: d.bit(n, dependent.name), a: d.cell(dependent.node)})
		}
	}
	return rules
}

func (d *draft) cellsOf(nodes []*node) set {
	var cells set
	for _, n := range nodes {
		cells.add(int(d.cell(n)))
	}
	return cells
}

// exactlyOne returns the rules of oneOf. A schema that occurs twice is one cell, which must not
// hold.
func (d *draft) exactlyOne(nodes []*node) []op {
	var rules []op
	var cells, twice set
	for _, n := range nodes {
		c := int(d.cell(n))
		if cells.has(c) && !twice.has(c) {
			twice.add(c)
			rules = append(rules, op{code: opNot, a: int16(c)})
		}
		cells.add(c)
	}
	return append(rules, op{code: opOne, set: cells})
}

// bit returns the bit for the presence of a name.
func (d *draft) bit(n *node, name string) int32 {
	bit, ok := d.bits[name]
	if !ok {
		bit = len(d.bits)
		if bit >= maxBits {
			d.uncovered("", n.value, "more than "+strconv.Itoa(maxBits)+" names whose presence matters")
			return 0
		}
		d.bits[name] = bit
		d.names = append(d.names, name)
	}
	return int32(bit)
}

// bitsOf returns the bits of names.
func (d *draft) bitsOf(n *node, names []string) set {
	var bits set
	for _, name := range names {
		bits.add(int(d.bit(n, name)))
	}
	return bits
}
