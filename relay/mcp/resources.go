package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/schemas"
)

// Prefixes of the URIs of resources; a name follows.
const (
	schemaURI  = "handoff://schemas/"
	ruleURI    = "handoff://rules/"
	exampleURI = "handoff://examples/"
	rulesURI   = "handoff://rules"
	jsonType   = "application/json"
)

// addResources adds the schemas, the rules and the examples. The rules are one list and a template, since
// there are hundreds.
func (s *Server) addResources() {
	for _, name := range schemas.Names() {
		s.mcp.AddResource(&sdk.Resource{URI: schemaURI + name, Name: name, Title: "JSON Schema " + strings.TrimSuffix(name, ".schema.json"), MIMEType: "application/schema+json", Description: "The JSON Schema (draft 2020-12) of " + strings.TrimSuffix(name, ".schema.json") + "."}, s.read)
	}
	for _, kind := range examples() {
		s.mcp.AddResource(&sdk.Resource{URI: exampleURI + kind, Name: "example-" + kind, Title: "Example: " + kind, MIMEType: exampleType(kind), Description: "A complete, valid example of: " + kind + "."}, s.read)
	}
	s.mcp.AddResource(&sdk.Resource{URI: rulesURI, Name: "rules", Title: "All rules", MIMEType: jsonType, Description: "All rules, each with its severity and a one-sentence description. handoff://rules/{rule} describes one in full."}, s.read)
	s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: ruleURI + "{+rule}", Name: "rule", Title: "A rule", MIMEType: jsonType, Description: "A rule: its meaning, its reason, and a failing and a fixed example. rule is the name in findings, such as lint/secret; the name of a layer, such as lint, gives the list of its rules."}, s.read)
	s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: schemaURI + "{name}", Name: "schema", Title: "A JSON Schema", MIMEType: "application/schema+json", Description: "A JSON Schema by its file name."}, s.read)
	s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: exampleURI + "{kind}", Name: "example", Title: "An example", MIMEType: jsonType, Description: "A complete, valid example of a kind of document."}, s.read)
}

func examples() []string { return append(schemas.Examples(), "a2a-card", "privacy") }

func exampleType(kind string) string {
	switch kind {
	case "privacy":
		return "application/yaml"
	case "claude-code", "codex", "gemini-cli", "copilot-cli":
		return "application/jsonl"
	default:
		return jsonType
	}
}

func (s *Server) read(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := r.Params.URI
	content, kind, err := s.resource(uri)
	if err != nil {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: string(content)}}}, nil
}

// withJSONData makes the data of errors valid JSON. The SDK's error for a missing resource quotes its URI as
// in Go, which is invalid JSON if it has control characters; an unencodable message would end the connection.
func withJSONData(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		e := (*jsonrpc.Error)(nil)
		if !errors.As(err, &e) || e.Data == nil || json.Valid(e.Data) {
			return result, err
		}
		plain := *e
		plain.Data = nil
		if p, ok := r.GetParams().(*sdk.ReadResourceParams); ok {
			plain.Data, _ = json.Marshal(map[string]string{"uri": p.URI}) // cannot fail for a string
		}
		return nil, &plain
	}
}

// resource returns the content and the media type of a resource.
func (s *Server) resource(uri string) (content []byte, kind string, err error) {
	if name, ok := strings.CutPrefix(uri, schemaURI); ok {
		content, err = schemas.Read(name)
		return content, "application/schema+json", err
	}
	if kind, ok := strings.CutPrefix(uri, exampleURI); ok {
		content, err = example(kind)
		return content, exampleType(kind), err
	}
	if uri == rulesURI {
		content, err = encode(listed(s.options.Rules()))
		return content, jsonType, err
	}
	name, ok := strings.CutPrefix(uri, ruleURI)
	if !ok {
		return nil, "", fmt.Errorf("%q: the resource does not exist", uri)
	}
	all := s.options.Rules()
	if group := finding.Group(all, name); group != nil {
		content, err = encode(listed(group))
		return content, jsonType, err
	}
	rule, err := finding.Find(all, name)
	if err == nil {
		content, err = encode(rule)
	}
	return content, jsonType, err
}

func example(kind string) ([]byte, error) {
	switch kind {
	case "privacy":
		return []byte(privacy.ExamplePolicy), nil
	case "a2a-card":
		return []byte(agentcard.Example), nil
	}
	if !slices.Contains(schemas.Examples(), kind) {
		return nil, fmt.Errorf("%q: the example does not exist", kind)
	}
	return schemas.Example(kind)
}

type listedRule struct {
	Rule     string           `json:"rule"`
	Severity finding.Severity `json:"severity"`
	Summary  string           `json:"summary"`
}

func listed(rules []finding.Rule) []listedRule {
	all := make([]listedRule, len(rules))
	for i, r := range rules {
		all[i] = listedRule{r.ID, r.Severity, r.Summary}
	}
	return all
}

// complete completes the arguments of templates and prompts.
func (s *Server) complete(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	var all []string
	if ref := r.Params.Ref; ref != nil && ref.Type == "ref/resource" {
		switch ref.URI {
		case ruleURI + "{+rule}":
			all = finding.IDs(s.options.Rules())
		case schemaURI + "{name}":
			all = schemas.Names()
		case exampleURI + "{kind}":
			all = examples()
		}
	}
	begun := r.Params.Argument.Value
	all = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !strings.HasPrefix(name, begun) })
	total := len(all)
	all = append([]string{}, all[:min(total, 100)]...) // the protocol's maximum
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: all, Total: total, HasMore: total > len(all)}}, nil
}
