// Package vectorstest writes the files of the conformance suite that are made from other files.
package vectorstest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/vectors"
)

// License is the licence of the cases.
const License = "CC0-1.0"

// A Base is a document that cases change.
type Base struct{ Name, Text string }

// Write returns the text of a file: each member of a case on its own line. Documents are written as JSON, except
// signed ones.
func Write(g vectors.Group, bases ...Base) ([]byte, error) {
	out := fmt.Appendf(nil, "{\n  \"$schema\": %q,\n  \"license\": %q,\n  \"group\": %q,\n  \"title\": %q,\n", vectors.Schema, License, g.Name, g.Title)
	for i, b := range bases {
		opening := map[bool]string{true: "  \"bases\": {\n", false: ",\n"}[i == 0]
		out = fmt.Appendf(out, "%s    %q: %s", opening, b.Name, b.Text)
		if i == len(bases)-1 {
			out = append(out, "\n  },\n"...)
		}
	}
	out = append(out, "  \"cases\": [\n"...)
	for i, c := range g.Cases {
		if i > 0 {
			out = append(out, ",\n"...)
		}
		options := json.JoinOptions(
			jsontext.PreserveRawStrings(true), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true), json.Deterministic(true))
		if c.Operation != vectors.Sign && c.Operation != vectors.Verify {
			options = json.JoinOptions(options, asDocuments)
		}
		text, err := json.Marshal(c, options)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
		if out, err = appendCase(out, text); err != nil {
			return nil, err
		}
	}
	return append(out, "\n  ]\n}\n"...), nil
}

var asDocuments = json.WithMarshalers(json.MarshalFunc(func(t vectors.Text) ([]byte, error) {
	if value := jsontext.Value(t); strings.ContainsAny(string(t[:1]), "{[") && value.IsValid() {
		return value, nil
	}
	return jsontext.AppendQuote(nil, string(t))
}))

// appendCase appends an object whose members are on lines of their own.
func appendCase(out, text []byte) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	separator := "    {\n      "
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, separator...), name...), ": "...)
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		out, separator = append(out, value...), ",\n      "
	}
	return append(out, "\n    }"...), nil
}
