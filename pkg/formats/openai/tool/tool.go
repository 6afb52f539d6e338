// Package tool makes what the OpenAI Agents SDK shows a model of a handoff: the definition
// of the tool that the model calls to hand over, for the Responses API, and the output of
// the call.
//
// # Strict schemas
//
// The API holds a model to the input schema of a tool only if the schema is
// strict. [Strict] makes one of any schema:
//
//   - every object gets additionalProperties false, and, if it has properties, required with
//     all of them; one that has properties and no type gets the type, and one that
//     has no properties may have no members at all;
//   - oneOf becomes anyOf; where both are there, the schemas of oneOf come last;
//   - an allOf of one schema is merged into the schema around it, a reference in it expanded;
//   - a default of null is dropped;
//   - a $ref with descriptions and the like next to it is replaced by what it refers to; a
//     lone $ref stays.
//
// What annotates two merged schemas, such as their description, is taken from the outer one.
// Nothing that constrains them is ever lost: a $ref next to a keyword that constrains, two
// values of one such keyword that differ, and a reference below or into a nested $id are errors.
//
// What it does not name stays as it is: the order of members, the text of numbers and
// strings. Schemas are converted below properties, items, anyOf, oneOf, allOf,
// $defs and definitions, which are the keywords that the API knows; below others, such as
// prefixItems and not, nothing is changed.
package tool

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// noInput is the input schema of a handoff that takes none.
const noInput = `{"additionalProperties":false,"type":"object","properties":{},"required":[]}`

// An SDK is one of those that OpenAI publishes for agents: they name tools and write outputs
// differently.
type SDK string

// The SDKs.
const (
	Python     SDK = "python"
	JavaScript SDK = "js"
)

// SDKs returns all of them.
func SDKs() []SDK { return []SDK{Python, JavaScript} }

// Options say what differs from the SDK's defaults. The zero value is those.
type Options struct {
	// SDK is whose defaults they are; "" means Python.
	SDK SDK
	// Name of the tool: letters, digits, "_" and "-". If empty, it is [SDK.ToolName].
	Name string
	// Description is what the agent is for; it ends the tool's description.
	Description string
	// WholeDescription is the tool's description, instead of the default one and Description.
	WholeDescription string
	// InputSchema describes what the model passes to the agent. Absent, or an object
	// without members, means nothing.
	InputSchema jsonstream.Value
	// Loose leaves the input schema as it is. The API does not hold the model to it.
	Loose bool
}

// Definition returns the definition of the tool by which a model hands over to an
// agent, as compact JSON: type, name, description, parameters and strict. An error
// in the input schema is a [*SchemaError].
func Definition(agent string, o Options) ([]byte, error) {
	name := o.Name
	if name == "" {
		name = o.SDK.ToolName(agent)
	} else if strings.ContainsFunc(name, func(r rune) bool { return r != '-' && !isNameRune(r) }) {
		return nil, fmt.Errorf("tool name %q: use letters, digits, \"_\" and \"-\" only", name)
	}
	if err := checkAgent(agent); err != nil {
		return nil, err
	}
	dst := []byte(`{"type":"function","name":"` + name + `","description":`)
	dst, err := jsontext.AppendQuote(dst, cmp.Or(o.WholeDescription, defaultDescription(agent, o.Description)))
	if err != nil {
		return nil, errors.New("the agent's description is not valid UTF-8")
	}
	if number := (*jsonstream.NumberError)(nil); errors.As(jsonstream.CheckNumbers(o.InputSchema), &number) {
		return nil, &SchemaError{number.Position, number.Pointer, number.Error()}
	}
	dst = append(dst, `,"parameters":`...)
	switch schema := o.InputSchema; {
	case !schema.Exists() || schema.Kind() == jsonstream.Object && schema.Len() == 0:
		dst = append(dst, noInput...)
	case !o.Loose:
		dst, err = Strict(dst, schema)
	case schema.Kind() != jsonstream.Object:
		err = notASchema(schema)
	default:
		dst = jsonstream.AppendCompact(dst, schema.Raw())
	}
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(dst, `,"strict":%t}`, !o.Loose), nil
}

func checkAgent(name string) error {
	switch {
	case name == "":
		return errors.New("the agent has no name: a handoff needs one")
	case !utf8.ValidString(name):
		return errors.New("the agent's name is not valid UTF-8")
	}
	return nil
}

// Prefix begins the names that the SDKs give the tools of handoffs.
const Prefix = "transfer_to_"

// ToolName returns the name that the SDK gives the tool: transfer_to_NAME, with every character
// outside [A-Za-z0-9_] replaced by one "_", in lower case. That for JavaScript keeps the case, and
// replaces each unit of UTF-16. Agents whose names differ in such characters only get the same name.
func (s SDK) ToolName(agent string) string {
	name := []byte(Prefix)
	for _, r := range agent {
		switch {
		case isNameRune(r):
			name = append(name, byte(r))
		case s == JavaScript && r > 0xffff:
			name = append(name, "__"...)
		default:
			name = append(name, '_')
		}
	}
	if s == JavaScript {
		return string(name)
	}
	return strings.ToLower(string(name))
}

func isNameRune(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// defaultDescription returns the description that the SDK gives the tool. It ends
// with a space if the agent has no description.
func defaultDescription(agent, description string) string {
	return "Handoff to the " + agent + " agent to handle the request. " + description
}

// Output returns the text that a call of the tool gets as its output: {"assistant": "NAME"} as
// Python's json.dumps writes it, in ASCII, or as JSON.stringify does, without a space.
func (s SDK) Output(agent string) ([]byte, error) {
	if err := checkAgent(agent); err != nil {
		return nil, err
	}
	if s == JavaScript {
		dst, err := jsontext.AppendQuote([]byte(`{"assistant":`), agent)
		return append(dst, '}'), err
	}
	dst := []byte(`{"assistant": "`)
	for _, r := range agent {
		dst = appendASCII(dst, r)
	}
	return append(dst, `"}`...), nil
}

// shortEscapes are the characters that json.dumps escapes by a letter.
var shortEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\f': `\f`, '\b': `\b`,
}

// appendASCII appends a character as json.dumps writes it in a string.
func appendASCII(dst []byte, r rune) []byte {
	escape, short := shortEscapes[r]
	switch {
	case short:
		return append(dst, escape...)
	case ' ' <= r && r <= '~':
		return append(dst, byte(r))
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	default:
		return fmt.Appendf(dst, `\u%04x`, r)
	}
}
