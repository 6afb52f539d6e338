// Package tool generates the OpenAI Agents SDK's texts about a handoff for the model: the
// definition of the tool that hands over, for the Responses API, and the output of its call.
//
// # Strict schemas
//
// The API enforces the input schema of a tool only if the schema is strict. [Strict] converts
// any schema:
//
//   - every object gets additionalProperties false, and, if it has properties, required with
//     all of them; one that has properties and no type gets the type, and one without
//     properties may have no members at all;
//   - oneOf becomes anyOf; if a schema has both, the schemas of oneOf come last;
//   - an allOf of one schema is merged into the schema around it, a reference in it expanded;
//   - a default of null is dropped;
//   - a $ref next to annotations, such as a description, is replaced by its target; a lone
//     $ref stays.
//
// If two merged schemas have the same annotation, the outer one wins. Constraints are never
// lost: a $ref next to a constraint, two different values of one constraint, and a reference
// below or into a nested $id are errors.
//
// Everything else is preserved, such as the order of members and the text of numbers and
// strings. Schemas are converted below properties, items, anyOf, oneOf, allOf, $defs and
// definitions, which are the keywords that the API knows. Schemas below other keywords, such as
// prefixItems and not, are unchanged.
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

// noInput is the input schema of a handoff without input.
const noInput = `{"additionalProperties":false,"type":"object","properties":{},"required":[]}`

// An SDK is one of OpenAI's agent SDKs, which differ in tool names and outputs.
type SDK string

// The SDKs.
const (
	Python     SDK = "python"
	JavaScript SDK = "js"
)

// SDKs returns all SDKs.
func SDKs() []SDK { return []SDK{Python, JavaScript} }

// Options configures a definition. The zero value means the SDK's defaults.
type Options struct {
	// SDK selects the defaults; "" means Python.
	SDK SDK
	// Name is the name of the tool: letters, digits, "_" and "-". If empty, it is
	// [SDK.ToolName].
	Name string
	// Description is the purpose of the agent, appended to the tool's default description.
	Description string
	// WholeDescription replaces the default description and Description.
	WholeDescription string
	// InputSchema describes the model's input for the agent. Absent, or an object without
	// members, means no input.
	InputSchema jsonstream.Value
	// Loose leaves the input schema unchanged. The API then does not enforce it.
	Loose bool
}

// Definition returns the definition of the tool for handing over to an agent, as compact
// JSON: type, name, description, parameters and strict. An error in the input schema is a
// [*SchemaError].
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

// Prefix is the prefix of the handoff tool names of the SDKs.
const Prefix = "transfer_to_"

// ToolName returns the SDK's name for the tool: transfer_to_NAME, with every character outside
// [A-Za-z0-9_] replaced by one "_", in lower case. The SDK for JavaScript preserves case, and
// replaces each UTF-16 code unit. Agents whose names differ only in such characters get the same
// name.
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

// defaultDescription returns the SDK's description of the tool. It ends with a space if the
// agent has no description.
func defaultDescription(agent, description string) string {
	return "Handoff to the " + agent + " agent to handle the request. " + description
}

// Output returns the output of a call to the tool: {"assistant": "NAME"} as Python's
// json.dumps writes it, in ASCII, or without a space, as JSON.stringify writes it.
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

// shortEscapes are the characters for which json.dumps has a short escape.
var shortEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\f': `\f`, '\b': `\b`,
}

// appendASCII appends a character of a string as json.dumps writes it.
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
