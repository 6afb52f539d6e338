// Package yamldoc reads documents that people write, such as settings, receiver profiles and rules, in YAML
// or JSON.
//
// Reading takes time and memory proportional to the size of the text, even if it is malicious. It rejects a
// text of more than [MaxBytes], YAML with more than [MaxNodes] nodes after expanding aliases or more than
// [MaxKeys] keys in one mapping, and YAML of more than [MaxTranslated] bytes as JSON.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The limits of a document.
const (
	MaxBytes = 1 << 20 // of text
	MaxNodes = 100_000 // of YAML: mappings, sequences, keys and scalars
	MaxKeys  = 1_000   // of one YAML mapping: the library compares each with all others
	// MaxTranslated is the maximum size of YAML as JSON, in bytes. Without aliases, no text within the other
	// limits exceeds it.
	MaxTranslated = 8 << 20
)

// Parse reads a document as JSON. Strict JSON is parsed directly, with the places of its values; YAML is
// translated, and places are in the translation: [ParsePlaced] returns places in the text. The error is a
// [*jsonstream.SyntaxError] for text that begins like JSON and is not YAML either; any other error has the
// line if it is known.
func Parse(text []byte) (*jsonstream.Document, error) {
	placed, err := ParsePlaced(text)
	if err != nil {
		return nil, err
	}
	return placed.Document, nil
}

// Decode reads a YAML document, which may be JSON, as a Go value: nil, bool, int, float64, string, time.Time,
// []any or map[string]any of these. The error has the line if it is known.
func Decode(text []byte) (any, error) {
	node, err := load(text)
	if err != nil || node == nil {
		return nil, err
	}
	var v any
	if err := node.Decode(&v); err != nil {
		return nil, notYAML(err)
	}
	return v, nil
}

// load returns the nodes of a YAML document within the limits, nil if it is empty.
func load(text []byte) (*yaml.Node, error) {
	if len(text) > MaxBytes {
		return nil, errTooLong
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var node yaml.Node
	err := decoder.Decode(&node)
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, notYAML(err)
	}
	if err := decoder.Decode(new(yaml.Node)); err != io.EOF {
		return nil, errors.New("not one YAML document: another one begins after it")
	}
	nodes := MaxNodes
	if err := check(&node, &nodes); err != nil {
		return nil, err
	}
	return &node, nil
}

var errTooLong = fmt.Errorf("longer than %d bytes", MaxBytes)

func notYAML(err error) error {
	return fmt.Errorf("not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
}

// check visits a node and its descendants, with aliases expanded, and subtracts each from the remaining
// nodes. A recursive alias uses them up.
func check(n *yaml.Node, left *int) error {
	if *left--; *left < 0 {
		return fmt.Errorf("line %d: more than %d values, with aliases expanded", n.Line, MaxNodes)
	}
	if n.Kind == yaml.MappingNode && len(n.Content) > 2*MaxKeys {
		return fmt.Errorf("line %d: a mapping of more than %d keys", n.Line, MaxKeys)
	}
	if n.Kind == yaml.AliasNode {
		return check(n.Alias, left)
	}
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && !isName(inner) {
			return fmt.Errorf("not YAML that JSON can represent: line %d: a key is not a string: write it in quotes", inner.Line)
		}
		if err := check(inner, left); err != nil {
			return err
		}
	}
	return nil
}

// isName reports whether a key can be a JSON name or is the merge key.
func isName(key *yaml.Node) bool {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	tag := key.ShortTag()
	return key.Kind == yaml.ScalarNode && (tag == "!!str" || tag == "!!merge")
}
