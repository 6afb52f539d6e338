package patch

import "slices"

// mostParts is how many elements or parts a list holds side by side.
const mostParts = 64

// A list is the elements of an array: a tree of short slices, so that elements are
// found, inserted and removed in logarithmic time. Lists that are left short by
// removals are not joined: the tree is never higher for it.
type list struct {
	count    int
	elements []node  // of a list without parts
	parts    []*list // none is empty
}

// newList returns a list that takes over the elements.
func newList(elements []node) *list {
	var level []*list
	for chunk := range slices.Chunk(elements, mostParts/2) {
		level = append(level, &list{count: len(chunk), elements: chunk})
	}
	for len(level) > 1 {
		var above []*list
		for chunk := range slices.Chunk(level, mostParts/2) {
			above = append(above, newParts(chunk))
		}
		level = above
	}
	if len(level) == 0 {
		return &list{}
	}
	return level[0]
}

func newParts(parts []*list) *list {
	l := &list{parts: parts}
	for _, p := range parts {
		l.count += p.count
	}
	return l
}

// at returns the place of an element, for as long as the list stays as it is.
func (l *list) at(i int) *node {
	for len(l.parts) > 0 {
		var p int
		p, i = l.find(i)
		l = l.parts[p]
	}
	return &l.elements[i]
}

// find returns the part that holds an element, and its index there.
func (l *list) find(i int) (part, inner int) {
	for part < len(l.parts)-1 && i >= l.parts[part].count {
		i -= l.parts[part].count
		part++
	}
	return part, i
}

// insert puts an element before that at i, or at the end.
func (l *list) insert(i int, n node) {
	if right := l.insertBelow(i, n); right != nil {
		left := *l
		*l = *newParts([]*list{&left, right})
	}
}

// insertBelow is insert, but for what has to stand behind the list as it became
// too long.
func (l *list) insertBelow(i int, n node) (right *list) {
	l.count++
	if len(l.parts) == 0 {
		l.elements = slices.Insert(l.elements, i, n)
		if half := len(l.elements) / 2; len(l.elements) > mostParts {
			right = &list{count: len(l.elements) - half, elements: slices.Clone(l.elements[half:])}
			l.elements = slices.Clone(l.elements[:half])
		}
	} else {
		part, inner := l.find(i)
		behind := l.parts[part].insertBelow(inner, n)
		if behind == nil {
			return nil
		}
		l.parts = slices.Insert(l.parts, part+1, behind)
		if half := len(l.parts) / 2; len(l.parts) > mostParts {
			right = newParts(slices.Clone(l.parts[half:]))
			l.parts = slices.Clone(l.parts[:half])
		}
	}
	if right != nil {
		l.count -= right.count
	}
	return right
}

// remove takes out an element and returns it.
func (l *list) remove(i int) node {
	l.count--
	if len(l.parts) == 0 {
		n := l.elements[i]
		l.elements = slices.Delete(l.elements, i, i+1)
		return n
	}
	part, inner := l.find(i)
	n := l.parts[part].remove(inner)
	if l.parts[part].count == 0 {
		l.parts = slices.Delete(l.parts, part, part+1)
	}
	return n
}

// all yields the elements in order.
func (l *list) all(yield func(*node) bool) { l.each(yield) }

func (l *list) each(yield func(*node) bool) bool {
	for i := range l.elements {
		if !yield(&l.elements[i]) {
			return false
		}
	}
	for _, p := range l.parts {
		if !p.each(yield) {
			return false
		}
	}
	return true
}
