package schemas_test

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

var published = []string{
	schemas.Message, schemas.State, schemas.Receiver,
	schemas.SW4RMContext, schemas.SW4RMRequest, schemas.SW4RMResponse, schemas.MACPTranscript, schemas.OpenAIInputData, schemas.OpenAIJSInputData,
	schemas.OpenAIAgents, schemas.OpenAIChat, schemas.OpenAIResponses, schemas.Anthropic,
	schemas.LangChain, schemas.AISDK, schemas.Gemini, schemas.BedrockConverse, schemas.A2A, schemas.A2AHandoff,
	schemas.ClaudeCodeSession, schemas.CodexRollout, schemas.GeminiCLISession, schemas.OpenCodeSession, schemas.CopilotCLISession,
	schemas.AuditRecord, schemas.Chunk,
}

func parse(t *testing.T, text []byte) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func read(t *testing.T, name string) *jsonstream.Document {
	t.Helper()
	text, err := schemas.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, text)
}

// Every schema file is one of the constants, and is read by name and by $id.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("*.schema.json")
	if err != nil || len(files) != len(published) {
		t.Errorf("files %q, constants %q, error %v", files, published, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, as := range []string{name, schemas.Base + name} {
			if got, err := schemas.Read(as); err != nil || string(got) != string(text) {
				t.Errorf("%s: %d bytes, error %v: run go test ./cmd -run Generated -update", as, len(got), err)
			}
		}
	}
	for _, name := range []string{"", "nowhere.schema.json", "../go.mod", schemas.Base, "https://example.com/" + schemas.Message} {
		if _, err := schemas.Read(name); err == nil || strings.HasSuffix(name, ".schema.json") && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

func TestSchemas(t *testing.T) {
	for _, name := range published {
		t.Run(name, func(t *testing.T) {
			root := read(t, name).Root()
			if got := root.Get("$schema").Text(); got != "https://json-schema.org/draft/2020-12/schema" {
				t.Errorf("$schema %q", got)
			}
			if got := root.Get("$id").Text(); got != schemas.Base+name {
				t.Errorf("$id %q", got)
			}
			if root.Get("title").Text() == "" || root.Get("description").Text() == "" {
				t.Error("the schema has no title or description")
			}
			if _, err := validate.EmbeddedSchema(name); err != nil {
				t.Error(err)
			}
		})
	}
}

// Every member and every definition has a title and a description, also next to a $ref.
func TestMembersAreDescribed(t *testing.T) {
	for _, name := range published {
		members := 0
		for v := range read(t, name).Root().All() {
			if holder := v.Parent().Name(); holder != "properties" && holder != "$defs" || v.Kind() != jsonstream.Object {
				continue
			}
			members++
			for _, says := range []string{"title", "description"} {
				if says == "description" && v.Parent().Name() == "$defs" {
					continue // the title of a definition is a word in findings
				}
				if strings.TrimSpace(v.Get(says).Text()) == "" {
					t.Errorf("%s: %s has no %s", name, v.Pointer(), says)
				}
			}
		}
		if members < 7 {
			t.Errorf("%s: only %d members were looked at", name, members)
		}
	}
}

// Every required member is one of the properties, every $ref has a target, and every example of a
// definition is valid.
func TestSchemasAreConsistent(t *testing.T) {
	for _, name := range published {
		root := read(t, name).Root()
		for v := range root.All() {
			switch v.Name() {
			case "required":
				properties := v.Parent().Get("properties")
				for _, member := range v.Elements() {
					if properties.Exists() && !properties.Get(member.Text()).Exists() {
						t.Errorf("%s: %s requires %q, which is not described", name, v.Pointer(), member.Text())
					}
				}
			case "$ref":
				file, pointer, _ := strings.Cut(v.Text(), "#")
				target := root
				if file != "" {
					target = read(t, file).Root()
				}
				if !target.At(pointer).Exists() {
					t.Errorf("%s: %s leads nowhere: %s", name, v.Pointer(), v.Text())
				}
			case "examples":
				text := `{"$ref":"` + schemas.Base + name + "#" + v.Parent().Pointer() + `"}`
				schema, err := validate.CompileSchema("file:///example.json", []byte(text), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, example := range v.Elements() {
					if findings := schema.Check(example); len(findings) > 0 {
						t.Errorf("%s: %s: %+v", name, example.Pointer(), findings)
					}
				}
			}
		}
	}
}

// The examples are valid and contain every required member; the example receiver accepts the
// example message.
func TestExamples(t *testing.T) {
	schemaOf := map[string]string{
		"message": schemas.Message, "state": schemas.State, "receiver": schemas.Receiver,
		"sw4rm-context": schemas.SW4RMContext, "sw4rm-request": schemas.SW4RMRequest, "sw4rm-response": schemas.SW4RMResponse,
		"macp": schemas.MACPTranscript, "openai": schemas.OpenAIInputData, "openai-js": schemas.OpenAIJSInputData,
		"openai-chat": schemas.OpenAIChat, "openai-responses": schemas.OpenAIResponses, "anthropic": schemas.Anthropic,
		"langchain": schemas.LangChain, "ai-sdk": schemas.AISDK, "gemini": schemas.Gemini, "bedrock-converse": schemas.BedrockConverse, "a2a": schemas.A2A, "a2a-handoff": schemas.A2AHandoff,
		"claude-code": schemas.ClaudeCodeSession, "codex": schemas.CodexRollout, "gemini-cli": schemas.GeminiCLISession, "openai-agents": schemas.OpenAIAgents,
		"opencode": schemas.OpenCodeSession, "copilot-cli": schemas.CopilotCLISession,
		"pydantic-ai": "", "agent-framework": "", // without a schema
	}
	if len(schemaOf) != len(schemas.Examples()) {
		t.Errorf("the examples are %q", schemas.Examples())
	}
	for _, kind := range schemas.Examples() {
		name := schemaOf[kind]
		text, err := schemas.Example(kind)
		if err != nil {
			t.Fatal(err)
		}
		if name != "" {
			schema, err := validate.EmbeddedSchema(name)
			if err != nil {
				t.Fatal(err)
			}
			if findings := schema.Check(parse(t, text).Root()); len(findings) > 0 {
				t.Errorf("%s: %+v", kind, findings)
			}
		}
		indented, err := jsonstream.AppendIndent(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(indented)+"\n", string(text)); diff != "" {
			t.Errorf("%s is not indented by two spaces (-want +got):\n%s", kind, diff)
		}
	}
	if _, err := schemas.Example("nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestExampleReceiverAcceptsExampleMessage(t *testing.T) {
	profile, err := schemas.Example("receiver")
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := validate.ParseReceiver(profile, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	m, err := message.Parse(text, message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 6, 12, 9, 31, 0, 0, time.UTC) }
	r, err := validate.New(validate.Options{Receiver: receiver, All: true, Strict: true, Now: now}).Validate(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Valid || len(r.Findings) > 0 {
		t.Errorf("got %+v", r)
	}
}

// The format of each other example is detected, and the example breaks no rule of its system.
func TestExamplesKeepTheirRules(t *testing.T) {
	for _, f := range formats.Names() {
		if f == format.EAAPL {
			continue
		}
		text, err := schemas.Example(string(f))
		if err != nil {
			t.Fatal(err)
		}
		m, err := message.Parse(text, message.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := validate.New(validate.Options{Formats: formats.Names(), All: true, Strict: true}).Validate(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if r.Format != f || !r.Valid || len(r.Findings) > 0 {
			t.Errorf("%s: got %+v", f, r)
		}
	}
}

// The snapshot of the example request is the example context, as written by serialize_context.
func TestExampleRequestCarriesExampleContext(t *testing.T) {
	request, err := schemas.Example("sw4rm-request")
	if err != nil {
		t.Fatal(err)
	}
	context, err := schemas.Example("sw4rm-context")
	if err != nil {
		t.Fatal(err)
	}
	got, err := base64.StdEncoding.DecodeString(parse(t, request).Root().Get("context_snapshot").Text())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(jsonstream.AppendCompact(nil, context)), string(got)); diff != "" {
		t.Errorf("(-context +snapshot):\n%s", diff)
	}
}

// The agent state has no rules of its own for members that the message also has.
func TestStateSharesRules(t *testing.T) {
	ofMessage := read(t, schemas.Message).Root().Get("properties")
	for name, member := range read(t, schemas.State).Root().Get("properties").Members() {
		theirs := ofMessage.Get(name)
		if !theirs.Exists() {
			continue
		}
		mine := strings.TrimPrefix(member.Get("$ref").Text(), schemas.Message)
		if got := theirs.Get("$ref").Text(); got != mine {
			t.Errorf("%s: state %q, message %q", name, mine, got)
		}
		for _, keyword := range []string{"type", "uniqueKeys", "minItems", "additionalProperties"} {
			if string(theirs.Get(keyword).Raw()) != string(member.Get(keyword).Raw()) {
				t.Errorf("%s: %s differs", name, keyword)
			}
		}
	}
}
