package openai

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// inputProblems returns a function that checks arguments against the schemas of the flags, nil if there are
// none.
func (f *openaiCheckFlags) inputProblems(stdin io.Reader, args []string) (func(string, jsonstream.Value) []string, error) {
	if len(f.schemas) == 0 {
		return nil, nil
	}
	byTool := map[string]*validate.Schema{} // "" for all handoffs
	for _, text := range f.schemas {
		name, path, ok := strings.Cut(text, "=")
		if !ok || strings.ContainsAny(name, `./\`) { // not valid in a tool's name
			name, path = "", text
		}
		if byTool[name] != nil {
			return nil, fmt.Errorf("--input-schema %s: is a second schema for %s: name only one", text, cmp.Or(name, "all handoffs"))
		}
		if path == "" {
			return nil, errNoSchema(text)
		}
		if err := input.OneStdin(args, path); err != nil {
			return nil, err
		}
		var err error
		if byTool[name], err = f.LoadSchema(path, stdin, f.Limits); err != nil {
			return nil, err
		}
	}
	return func(name string, arguments jsonstream.Value) []string {
		schema := byTool[name]
		if schema == nil && strings.HasPrefix(name, tool.Prefix) {
			schema = byTool[""]
		}
		if schema == nil {
			return nil
		}
		var problems []string
		for _, finding := range schema.Check(arguments) {
			problems = append(problems, finding.PlacedMessage())
		}
		return problems
	}, nil
}

func errNoSchema(text string) error { return fmt.Errorf("--input-schema %q: name a file", text) }
