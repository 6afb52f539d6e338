package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// A tool is a tool of the Model Context Protocol.
type tool struct {
	name, title, description string
	input, output            []property
	writes                   bool // has effects outside this server
	repeatable               bool // idempotent
	destructive              bool // may replace existing data
	run                      func(context.Context, *call) (any, error)
}

// A call is one call to a tool.
type call struct {
	server    *Server
	arguments []byte            // without the documents
	root      jsonstream.Value  // of the arguments
	documents map[string][]byte // as written
}

// addTool registers a tool. The SDK gets the schemas only for clients: it would decode the arguments into Go
// values, which lose the text of numbers and duplicate members.
func (s *Server) addTool(t tool) {
	schema := object(t.input...)
	check := sync.OnceValues(func() (*validate.Schema, error) {
		return validate.CompileSchema("handoff:///tools/"+t.name, schema, nil)
	})
	no := false
	s.mcp.AddTool(&sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description,
		InputSchema: schema, OutputSchema: object(t.output...),
		Annotations: &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: !t.writes, DestructiveHint: &t.destructive, IdempotentHint: !t.writes || t.repeatable, OpenWorldHint: &no},
	}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		checked, err := check()
		if err != nil {
			return nil, err
		}
		return s.limited(ctx, func() (any, error) {
			c, err := s.newCall(r.Params.Arguments, t.input, checked)
			if err != nil {
				return nil, err
			}
			return t.run(ctx, c)
		})
	})
}

// limited runs a tool when there is a free slot, and returns when it has ended or the client has cancelled
// the call. The slot is freed when the tool has ended.
func (s *Server) limited(ctx context.Context, run func() (any, error)) (*sdk.CallToolResult, error) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	done := make(chan *sdk.CallToolResult, 1)
	go func() {
		defer func() { <-s.slots }()
		done <- result(run())
	}()
	select {
	case r := <-done:
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// result returns the result for the client from a tool's result.
func result(value any, err error) *sdk.CallToolResult {
	var text json.RawMessage
	if err == nil {
		text, err = encode(value)
	}
	if err != nil {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: strings.ToValidUTF8(err.Error(), "\uFFFD")}}}
	}
	return &sdk.CallToolResult{StructuredContent: text, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}
}

// newCall separates the documents, as written, from the arguments, and validates the rest.
func (s *Server) newCall(arguments []byte, input []property, schema *validate.Schema) (*call, error) {
	c := &call{server: s, documents: map[string][]byte{}}
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = []byte("{}")
	}
	d := jsontext.NewDecoder(bytes.NewReader(arguments), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errors.New("the arguments are not a JSON object: write {\"message\": …}")
	}
	c.arguments = append(c.arguments, '{')
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("the arguments: %w", err)
		}
		name = slices.Clone(name)
		value, err := d.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("the arguments: %w", err)
		}
		if len(c.arguments) > 1 {
			c.arguments = append(c.arguments, ',')
		}
		c.arguments = append(append(c.arguments, name...), ':')
		unquoted, _ := jsontext.AppendUnquote(nil, name)
		if i := slices.IndexFunc(input, func(p property) bool { return p.name == string(unquoted) }); i >= 0 && input[i].isDocument() && (value[0] == '{' || value[0] == '[') {
			c.documents[string(unquoted)] = slices.Clone(value)
			value = []byte("{}")
		}
		c.arguments = append(c.arguments, value...)
	}
	c.arguments = append(c.arguments, '}')
	doc, err := jsonstream.Parse(jsonstream.NewRaw(c.arguments), jsonstream.Limits{MaxBytes: MaxLine(s.options.Limits)})
	if err != nil {
		return nil, fmt.Errorf("the arguments: %w", err)
	}
	c.root = doc.Root()
	if found := schema.Check(c.root); len(found) > 0 {
		return nil, fmt.Errorf("the arguments: %s", finding.Details(found))
	}
	return c, nil
}

func (p property) isDocument() bool { return strings.HasPrefix(p.schema, `"type":["object","array"]`) }

// into decodes the validated arguments.
func (c *call) into(v any) error { return json.Unmarshal(c.arguments, v) }

// member returns a member of the arguments, "" without it.
func (c *call) member(name string) string { return c.root.Get(name).Text() }

// source returns the arguments for a document; prefix is "" for the message itself.
func (s *Server) source(prefix, what string) []property {
	name := names(prefix)
	all := []property{
		document(name[0], what+", as a JSON value. It is used byte for byte: numbers, the order of members and unknown members are kept."),
		text(name[1], what+", as a string with the exact text of a JSON document, or of JSON Lines. Use it for a document that is not valid JSON, or if numbers must keep their exact text."),
		text(name[3], what+", as the id (\"result\") returned by an earlier tool call to this server."),
	}
	if s.options.Files != nil {
		all = append(all, text(name[2], what+", as the path of a file in a folder that this server may read; gzip and zstd are decompressed."))
	}
	return all
}

// names returns the names of the arguments for a document: as a value, a text, a path, or a result.
func names(prefix string) [4]string {
	if prefix == "" {
		return [4]string{"message", "text", "path", "result"}
	}
	return [4]string{prefix, prefix + "Text", prefix + "Path", prefix + "Result"}
}

// message returns the arguments of tools that read one message.
func (s *Server) message() []property {
	return append(s.source("", "The message"),
		choice("format", formats.Names(), "The format of the message (default: detected from its members)."),
		count("index", 0, "The index, from 0, of the message in text, path or result (JSON Lines or concatenated documents). Required if there are several."))
}

// raw returns the document given by the arguments with a prefix; ok is false if there is none.
func (c *call) raw(ctx context.Context, prefix string) (raw jsonstream.Raw, ok bool, err error) {
	var in struct {
		Index  *int          `json:"index"`
		Format format.Format `json:"format"`
	}
	if err := c.into(&in); err != nil {
		return raw, false, err
	}
	name := names(prefix)
	var given []string
	if _, ok := c.documents[name[0]]; ok {
		given = append(given, name[0])
	}
	for _, n := range name[1:] {
		if c.member(n) != "" {
			given = append(given, n)
		}
	}
	switch len(given) {
	case 0:
		return raw, false, nil
	case 1:
	default:
		return raw, false, fmt.Errorf("%s: give only one of them", strings.Join(given, " and "))
	}
	if given[0] == name[0] {
		return jsonstream.NewRaw(c.documents[name[0]]), true, nil
	}
	r, err := c.open(ctx, given[0], name)
	if err != nil {
		return raw, false, err
	}
	defer r.Close() // read only
	raw, err = c.pick(r, in.Format, in.Index)
	return raw, err == nil, err
}

// open opens the source given by an argument. It can be read until ctx ends.
func (c *call) open(ctx context.Context, given string, name [4]string) (io.ReadCloser, error) {
	value := c.member(given)
	var r io.ReadCloser
	var err error
	switch given {
	case name[1]:
		r = io.NopCloser(strings.NewReader(value))
	case name[2]:
		r, err = c.server.options.Files.Open(value) // without Files the schema has no path
	default:
		var text []byte
		text, err = c.server.results.get(value)
		r = io.NopCloser(bytes.NewReader(text))
	}
	return callReader{r, ctx}, err
}

// A callReader is a reader that ends with a call: its source may have many messages before the requested one.
type callReader struct {
	io.ReadCloser
	ctx context.Context
}

func (r callReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(p)
}

// pick reads the requested message.
func (c *call) pick(r io.Reader, f format.Format, index *int) (jsonstream.Raw, error) {
	splitter := jsonstream.NewSplitter(r, c.server.options.Limits)
	splitter.TakeLines(formats.TakesLines(f))
	wanted := 0
	if index != nil {
		wanted = *index
	}
	for i := 0; ; i++ {
		raw, err := splitter.Next()
		damage := (*jsonstream.SyntaxError)(nil)
		switch {
		case errors.Is(err, io.EOF) && i == 0:
			return raw, errors.New("it is empty: give a JSON document")
		case errors.Is(err, io.EOF):
			return raw, fmt.Errorf("index %d: there are only %d messages, counted from 0", wanted, i)
		case err != nil && !errors.As(err, &damage):
			return raw, err
		case i < wanted:
		case err != nil:
			return raw, damage
		case index != nil:
			return raw, nil
		default:
			if _, err := splitter.Next(); !errors.Is(err, io.EOF) {
				return raw, errors.New("it has several messages: select one with index, counted from 0")
			}
			return raw, nil
		}
	}
}

// required is like raw for a required document.
func (c *call) required(ctx context.Context, prefix string) (jsonstream.Raw, error) {
	raw, ok, err := c.raw(ctx, prefix)
	if err == nil && !ok {
		name := names(prefix)
		err = fmt.Errorf("give a document with one of %s, %s, %s", name[0], name[1], name[3])
		if c.server.options.Files != nil {
			err = fmt.Errorf("%w, %s", err, name[2])
		}
	}
	return raw, err
}

// whole returns the whole content of text, path or result, which need not be JSON.
func (c *call) whole(ctx context.Context) ([]byte, error) {
	name := names("")
	for _, given := range name[1:] {
		if c.member(given) == "" {
			continue
		}
		r, err := c.open(ctx, given, name)
		if err != nil {
			return nil, err
		}
		defer r.Close() // read only
		limit := MaxLine(c.server.options.Limits)
		content, err := io.ReadAll(io.LimitReader(r, limit+1))
		if err == nil && int64(len(content)) > limit {
			err = fmt.Errorf("more than %d bytes: split it", limit)
		}
		return content, err
	}
	return nil, errors.New("give the plain text with text, path or result")
}

// parsed returns the document given by the arguments with a prefix, parsed.
func (c *call) parsed(ctx context.Context, prefix string) (*jsonstream.Document, error) {
	raw, err := c.required(ctx, prefix)
	if err != nil {
		return nil, err
	}
	return c.parse(ctx, raw)
}

func (c *call) parse(ctx context.Context, raw jsonstream.Raw) (*jsonstream.Document, error) {
	doc, err := jsonstream.Parse(raw, c.server.options.Limits)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if damage := (*jsonstream.SyntaxError)(nil); errors.As(err, &damage) {
		return nil, fmt.Errorf("line %d, column %d: %w", damage.Line, damage.Column, err)
	}
	return doc, err
}
