package schema

// close marks the schemas that should list all members of their objects: the schema itself and
// those reached by $ref, properties and items.
func (c *compiler) close(schema *node) {
	todo := []*node{schema}
	seen := map[*node]bool{}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		c.parse(n)
		if n.reference != nil {
			todo = append(todo, n.reference)
		}
		if n.additional != nil {
			continue
		}
		n.isClosed = n.value.Get("properties").Exists()
		todo = append(todo, n.items...)
		for _, p := range n.properties {
			todo = append(todo, p.node)
		}
	}
}

// members builds the state's entries for the members of an object.
func (d *draft) members() {
	s := d.state
	nodes := d.liveNodes(objectKind)
	add := func(name string) {
		if _, done := s.names[name]; !done {
			s.names[name] = len(s.entries)
			s.entries = append(s.entries, d.entry(nodes, name))
		}
	}
	for _, n := range nodes {
		s.isClosed = s.isClosed || n.node.isClosed
		for _, p := range n.node.properties {
			add(p.name)
		}
	}
	for _, name := range d.names {
		add(name)
	}
	s.rest = d.others(nodes)
	var wants []want
	for _, n := range nodes {
		if n.node.nameSchema != nil {
			wants = append(wants, want{n.node.nameSchema, n.cell, none, none})
		}
	}
	s.nameLink = d.link(wants)
}

// A liveNode is a schema of a live cell.
type liveNode struct {
	node *node
	cell int
}

func (d *draft) liveNodes(kind int) []liveNode {
	var nodes []liveNode
	for index, c := range d.cells {
		if d.live[kind].has(index) {
			for _, n := range c.nodes {
				nodes = append(nodes, liveNode{n, index})
			}
		}
	}
	return nodes
}

// entry returns the entry of a name for the live schemas.
func (d *draft) entry(nodes []liveNode, name string) entry {
	e := entry{name: name, bit: none}
	if bit, ok := d.bits[name]; ok {
		e.bit = int16(bit)
	}
	var wants []want
	for _, n := range nodes {
		d.grow(n.node, 1)
		e.unnamed = e.unnamed || n.node.isClosed && n.node.byName[name] == nil
		if nodes := d.schemasOf(n.node, name); nodes != nil {
			wants = append(wants, want{nodes, n.cell, none, none})
		}
	}
	e.link = d.link(merge(wants))
	return e
}

// merge merges the adjacent wants of each cell.
func merge(wants []want) []want {
	var merged []want
	for _, w := range wants {
		if last := len(merged) - 1; last >= 0 && merged[last].cell == w.cell {
			merged[last].nodes = append(merged[last].nodes[:len(merged[last].nodes):len(merged[last].nodes)], w.nodes...)
			continue
		}
		merged = append(merged, w)
	}
	return merged
}

// schemasOf returns the schemas for a member.
func (d *draft) schemasOf(n *node, name string) []*node {
	var nodes []*node
	if schema := n.byName[name]; schema != nil {
		nodes = append(nodes, schema)
	}
	for _, p := range n.patterns {
		matched, ok := p.pattern.match([]byte(name))
		if !ok {
			d.uncovered("patternProperties", n.value, "no regular expression")
		}
		if matched {
			nodes = append(nodes, p.node)
		}
	}
	if nodes == nil {
		return n.additional
	}
	return nodes
}

// others returns the link for members without an entry.
func (d *draft) others(nodes []liveNode) *link {
	var always, sometimes []want
	for _, n := range nodes {
		if n.node.patterns == nil {
			if n.node.additional != nil {
				always = append(always, want{n.node.additional, n.cell, none, none})
			}
			continue
		}
		rest := noMatch{}
		for _, p := range n.node.patterns {
			bit := d.testOf(n.node, p.pattern)
			rest.bits |= 1 << bit
			sometimes = append(sometimes, want{[]*node{p.node}, n.cell, none, int(bit)})
		}
		if n.node.additional != nil {
			rest.bit = d.condition(n.node)
			d.state.noMatch = append(d.state.noMatch, rest)
			sometimes = append(sometimes, want{n.node.additional, n.cell, none, int(rest.bit)})
		}
	}
	return d.link(append(merge(always), sometimes...))
}

// testOf returns the bit for names that match a pattern.
func (d *draft) testOf(n *node, p *pattern) int8 {
	for _, test := range d.state.patterns {
		if test.pattern == p {
			return test.bit
		}
	}
	bit := d.condition(n)
	d.state.patterns = append(d.state.patterns, patternTest{p, bit})
	return bit
}

// condition returns the bit for a condition on names.
func (d *draft) condition(n *node) int8 {
	bit := len(d.state.patterns) + len(d.state.noMatch)
	if bit >= 64 {
		d.uncovered("patternProperties", n.value, "more than 64 conditions for one name")
		return 0
	}
	return int8(bit)
}

// elements builds the state's links for the elements of an array.
func (d *draft) elements() {
	s := d.state
	s.counters = len(d.contains)
	prefix := 0
	nodes := d.liveNodes(arrayKind)
	for _, n := range nodes {
		prefix = max(prefix, len(n.node.prefix))
	}
	for i := range prefix + 1 {
		var wants []want
		for _, n := range nodes {
			d.grow(n.node, 1)
			switch {
			case i < len(n.node.prefix):
				wants = append(wants, want{n.node.prefix[i : i+1], n.cell, none, none})
			case n.node.items != nil:
				wants = append(wants, want{n.node.items, n.cell, none, none})
			}
		}
		wants = merge(wants)
		for counter, schema := range d.contains {
			wants = append(wants, want{[]*node{schema}, none, counter, none})
		}
		s.elements = append(s.elements, d.link(wants))
	}
}

// judge marks the programs without rules as leaves.
func (d *draft) judge() {
	s := d.state
	inside := [kinds]bool{
		objectKind: len(s.entries) > 0 || s.rest != nil || s.nameLink != nil || s.isClosed,
	}
	for _, l := range s.elements {
		inside[arrayKind] = inside[arrayKind] || l != nil
	}
	for kind := range s.programs {
		p := &s.programs[kind]
		p.isLeaf = len(p.ops) == 0 && !inside[kind]
	}
}
