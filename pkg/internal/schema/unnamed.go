package schema

import "github.com/eaapl/handoff/pkg/jsonstream"

// Unnamed calls report for the members found by [Run.Unnamed], with the schema that does not list
// them, until report returns false.
func (p *Program) Unnamed(v jsonstream.Value, report func(member, schema jsonstream.Value) bool) {
	p.schema.unnamed(v, report)
}

func (n *node) unnamed(v jsonstream.Value, report func(member, schema jsonstream.Value) bool) bool {
	for n.reference != nil {
		n = n.reference
	}
	if n.additional != nil {
		return true
	}
	for _, items := range n.items {
		for _, element := range v.Elements() {
			if !items.unnamed(element, report) {
				return false
			}
		}
	}
	if !n.isClosed {
		return true
	}
	for name, member := range v.Members() {
		named := n.byName[name]
		if named == nil && !report(member, n.value) || named != nil && !named.unnamed(member, report) {
			return false
		}
	}
	return true
}
