package schema

// program builds the program for one kind of value: the cells' rules for it, without those already
// decided.
func (d *draft) program(kind int) {
	p := &d.state.programs[kind]
	var open set // cells that may fail
	for _, index := range d.order {
		ops, mayHold := d.rules(kind, d.cells[index])
		for _, o := range d.cells[index].rules {
			if !mayHold {
				break
			}
			var keep bool
			if o, keep, mayHold = fold(o, kind, &p.failed, &open); keep {
				ops = append(ops, o)
			}
		}
		if !mayHold {
			p.failed.add(index)
			continue
		}
		if len(ops) > 0 || d.looksInside(kind, d.cells[index]) {
			open.add(index)
		}
		for _, o := range ops {
			o.cell = uint8(index)
			p.ops = append(p.ops, o)
		}
	}
	d.prune(kind, p)
}

// rules returns the rules of a cell for values of a kind, except those about other cells; mayHold
// is false if the cell always fails for them.
func (d *draft) rules(kind int, c *cell) (ops []op, mayHold bool) {
	for _, n := range c.nodes {
		if n.types&typesOfKind[kind] == 0 {
			return nil, false
		}
		if kind == numberKind && n.types&isFraction == 0 {
			ops = append(ops, op{code: opInteger})
		}
		for _, v := range n.values {
			switch {
			case v.literals&typesOfKind[kind] != 0:
			case kind == stringKind && v.texts != nil:
				ops = append(ops, op{code: opTexts, values: v})
			case kind == numberKind && v.numbers != nil:
				ops = append(ops, op{code: opNumbers, values: v})
			default:
				return nil, false
			}
		}
		switch kind {
		case stringKind:
			ops = n.appendTextRules(ops)
		case numberKind:
			ops = n.appendNumberRules(ops)
		case objectKind:
			ops = d.appendObjectRules(ops, n)
		case arrayKind:
			ops = d.appendArrayRules(ops, n)
		}
	}
	return ops, true
}

var typesOfKind = [kinds]types{
	nullKind: isNull, falseKind: isFalse, trueKind: isTrue, stringKind: isString,
	numberKind: isNumber, objectKind: isObject, arrayKind: isArray,
}

func (n *node) appendTextRules(ops []op) []op {
	if l := n.characters; l != nil {
		ops = append(ops, op{code: opCharacters, limits: *l})
	}
	if n.pattern != nil {
		ops = append(ops, op{code: opPattern, pattern: n.pattern})
	}
	if n.format != nil {
		ops = append(ops, op{code: opFormat, format: n.format})
	}
	return ops
}

func (n *node) appendNumberRules(ops []op) []op {
	for i := range n.bounds {
		ops = append(ops, op{code: opBound, bound: &n.bounds[i]})
	}
	if n.multiple != nil {
		ops = append(ops, op{code: opMultiple, decimal: n.multiple})
	}
	return ops
}

func (d *draft) appendObjectRules(ops []op, n *node) []op {
	if n.size != nil {
		ops = append(ops, op{code: opCount, limits: *n.size})
	}
	if len(n.required) > 0 {
		ops = append(ops, op{code: opRequired, set: d.bitsOf(n, n.required)})
	}
	for _, dependent := range n.dependents {
		if len(dependent.required) > 0 {
			ops = append(ops, op{code: opDependent, n: d.bit(n, dependent.name), set: d.bitsOf(n, dependent.required)})
		}
	}
	return ops
}

func (d *draft) appendArrayRules(ops []op, n *node) []op {
	if n.length != nil {
		ops = append(ops, op{code: opCount, limits: *n.length})
	}
	for _, schema := range n.contains {
		ops = append(ops, op{code: opContains, n: int32(len(d.contains)), limits: n.matches})
		d.contains = append(d.contains, schema)
	}
	if n.isUnique {
		ops = append(ops, op{code: opUnique})
	}
	for _, name := range n.uniqueKeys {
		ops = append(ops, op{code: opUniqueKey, key: name})
	}
	return ops
}

// looksInside reports whether a cell has rules for the members or elements of a value.
func (d *draft) looksInside(kind int, c *cell) bool {
	for _, n := range c.nodes {
		if kind == objectKind && (n.properties != nil || n.patterns != nil || n.additional != nil || n.nameSchema != nil) ||
			kind == arrayKind && (n.prefix != nil || n.items != nil) {
			return true
		}
	}
	return false
}

// fold simplifies a rule about other cells: failed cells never hold, open cells are undecided, and
// all others always hold. It returns the simplified rule, whether it must be kept, and whether it
// may hold.
func fold(o op, kind int, failed, open *set) (rest op, keep, mayHold bool) {
	holds := func(cell int16) bool { return cell == none || !failed.has(int(cell)) && !open.has(int(cell)) }
	switch o.code {
	case opAny, opOne:
		held, undecided := 0, 0
		for cell := range maxBits {
			switch {
			case !o.set.has(cell):
			case holds(int16(cell)):
				held++
			case open.has(cell):
				undecided++
			}
		}
		if o.code == opAny {
			return o, held == 0, held+undecided > 0
		}
		return o, held < 2 && undecided > 0, held == 1 || held == 0 && undecided > 0
	case opNot:
		return o, open.has(int(o.a)), !holds(o.a)
	case opWith:
		return o, kind == objectKind && !holds(o.a), true
	}
	// opIf
	if open.has(int(o.a)) {
		return o, !holds(o.b) || !holds(o.c), true
	}
	branch := o.b
	if failed.has(int(o.a)) {
		branch = o.c
	}
	switch {
	case holds(branch):
		return o, false, true
	case failed.has(int(branch)):
		return o, false, false
	default:
		rest := op{code: opAny}
		rest.set.add(int(branch))
		return rest, true, true
	}
}

// prune drops the rules of cells that no root depends on.
func (d *draft) prune(kind int, p *program) {
	live := &d.live[kind]
	for i := range d.roots {
		live.add(i)
	}
	for i := len(p.ops) - 1; i >= 0; i-- {
		o := &p.ops[i]
		if !live.has(int(o.cell)) {
			continue
		}
		switch o.code {
		case opAny, opOne:
			live.addAll(o.set)
		case opNot, opWith:
			live.add(int(o.a))
		case opIf:
			for _, cell := range []int16{o.a, o.b, o.c} {
				if cell != none {
					live.add(int(cell))
				}
			}
		}
	}
	ops := p.ops[:0]
	for _, o := range p.ops {
		if live.has(int(o.cell)) {
			ops = append(ops, o)
		}
	}
	p.ops = ops
	for i := range live {
		live[i] &^= p.failed[i]
	}
}
