package jsonstream

import "slices"

// maxParts is the maximum number of elements or parts of one list.
const maxParts = 64

// A list is the elements of an array: a tree of short slices, in which finding, inserting and removing an
// element takes logarithmic time. Lists that become short are not joined, which never makes the tree
// higher.
type list struct {
	count    int
	elements []Draft // of a list without parts
	parts    []*list // none is empty
}

// newList returns a list that takes over the elements.
func newList(elements []Draft) *list {
	level := []*list{}
	for chunk := range slices.Chunk(elements, maxParts/2) {
		level = append(level, &list{count: len(chunk), elements: chunk})
	}
	for len(level) > maxParts {
		var above []*list
		for chunk := range slices.Chunk(level, maxParts/2) {
			above = append(above, newParts(chunk))
		}
		level = above
	}
	return newParts(level)
}

func newParts(parts []*list) *list {
	l := &list{parts: parts}
	for _, p := range parts {
		l.count += p.count
	}
	return l
}

// at returns a pointer to an element, valid until the list changes.
func (l *list) at(i int) *Draft {
	for len(l.parts) > 0 {
		var part int
		part, i = l.find(i)
		l = l.parts[part]
	}
	return &l.elements[i]
}

// find returns the part with an element, and the element's index in it.
func (l *list) find(i int) (part, inner int) {
	for part < len(l.parts)-1 && i >= l.parts[part].count {
		i -= l.parts[part].count
		part++
	}
	return part, i
}

// insert inserts an element before the element at i, or at the end.
func (l *list) insert(i int, d Draft) {
	if right := l.insertBelow(i, d); right != nil {
		left := *l
		*l = *newParts([]*list{&left, right})
	}
}

// insertBelow is like insert, but a list that becomes too long returns its second half, which the caller
// inserts after it.
func (l *list) insertBelow(i int, d Draft) (right *list) {
	l.count++
	if len(l.parts) == 0 {
		l.elements = slices.Insert(l.elements, i, d)
		if len(l.elements) > maxParts {
			right = &list{elements: half(&l.elements)}
			right.count = len(right.elements)
		}
	} else {
		part, inner := l.find(i)
		if next := l.parts[part].insertBelow(inner, d); next != nil {
			l.parts = slices.Insert(l.parts, part+1, next)
		}
		if len(l.parts) > maxParts {
			right = newParts(half(&l.parts))
		}
	}
	if right != nil {
		l.count -= right.count
	}
	return right
}

// half removes the second half of a slice and returns it.
func half[T any](s *[]T) []T {
	middle := len(*s) / 2
	second := slices.Clone((*s)[middle:])
	*s = slices.Clone((*s)[:middle])
	return second
}

// remove removes an element.
func (l *list) remove(i int) {
	l.count--
	if len(l.parts) == 0 {
		l.elements = slices.Delete(l.elements, i, i+1)
		return
	}
	part, inner := l.find(i)
	l.parts[part].remove(inner)
	if l.parts[part].count == 0 {
		l.parts = slices.Delete(l.parts, part, part+1)
	}
}

// all yields the elements in order, and reports whether all were consumed.
func (l *list) all(yield func(*Draft) bool) bool {
	for i := range l.elements {
		if !yield(&l.elements[i]) {
			return false
		}
	}
	for _, p := range l.parts {
		if !p.all(yield) {
			return false
		}
	}
	return true
}
