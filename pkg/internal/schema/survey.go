package schema

// survey parses all schemas reachable from schema, and rejects references that form a loop without
// descending into the document. It reports whether there is a dynamic reference.
func (c *compiler) survey(schema *node) (dynamic bool) {
	todo := []*node{schema}
	var all, references []*node
	for len(todo) > 0 && c.err == nil {
		for len(todo) > 0 && c.err == nil {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if n.surveyed {
				continue
			}
			n.surveyed = true
			all = append(all, n)
			c.parse(n)
			if n.dynamic != nil {
				references = append(references, n)
			}
			todo = append(append(todo, n.inPlace...), n.inside...)
		}
		for _, n := range references {
			for _, other := range c.candidates(n) {
				if !other.surveyed {
					todo = append(todo, other)
				}
			}
		}
	}
	for _, n := range references {
		n.inPlace = append(n.inPlace, c.candidates(n)...)
	}
	for _, n := range all {
		c.measureHeight(n)
	}
	return len(references) > 0
}

// candidates returns the possible targets of a dynamic reference.
func (c *compiler) candidates(n *node) []*node {
	var list []*node
	for _, d := range c.documents {
		for name, schema := range d.dynamic {
			if name.name == n.dynamic.name {
				list = append(list, c.nodeIn(d, schema))
			}
		}
	}
	return list
}

// measureHeight sets the nesting depth of the schemas in place.
func (c *compiler) measureHeight(n *node) {
	switch {
	case c.err != nil || n.height > 0:
		return
	case n.busy:
		c.reject("$ref", n.value, "leads to itself: an infinite loop")
		return
	}
	n.busy = true
	height := 1
	for _, other := range n.inPlace {
		c.measureHeight(other)
		height = max(height, 1+other.height)
	}
	n.busy, n.height = false, height
	if n.height > maxBits {
		c.tooMany(n)
	}
}
