package ecmascript

import "slices"

// A program is a backtracking program: an instruction either continues or fails, and then the run
// returns to the latest choice.
type program struct {
	insts []inst
	slots int // of a run: starts and ends of groups, counts and start positions of repeats
}

type opcode byte

const (
	opChar      opcode = iota // read a character of set
	opSpan                    // read many characters and choose their number
	opJump                    // go to x
	opChoice                  // continue, or else go to x
	opSave                    // store the position in slot x
	opCount                   // set slot x to 0
	opRepeat                  // repeat once more, or go to x
	opBegin                   // begin a repetition
	opEnd                     // end a repetition
	opAssert                  // continue if the assertion holds
	opLook                    // continue at x if the instructions up to opDone match or, if negative, fail
	opReference               // read the text between slots x and x+1 again
	opDone
)

type inst struct {
	op       opcode
	behind   bool // reads backwards
	negative bool // of opLook
	anyCase  bool // of opReference
	x        int
	set      set     // of opChar and opSpan
	repeat   *repeat // of opSpan, opRepeat, opBegin and opEnd
	slot     int     // of opRepeat, opBegin and opEnd: the count, followed by the position
	clear    []int   // of opBegin: the slots of groups in the body
	assert   assertion
}

// A compiler compiles a tree to a program.
type compiler struct {
	program
	behind bool
	slotOf map[int]int // of referenced groups
}

func newProgram(t *tree) *program {
	c := &compiler{slotOf: map[int]int{}}
	c.find(t.root)
	c.write(t.root)
	c.add(inst{op: opDone})
	return &c.program
}

// find allocates slots for referenced groups.
func (c *compiler) find(n node) {
	switch n := n.(type) {
	case sequence:
		for _, part := range n {
			c.find(part)
		}
	case alternatives:
		for _, part := range n {
			c.find(part)
		}
	case group:
		c.find(n.body)
	case repeat:
		c.find(n.body)
	case look:
		c.find(n.body)
	case *reference:
		if _, ok := c.slotOf[n.number]; !ok {
			c.slotOf[n.number] = c.newSlots()
		}
	}
}

// newSlots allocates two slots and returns the first.
func (c *compiler) newSlots() int {
	c.slots += 2
	return c.slots - 2
}

// add appends an instruction and returns its index.
func (c *compiler) add(i inst) int {
	i.behind = c.behind
	c.insts = append(c.insts, i)
	return len(c.insts) - 1
}

func (c *compiler) write(n node) {
	switch n := n.(type) {
	case sequence:
		if c.behind {
			n = slices.Clone(n)
			slices.Reverse(n)
		}
		for _, part := range n {
			c.write(part)
		}
	case alternatives:
		c.alternatives(n)
	case chars:
		c.add(inst{op: opChar, set: n.set})
	case group:
		c.group(n)
	case repeat:
		c.repeat(&n)
	case look:
		outer := c.behind
		place := c.add(inst{op: opLook, negative: n.negative})
		c.behind = n.behind
		c.write(n.body)
		c.add(inst{op: opDone})
		c.behind = outer
		c.insts[place].x = len(c.insts)
	case *reference:
		c.add(inst{op: opReference, x: c.slotOf[n.number], anyCase: n.anyCase})
	case assertion:
		c.add(inst{op: opAssert, assert: n})
	}
}

func (c *compiler) alternatives(list alternatives) {
	var ends []int
	for i, part := range list {
		if i == len(list)-1 {
			c.write(part)
			break
		}
		choice := c.add(inst{op: opChoice})
		c.write(part)
		ends = append(ends, c.add(inst{op: opJump}))
		c.insts[choice].x = len(c.insts)
	}
	for _, end := range ends {
		c.insts[end].x = len(c.insts)
	}
}

func (c *compiler) group(g group) {
	slot, named := c.slotOf[g.number]
	if !named {
		c.write(g.body)
		return
	}
	first, last := slot, slot+1
	if c.behind {
		first, last = last, first
	}
	c.add(inst{op: opSave, x: first})
	c.write(g.body)
	c.add(inst{op: opSave, x: last})
}

func (c *compiler) repeat(n *repeat) {
	if body, ok := n.body.(chars); ok && !n.lazy {
		c.add(inst{op: opSpan, set: body.set, repeat: n})
		return
	}
	slot := c.newSlots()
	var captured []int
	for number, first := range c.slotOf {
		if n.first <= number && number < n.end {
			captured = append(captured, first, first+1)
		}
	}
	c.add(inst{op: opCount, x: slot})
	start := c.add(inst{op: opRepeat, repeat: n, slot: slot})
	c.add(inst{op: opBegin, slot: slot, clear: captured})
	c.write(n.body)
	c.add(inst{op: opEnd, repeat: n, slot: slot, x: start})
	c.insts[start].x = len(c.insts)
}
