// Package yamldoc reads the documents in which people write settings, receiver profiles
// and rules: YAML, or JSON.
//
// Reading takes time and memory in proportion to the size of the text, whoever wrote it: a
// text of more than [MaxBytes], or one whose YAML has more than [MaxNodes] nodes with its
// aliases expanded or more than [MaxKeys] keys in one mapping, or one that comes to more than
// [MaxTranslated] bytes of JSON, is rejected.
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
	// MaxTranslated is how many bytes of JSON YAML may come to: without aliases, no text
	// within the other limits comes to more.
	MaxTranslated = 8 << 20
)

// Parse reads a document as JSON. Text that is strict JSON is taken as it is, with the
// places of its values; YAML is translated, and places then count in the translation:
// [ParsePlaced] knows those in the text. The error is a [*jsonstream.SyntaxError] for text
// that begins like JSON and is not YAML either; any other says what is wrong, with the line
// where it is known.
func Parse(text []byte) (*jsonstream.Document, error) {
	placed, err := ParsePlaced(text)
	if err != nil {
		return nil, err
	}
	return placed.Document, nil
}

// Decode reads a YAML document, of which JSON is a part, as a Go value: nil, bool, int,
// float64, string, time.Time, []any or map[string]any of these. The error says
// what is wrong, with the line where it is known.
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

// load returns the nodes of a YAML document within the limits, nil for one that is empty.
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

// check visits a node and all that it holds, aliases expanded, and takes each from the
// nodes that are left. An alias within what it refers to uses them up.
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
			return fmt.Errorf("not YAML that JSON can hold: line %d: a key that is no text: write it in quotes", inner.Line)
		}
		if err := check(inner, left); err != nil {
			return err
		}
	}
	return nil
}

// isName reports whether a key is one of a JSON object, or says that others are merged.
func isName(key *yaml.Node) bool {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	tag := key.ShortTag()
	return key.Kind == yaml.ScalarNode && (tag == "!!str" || tag == "!!merge")
}
