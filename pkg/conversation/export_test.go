package conversation

import "iter"

// MemberNamed returns the row of a member of a part without a type, nil if there is none.
func MemberNamed(name string) *Type { return row(members, name) }

// AllTypes yields the rows of the types, and then the rows of the members.
func AllTypes() iter.Seq[Type] {
	return func(yield func(Type) bool) {
		for _, list := range [][]Type{types, members} {
			for _, t := range list {
				if !yield(t) {
					return
				}
			}
		}
	}
}
