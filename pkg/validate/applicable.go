package validate

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// mostReferences is how many schemas one may stand for another through.
const mostReferences = 32

// applicable appends the schemas that apply to v where s does: s and those that it
// refers to, among alternatives the one for v. It returns false if that cannot be told,
// or if one of them looks at what v holds as a whole.
func applicable(list []*jsonschema.Schema, s *jsonschema.Schema, v jsonstream.Value, depth int) ([]*jsonschema.Schema, bool) {
	if depth == mostReferences || s.DynamicRef != nil || s.RecursiveRef != nil || s.Constant != nil || s.Enum != nil ||
		s.PatternProperties != nil || s.Dependencies != nil || s.DependentSchemas != nil || s.UnevaluatedProperties != nil ||
		s.Items != nil || s.PrefixItems != nil || s.Contains != nil || s.UnevaluatedItems != nil ||
		s.Not != nil && !ofPresence(s.Not) {
		return nil, false
	}
	list, ok := append(list, s), true
	add := func(further *jsonschema.Schema) {
		if ok && further != nil {
			list, ok = applicable(list, further, v, depth+1)
		}
	}
	add(s.Ref)
	for _, all := range s.AllOf {
		add(all)
	}
	for _, branches := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if slices.ContainsFunc(branches, func(b *jsonschema.Schema) bool { return !ofPresence(b) }) {
			branch := branchFor(branches, v.Kind())
			ok = ok && branch != nil
			add(branch)
		}
	}
	if s.If != nil {
		met, known := holds(s.If, v)
		ok = ok && known
		if met {
			add(s.Then)
		} else {
			add(s.Else)
		}
	}
	if !ok {
		return nil, false
	}
	return list, true
}

// ofPresence reports whether all that s says is which members must be there.
func ofPresence(s *jsonschema.Schema) bool {
	return s.Required != nil && isPlain(s) && s.Types == nil && s.MinItems < 0 && s.Enum == nil && s.Properties == nil && s.AnyOf == nil && s.AllOf == nil
}

// isPlain reports whether s has none of the keywords that [holds] does not know.
func isPlain(s *jsonschema.Schema) bool {
	return s.Always == nil && s.Ref == nil && s.RecursiveRef == nil && s.DynamicRef == nil && s.Not == nil && s.OneOf == nil && s.If == nil &&
		s.MinProperties < 0 && s.MaxProperties < 0 && s.PropertyNames == nil && s.PatternProperties == nil &&
		s.AdditionalProperties == nil && s.Dependencies == nil && s.DependentRequired == nil && s.DependentSchemas == nil && s.UnevaluatedProperties == nil &&
		s.Items == nil && s.Items2020 == nil && s.PrefixItems == nil && s.Contains == nil && s.MaxItems < 0 && !s.UniqueItems && s.UnevaluatedItems == nil &&
		s.MinLength < 0 && s.MaxLength < 0 && s.Pattern == nil && s.Format == "" && s.ContentEncoding == "" && s.ContentMediaType == "" &&
		s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil && s.MultipleOf == nil && s.Extensions == nil
}

// holds tells whether v keeps a schema that asks for members, for their types and for
// texts in them; ok is false if the schema asks for more.
func holds(s *jsonschema.Schema, v jsonstream.Value) (kept, ok bool) {
	if !isPlain(s) || slices.ContainsFunc(s.Enum, isNoText) || slices.Contains(s.Types, "integer") || len(s.Constant) > 1 {
		return false, false
	}
	kept = (s.Types == nil || slices.Contains(s.Types, v.Kind().String())) &&
		(v.Kind() != jsonstream.Array || v.Len() >= s.MinItems)
	if s.Constant != nil {
		text, isText := s.Constant[0].(string)
		if !isText {
			return false, false
		}
		kept = kept && v.Kind() == jsonstream.String && v.Text() == text
	}
	if s.Enum != nil {
		kept = kept && v.Kind() == jsonstream.String && slices.Contains(s.Enum, any(v.Text()))
	}
	for _, name := range s.Required {
		kept = kept && (v.Kind() != jsonstream.Object || v.Get(name).Exists())
	}
	for name, property := range s.Properties {
		member := v.Get(name)
		met, ok := holds(property, member)
		if !ok {
			return false, false
		}
		kept = kept && (met || !member.Exists())
	}
	for _, all := range s.AllOf {
		met, ok := holds(all, v)
		if !ok {
			return false, false
		}
		kept = kept && met
	}
	if s.AnyOf == nil {
		return kept, true
	}
	some := false
	for _, branch := range s.AnyOf {
		met, ok := holds(branch, v)
		if !ok {
			return false, false
		}
		some = some || met
	}
	return kept && some, true
}

func isNoText(value any) bool {
	_, isText := value.(string)
	return !isText
}

// branchFor returns the only one of some schemas that takes values of a kind, nil if
// that cannot be told.
func branchFor(branches []*jsonschema.Schema, kind jsonstream.Kind) *jsonschema.Schema {
	var only *jsonschema.Schema
	for _, branch := range branches {
		types := typesOf(branch)
		if types != nil && !slices.Contains(types, kind.String()) {
			continue
		}
		if only != nil {
			return nil
		}
		only = branch
	}
	return only
}

// typesOf returns the types that a schema, or the one that it refers to, allows; nil
// if it does not say.
func typesOf(s *jsonschema.Schema) []string {
	for range mostReferences {
		if s.Types != nil || s.Ref == nil {
			break
		}
		s = s.Ref
	}
	return s.Types
}

// ofChildren reports whether a schema may say something about what a value holds.
func ofChildren(s *jsonschema.Schema) bool {
	return !isPlain(s) || s.Enum != nil || s.Properties != nil || s.AllOf != nil || s.AnyOf != nil
}
