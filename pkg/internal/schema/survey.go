package schema

// survey reads all schemas that one leads to, and looks for those that lead back to
// themselves without a step into the document.
func (c *compiler) survey(schema *node) {
	todo := []*node{schema}
	for len(todo) > 0 && c.err == nil {
		n := todo[len(todo)-1]
		todo = c.enter(n, todo[:len(todo)-1])
	}
}

// enter surveys a schema with all that apply in its place, and appends those that apply
// to what a value holds.
func (c *compiler) enter(n *node, todo []*node) []*node {
	switch {
	case c.err != nil || n.surveyed:
		return todo
	case n.busy:
		c.uncovered("$ref", n.value, "leads to itself")
		return todo
	}
	c.parse(n)
	n.busy = true
	for _, other := range n.inPlace {
		todo = c.enter(other, todo)
		n.height = max(n.height, 1+other.height)
	}
	n.busy, n.surveyed = false, true
	if n.height > maxBits {
		c.tooMany(n)
	}
	return append(todo, n.inside...)
}
