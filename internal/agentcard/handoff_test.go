package agentcard

import (
	"slices"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/a2a"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// TestHandoffParams checks that the rule about the params of the handoff extension agrees with their
// JSON Schema.
func TestHandoffParams(t *testing.T) {
	schema, err := validate.CompileSchema(schemas.Base+"params", []byte(`{"$ref":"`+schemas.A2AHandoff+`#/$defs/params"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	values := []string{
		`"x"`, `""`, `" "`, `"1.0.0"`, `"01.0.0"`, `"1.0.0-rc.1+b"`, `">=2.0 <3"`, `"*"`, `"ed25519"`, `true`, `false`, `null`, `0`, `1`, `1.0`, `1e3`, `0.5`, `-1`, `{}`, `[]`,
		`["x"]`, `["x", ""]`, `["ed25519"]`, `["ed25519", "hmac-sha256"]`, `["ed25519", "none"]`, `[1]`, `[["x"]]`,
	}
	names := []string{"other"}
	for name := range handoffParams {
		names = append(names, name)
	}
	valid := 0
	for _, name := range names {
		for _, value := range values {
			params := `{"` + name + `": ` + value + `}`
			card := parse(t, example("capabilities", `{"extensions": [{"uri": "`+a2a.ExtensionURI+`", "params": `+params+`}]}`))
			found := slices.ContainsFunc(Check(card), func(f finding.Finding) bool { return f.Rule == ruleHandoffParams })
			if bySchema := schema.Check(parse(t, params).Root()); found != (len(bySchema) > 0) {
				t.Errorf("%s: the rule finds %v, the schema %+v", params, found, bySchema)
			}
			if !found {
				valid++
			}
		}
	}
	if valid <= len(values) {
		t.Errorf("only %d are valid", valid)
	}
}

// TestHandoffVersion checks that versions and spellings of the handoff extension are distinguished from
// other extensions.
func TestHandoffVersion(t *testing.T) {
	for uri, want := range map[string]bool{
		a2a.ExtensionURI: false, a2a.ExtensionBase + "v2": true, a2a.ExtensionBase: true, a2a.ExtensionURI + "/": true,
		"http://github.com/eaapl/handoff/extensions/handoff/v1": true, "https://GitHub.com/eaapl/handoff/extensions/Handoff/v1": true,
		"https://github.com/eaapl/handoff/extensions/handoff":  true,
		"https://github.com/eaapl/handoff/extensions/other/v1": false, "https://other.example/handoff/v1": false, "urn:x": false,
	} {
		card := parse(t, example("capabilities", `{"extensions": [{"uri": "`+uri+`"}]}`))
		if got := slices.ContainsFunc(Check(card), func(f finding.Finding) bool { return f.Rule == ruleHandoffVersion }); got != want {
			t.Errorf("%s: found %v", uri, got)
		}
	}
}
