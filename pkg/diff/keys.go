package diff

import (
	"encoding/binary"
	"slices"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// keys are the remaining tokens of [Key]s at one place of a document, on a walk from the root down.
type keys []struct {
	arrays jsonstream.PatternSet
	key
}

// A key is the members that identify an element, and their other spellings.
type key struct {
	members []string
	other   []string // nil, or an alias for each of members
}

func named(members ...string) key { return key{members: members} }

// keysOf returns the given keys and the keys of the common format of both documents.
func keysOf(a, b jsonstream.Value, o Options) keys {
	var list keys
	for _, k := range o.Keys {
		list = append(list, keys{{jsonstream.NewPatternSet(k.Array), named(k.Members...)}}...)
	}
	for _, k := range formats.Named(formatOf(a, b, o.Format)).Keys {
		list = append(list, keys{{k.Arrays, key{k.Members, k.Aliases}}}...)
	}
	return list
}

// formatOf returns the common format of both documents: the given one, or else the detected
// one; "" if there is none. Turns that fit several formats get the format of the other message.
func formatOf(a, b jsonstream.Value, given format.Format) format.Format {
	if given != "" {
		return given
	}
	f, _ := formats.Detect(a)
	other, _ := formats.Detect(b)
	switch {
	case f == other:
		return f
	case f == "" || other == "":
		return ""
	case slices.Contains(formats.Examine(b).Also, f):
		return f
	case slices.Contains(formats.Examine(a).Also, other):
		return other
	}
	return ""
}

// below returns the keys one token further down.
func (k keys) below(token string) keys {
	var rest keys
	for _, key := range k {
		if key.arrays = key.arrays.Step(token); len(key.arrays) > 0 {
			rest = append(rest, key)
		}
	}
	return rest
}

// here returns the keys that apply to this array.
func (k keys) here() []key {
	var list []key
	for _, key := range k {
		if key.arrays.Match() {
			list = append(list, key.key)
		}
	}
	return list
}

// identity returns a text that elements share if they have the same values of the same key: the
// first key whose members all exist and are compared. It is "" if there is none.
func identity(element equal.Child, keys []key) string {
	if element.Value.Kind() != jsonstream.Object {
		return ""
	}
	for i, key := range keys {
		text := binary.AppendUvarint(nil, uint64(i))
		ok := len(key.members) > 0
		for j, name := range key.members {
			if key.other != nil && !element.Value.Get(name).Exists() {
				name = key.other[j]
			}
			below, counts := element.Relation.Below(name)
			part := scalar(element.Value.Get(name), element.Relation.Exact)
			ok = ok && part != nil && counts && below.Mask.Open()
			text = append(binary.AppendUvarint(text, uint64(len(part))), part...)
		}
		if ok {
			return string(text)
		}
	}
	return ""
}

// scalar returns a text shared by equal scalars, and nil for anything else.
func scalar(v jsonstream.Value, exact bool) []byte {
	switch kind := v.Kind(); kind {
	case jsonstream.Absent, jsonstream.Array, jsonstream.Object:
		return nil
	case jsonstream.String:
		return append([]byte{byte(kind)}, v.Text()...)
	case jsonstream.Number:
		if exact {
			return append([]byte{byte(kind)}, v.Raw()...)
		}
		return jsonstream.AppendNormal([]byte{byte(kind)}, v.Raw())
	default:
		return []byte{byte(kind)}
	}
}
