package yamldoc

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A translation converts YAML to JSON.
type translation struct {
	json   []byte
	places []place
}

// errTooMuch reports a short text that becomes too long because of its aliases.
var errTooMuch = fmt.Errorf("more than %d bytes, with aliases expanded", MaxTranslated)

// add adds a node: null for nil, the node of an empty document.
func (t *translation) add(n *yaml.Node) error {
	if n == nil {
		t.mark(&yaml.Node{Line: 1, Column: 1})
		t.json = append(t.json, "null"...)
		return nil
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return t.add(n.Content[0])
	case yaml.AliasNode:
		t.mark(n)
		return t.addUnmarked(n.Alias)
	default:
		t.mark(n)
		return t.addUnmarked(n)
	}
}

// mark records that the translation of a node begins here.
func (t *translation) mark(n *yaml.Node) {
	t.places = append(t.places, place{len(t.json), n.Line, n.Column})
}

func (t *translation) addUnmarked(n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		return t.addMapping(n)
	case yaml.SequenceNode:
		t.json = append(t.json, '[')
		for i, element := range n.Content {
			if i > 0 {
				t.json = append(t.json, ',')
			}
			if err := t.add(element); err != nil {
				return err
			}
		}
		t.json = append(t.json, ']')
		return nil
	default:
		return t.addScalar(n)
	}
}

func (t *translation) addScalar(n *yaml.Node) error {
	var v any
	if err := n.Decode(&v); err != nil {
		return notYAML(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("not YAML that JSON can represent: line %d: %s", n.Line, strings.TrimPrefix(err.Error(), "json: "))
	}
	if t.json = append(t.json, text...); len(t.json) > MaxTranslated {
		return errTooMuch
	}
	return nil
}

// addMapping adds a mapping, including merged mappings.
func (t *translation) addMapping(n *yaml.Node) error {
	var pairs [][2]*yaml.Node
	has := map[string]*yaml.Node{}
	for key, value := range mapped(n) {
		if isMerge(key) {
			continue
		}
		if before := has[name(key)]; before != nil {
			return fmt.Errorf("not YAML: line %d: mapping key %q already defined at line %d", key.Line, name(key), before.Line)
		}
		has[name(key)] = key
		pairs = append(pairs, [2]*yaml.Node{key, value})
	}
	for key, value := range mapped(n) {
		if !isMerge(key) {
			continue
		}
		if err := merge(value, func(key, value *yaml.Node) {
			if has[name(key)] == nil {
				has[name(key)] = key
				pairs = append(pairs, [2]*yaml.Node{key, value})
			}
		}); err != nil {
			return err
		}
	}
	t.json = append(t.json, '{')
	for i, pair := range pairs {
		if i > 0 {
			t.json = append(t.json, ',')
		}
		t.mark(pair[0])
		quoted, err := json.Marshal(name(pair[0]))
		if err != nil {
			return err
		}
		if t.json = append(append(t.json, quoted...), ':'); len(t.json) > MaxTranslated {
			return errTooMuch
		}
		if err := t.add(pair[1]); err != nil {
			return err
		}
	}
	t.json = append(t.json, '}')
	return nil
}

// mapped yields the keys and values of a mapping.
func mapped(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" }

// name returns the text of a key.
func name(key *yaml.Node) string {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	return key.Value
}

// merge calls add for the pairs of a mapping, or of each mapping in a sequence, including the pairs that they
// merge.
func merge(n *yaml.Node, add func(key, value *yaml.Node)) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.MappingNode:
		for key, value := range mapped(n) {
			if !isMerge(key) {
				add(key, value)
			}
		}
		for key, value := range mapped(n) {
			if isMerge(key) {
				if err := merge(value, add); err != nil {
					return err
				}
			}
		}
		return nil
	case yaml.SequenceNode:
		for _, element := range n.Content {
			if element.Kind == yaml.AliasNode {
				element = element.Alias
			}
			if element.Kind != yaml.MappingNode {
				return errMerge(element)
			}
			if err := merge(element, add); err != nil {
				return err
			}
		}
		return nil
	default:
		return errMerge(n)
	}
}

func errMerge(n *yaml.Node) error {
	return fmt.Errorf("not YAML: line %d: a merge key (<<) needs a mapping or a sequence of mappings", n.Line)
}
