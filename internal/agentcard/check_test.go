package agentcard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return doc
}

// TestRules checks the examples of every rule: the failing example breaks its rule and no other, and the
// fixed example breaks none.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			bad := Check(parse(t, r.Bad))
			if len(bad) == 0 {
				t.Error("the bad example has no problem")
			}
			for _, f := range bad {
				if f.Rule != r.ID || f.Severity != r.Severity || f.Layer != finding.Protocol {
					t.Errorf("the bad example: %+v", f)
				}
			}
			if good := Check(parse(t, r.Good)); len(good) > 0 {
				t.Errorf("the good example: %+v", good)
			}
			if r.Summary == "" || r.Why == "" || seen[r.ID] {
				t.Error("the rule has no summary or no reason, or is there twice")
			}
			seen[r.ID] = true
		})
	}
}

// sample is the card of section 8.5 of the specification, without its signature.
const sample = `{
  "name": "GeoSpatial Route Planner Agent",
  "description": "Provides advanced route planning, traffic analysis, and custom map generation services. This agent can calculate optimal routes, estimate travel times considering real-time traffic, and create personalized maps with points of interest.",
  "supportedInterfaces": [
    {"url": "https://georoute-agent.example.com/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
    {"url": "https://georoute-agent.example.com/a2a/grpc", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
    {"url": "https://georoute-agent.example.com/a2a/json", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
  ],
  "provider": {
    "organization": "Example Geo Services Inc.",
    "url": "https://www.examplegeoservices.com"
  },
  "iconUrl": "https://georoute-agent.example.com/icon.png",
  "version": "1.2.0",
  "documentationUrl": "https://docs.examplegeoservices.com/georoute-agent/api",
  "capabilities": {
    "streaming": true,
    "pushNotifications": true,
    "extendedAgentCard": true
  },
  "securitySchemes": {
    "google": {
      "openIdConnectSecurityScheme": {
        "openIdConnectUrl": "https://accounts.google.com/.well-known/openid-configuration"
      }
    }
  },
  "securityRequirements": [{ "schemes": { "google": { "list": ["openid", "profile", "email"] } } }],
  "defaultInputModes": ["application/json", "text/plain"],
  "defaultOutputModes": ["application/json", "image/png"],
  "skills": [
    {
      "id": "route-optimizer-traffic",
      "name": "Traffic-Aware Route Optimizer",
      "description": "Calculates the optimal driving route between two or more locations.",
      "tags": ["maps", "routing", "navigation", "directions", "traffic"],
      "examples": [
        "{\"origin\": {\"lat\": 37.422, \"lng\": -122.084}, \"destination\": {\"lat\": 37.7749, \"lng\": -122.4194}, \"preferences\": [\"avoid_ferries\"]}"
      ],
      "inputModes": ["application/json", "text/plain"],
      "outputModes": ["application/json", "application/vnd.geo+json", "text/html"]
    }
  ]
}
`

// TestCheck compares the findings, written as RULE POINTER.
func TestCheck(t *testing.T) {
	oauth := func(flow string) string {
		return example("securitySchemes", `{"o": {"oauth2SecurityScheme": {"flows": `+flow+`}}}`)
	}
	tests := []struct {
		name, card string
		want       []string
	}{
		{"the sample of the specification", sample, nil},
		{"no object", `[1]`, []string{"shape "}},
		{"nothing", `null`, []string{"shape "}},
		{"empty", `{}`, []string{"required ", "required ", "required ", "required ", "required ", "required ", "required ", "required "}},
		{"0.3 with additional interfaces", `{"name": "x", "additionalInterfaces": []}`, []string{"old-version "}},
		{"0.3 and 1.0 at once", example("url", `"https://recipes.example/v0"`, "protocolVersion", `"0.3.0"`), []string{"old-member /url", "old-member /protocolVersion"}},
		{"types", example("name", "1", "skills", `{}`, "capabilities", "[]", "provider", `"x"`),
			[]string{"shape /name", "shape /capabilities", "shape /skills", "shape /provider"}},
		{"types of elements", example("defaultInputModes", `[1, null]`, "skills", `[null, "x"]`),
			[]string{"shape /defaultInputModes/0", "shape /defaultInputModes/1", "shape /skills/0", "shape /skills/1"}},
		{"null is absent", example("provider", "null", "description", "null"), []string{"required /description"}},
		{"snake case", strings.ReplaceAll(example(), "supportedInterfaces", "supported_interfaces"), []string{"member-name /supported_interfaces"}},
		{"both spellings", example("default_input_modes", `["text/plain"]`), []string{"member-name /default_input_modes"}},
		{"capitals", example("iconURL", `"https://recipes.example/i"`), []string{"member-name /iconURL"}},
		{"binding", example("supportedInterfaces", exampleInterface("https://r.example", "REST", "1.0")), []string{"binding /supportedInterfaces/0/protocolBinding"}},
		{"own binding", example("supportedInterfaces", exampleInterface("wss://r.example", "https://r.example/ws/v1", "1.0")), nil},
		{"gRPC", example("supportedInterfaces", exampleInterface("grpc.example:443", "GRPC", "1.0")), nil},
		{"gRPC without port", example("supportedInterfaces", exampleInterface("grpc.example", "GRPC", "1.0")), []string{"interface-url /supportedInterfaces/0/url"}},
		{"host and port for JSON-RPC", example("supportedInterfaces", exampleInterface("1.example:443", "JSONRPC", "1.0")), []string{"interface-url /supportedInterfaces/0/url"}},
		{"this machine", example("supportedInterfaces", exampleInterface("http://localhost:8080/", "JSONRPC", "1.0")), nil},
		{"this machine, IPv6", example("supportedInterfaces", exampleInterface("http://[::1]:8080/", "JSONRPC", "1.0")), nil},
		{"tenants", example("supportedInterfaces", `[{"url": "https://r.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "a"},
			{"url": "https://r.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "b"}]`), nil},
		{"no scheme", example("securitySchemes", `{"s": {}}`), []string{"one-of /securitySchemes/s"}},
		{"scheme of 0.3", example("securitySchemes", `{"s": {"type": "apiKey", "in": "header", "name": "X"}}`),
			[]string{"one-of /securitySchemes/s", "old-member /securitySchemes/s/type", "old-member /securitySchemes/s/in", "old-member /securitySchemes/s/name"}},
		{"two flows", oauth(`{"clientCredentials": {"tokenUrl": "https://t.example", "scopes": {"a": "b"}}, "deviceCode": {"deviceAuthorizationUrl": "https://t.example", "tokenUrl": "https://t.example", "scopes": {"a": "b"}}}`),
			[]string{"one-of /securitySchemes/o/oauth2SecurityScheme/flows"}},
		{"token over HTTP", oauth(`{"clientCredentials": {"tokenUrl": "http://t.example", "scopes": {"a": "b"}}}`),
			[]string{"plain-http /securitySchemes/o/oauth2SecurityScheme/flows/clientCredentials/tokenUrl"}},
		{"requirement of a skill", example("skills", strings.Replace(exampleSkill(), `["cooking"]`, `["cooking"], "securityRequirements": [{"schemes": {"x": {"list": ["a"]}}}]`, 1)),
			[]string{"undeclared-scheme /skills/0/securityRequirements/0/schemes/x"}},
		{"requirement without scopes", example("securitySchemes", `{"x": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}}`, "securityRequirements", `[{"schemes": {"x": {"list": []}}}]`),
			[]string{"sdk-form /securityRequirements"}},
		{"empty values in params", example("capabilities", `{"extensions": [{"uri": "urn:x", "params": {"a": "", "b": [null], "c": 0, "d": false}}]}`),
			[]string{"sdk-form /capabilities/extensions/0/params/a", "sdk-form /capabilities/extensions/0/params/b"}},
		{"signatures", example("signatures", `[{}, {"protected": "e30", "signature": "AA"}, 1]`),
			[]string{"required /signatures/0", "required /signatures/0", "signature /signatures/1", "shape /signatures/2"}},
		{"jku over HTTP", example("signatures", `[{"protected": "`+encode(`{"alg":"EdDSA","kid":"k","jku":"http://r.example/keys"}`)+`", "signature": "`+strings.Repeat("A", 86)+`"}]`),
			[]string{"plain-http /signatures/0"}},
		{"range of numbers", example("capabilities", `{"extensions": [{"uri": "urn:x", "params": {"a": 1e999}}]}`), []string{"number /capabilities/extensions/0/params/a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Check(parse(t, tt.card)) {
				got = append(got, strings.TrimPrefix(f.Rule, "a2a-card/")+" "+f.Pointer)
				if f.Message == "" || f.Line == 0 {
					t.Errorf("%+v", f)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCheckHostile bounds the time and the number of findings for hostile cards.
func TestCheckHostile(t *testing.T) {
	const many = 20_000
	for name, card := range map[string]string{
		"skills without members": `{"supportedInterfaces": [], "skills": [` + strings.Repeat("{},", many) + `{}]}`,
		"unknown members":        `{"supportedInterfaces": []` + numbered(many, `,"x%d":""`) + `}`,
		"deep":                   `{"supportedInterfaces": [], "x": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`,
		"deep params":            example("capabilities", `{"extensions": [{"uri": "urn:x", "params": `+strings.Repeat(`{"":`, 5000)+`""`+strings.Repeat("}", 5000)+`}]}`),
		"long":                   `{"x": "` + strings.Repeat("x", MaxBytes) + `"}`,
		"signatures":             example("signatures", `[`+strings.Repeat(`{"protected":"e30","signature":"AA"},`, many)+`{}]`),
		"empty requirements":     example("securityRequirements", `[`+strings.Repeat(`{"schemes":{"a":{}}},`, many)+`{}]`),
		"requirements of many schemes": example("securitySchemes", `{`+strings.TrimPrefix(numbered(many/4, `,"%d":{}`), ",")+`}`,
			"securityRequirements", `[{"schemes":{`+strings.TrimPrefix(numbered(many/4, `,"x%d":{}`), ",")+`}}]`),
		"nested in the wrong type": `{"supportedInterfaces": {"a": [{"b": null}]}, "signatures": {"0": []}, "securitySchemes": [[]]}`,
	} {
		t.Run(name, func(t *testing.T) {
			found := Check(parse(t, card))
			if len(found) == 0 || len(found) > maxFindings+1 {
				t.Errorf("%d findings", len(found))
			}
			for _, f := range found {
				if len(f.Message) > 2000 || strings.ContainsAny(f.Message, "\n\x1b") {
					t.Errorf("%.200q", f.Message)
				}
			}
		})
	}
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
