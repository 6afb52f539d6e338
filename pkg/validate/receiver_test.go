package validate

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/schemas"
)

// receiver reads a profile; its stateSchema is the schema itself, not a file.
func receiver(t testing.TB, profile string) *Receiver {
	t.Helper()
	r, err := ParseReceiver([]byte(profile), func(name string) (*Schema, error) {
		return CompileSchema("file:///state.json", []byte(name), nil)
	})
	if err != nil {
		t.Fatalf("%s: %v", profile, err)
	}
	return r
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// A profile reads the same from YAML and from JSON.
func TestParseReceiver(t *testing.T) {
	const inYAML = `
# the receiver of the review
agentType: Risk_Scoring
agentVersion: 1.6.2-rc.1
schemaVersions: ">=2.0 <3"
requiredState: [riskFlags, /extractedClauses/0]
contextWindow: 128000
keys:
  - keys/2026.key
`
	const inJSON = `
 {"agentType":"Risk_Scoring","agentVersion":"1.6.2-rc.1","schemaVersions":">=2.0 <3",
  "requiredState":["riskFlags","/extractedClauses/0"],"contextWindow":128000,"keys":["keys/2026.key"]}`
	for _, profile := range []string{inYAML, inJSON} {
		r := receiver(t, profile)
		got := []any{r.AgentType, r.agentVersion.String(), r.schemaVersions.String(), r.RequiredState, r.ContextWindow, r.Keys, r.StateSchema == nil}
		want := []any{"Risk_Scoring", "1.6.2-rc.1", ">=2.0 <3", []string{"riskFlags", "/extractedClauses/0"}, 128000, []string{"keys/2026.key"}, true}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n(-want +got):\n%s", profile, diff)
		}
	}
}

// Every problem of a profile has its place and its cause, and all are reported at once.
func TestParseReceiverErrors(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{name: "empty", in: "", want: "expected object: found null"},
		{name: "not an object", in: "- a\n", want: "expected object: found an array"},
		{name: "not YAML", in: "a: [", want: "not YAML: line 1"},
		{name: "YAML with a key twice", in: "agentType: a\nagentType: b\n", want: `mapping key "agentType" already defined`},
		{name: "YAML with keys that are no names", in: "1: a\n", want: "not YAML"},
		{name: "not JSON", in: "{\"agentType\": \"a\"", want: "line 1, column 18: the document is incomplete"},
		{name: "unknown member", in: "agent_type: a\n", want: `/agent_type: unknown member "agent_type": did you mean "agentType"?`},
		{name: "empty type", in: `agentType: ""`, want: "/agentType: must not be empty"},
		{name: "version that YAML takes for a number", in: "agentVersion: 1.6", want: "/agentVersion: expected string: found the number 1.6"},
		{name: "version", in: "agentVersion: 1.6.x", want: "/agentVersion: not a valid semantic version"},
		{name: "range", in: "schemaVersions: two", want: "/schemaVersions: not a valid semantic-version range"},
		{name: "pointer", in: "requiredState: [/a~b]", want: `/requiredState/0: "/a~b" is not a JSON Pointer`},
		{name: "empty name", in: `requiredState: [""]`, want: "/requiredState/0: must not be empty"},
		{name: "window", in: "contextWindow: 0", want: "/contextWindow: must be at least 1: found the number 0"},
		{name: "window as a float", in: `{"contextWindow": 1e5}`, want: "/contextWindow: found the number 1e5: write a plain whole number"},
		{name: "window beyond all bounds", in: `{"contextWindow": 1e99999}`, want: "/contextWindow: a number of more than"},
		{name: "state schema", in: "stateSchema: nowhere.json", want: "/stateSchema: nowhere.json: no such file"},
		{name: "all at once", in: "agentType: 1\nkeys: [2]\n", want: "/agentType: expected string: found the number 1\n/keys/0: expected string: found the number 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := ParseReceiver([]byte(tt.in), func(string) (*Schema, error) { return nil, errors.New("no such file") })
			if r != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, error %v\nwant …%s…", r, err, tt.want)
			}
		})
	}
}

// The requirements that flags can set.
func TestReceiverFlags(t *testing.T) {
	for agent, want := range map[string]string{
		"risk@1.5.0": "risk 1.5.0", "risk": "risk ", "a@1.0.0-rc.1": "a 1.0.0-rc.1",
		"": "has no agent type", "@1.0.0": "has no agent type", "risk@1": `"1" is not a semantic version`, "risk@": `"" is not a semantic version`, "a@b@1.0.0": "is not a semantic version",
	} {
		var r Receiver
		got := ""
		if err := r.As(agent); err != nil {
			got = err.Error()
		} else if got = r.AgentType + " "; r.agentVersion != nil {
			got += r.agentVersion.String()
		}
		if !strings.Contains(got, want) {
			t.Errorf("As(%q): got %s, want %s", agent, got, want)
		}
	}
	var r Receiver
	if err := r.RequireState("/a~"); err == nil || len(r.RequiredState) != 0 {
		t.Errorf("a broken pointer: %v, %v", err, r.RequiredState)
	}
	if err := r.RequireState("a~"); err != nil {
		t.Errorf("a name may have a tilde: %v", err)
	}
}

// A profile states which keys may sign for which agents; the result names the key that verified a message.
func TestReceiverTrust(t *testing.T) {
	own, other := sign.NewEd25519Key("legal-1"), sign.NewEd25519Key("scorer-1")
	verifier, err := sign.NewVerifier([]sign.Key{own, other})
	if err != nil {
		t.Fatal(err)
	}
	profile := receiver(t, "trust:\n- {keyId: legal-1, agents: [legal-*, archive], notBefore: 2026-06-01T00:00:00Z, notAfter: 2026-07-01T00:00:00+02:00}\n- {keyId: scorer-1, agents: [scorer]}")
	want := sign.Trust{
		{KeyID: "legal-1", Agents: []string{"legal-*", "archive"}, NotBefore: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2026, 6, 30, 22, 0, 0, 0, time.UTC)},
		{KeyID: "scorer-1", Agents: []string{"scorer"}},
	}
	if diff := cmp.Diff(want, profile.Trust, cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Error(diff)
	}
	m, err := message.Parse(must(schemas.Example("message")), message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		key      sign.Key
		now      time.Time
		receiver *Receiver
		rule     string
	}{
		{"its own key", own, time.Date(2026, 6, 13, 0, 0, 0, 0, time.UTC), profile, ""},
		{"the key of another agent", other, time.Date(2026, 6, 13, 0, 0, 0, 0, time.UTC), profile, "signature/signature-untrusted"},
		{"the key of another agent, and no trust", other, time.Date(2026, 6, 13, 0, 0, 0, 0, time.UTC), receiver(t, "{}"), ""},
		{"after the period", own, time.Date(2026, 7, 13, 0, 0, 0, 0, time.UTC), profile, "signature/signature-key-period"},
		{"nobody is trusted", own, time.Date(2026, 6, 13, 0, 0, 0, 0, time.UTC), receiver(t, "trust: []"), "signature/signature-untrusted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := sign.Sign(m, tt.key, false)
			if err != nil {
				t.Fatal(err)
			}
			signed, err := message.Parse(text, message.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := New(Options{Verifier: verifier, Receiver: tt.receiver, Now: func() time.Time { return tt.now }}).Validate(t.Context(), signed)
			if err != nil {
				t.Fatal(err)
			}
			if tt.rule == "" {
				if !r.Valid || r.SignedBy != tt.key.ID {
					t.Errorf("got %v, signed by %q", r.Findings, r.SignedBy)
				}
				return
			}
			if r.Reason != SignatureInvalid || r.SignedBy != "" || r.Findings[0].Rule != tt.rule {
				t.Errorf("got %+v, want %s", r, tt.rule)
			}
		})
	}
}

// TestReceivedSystemTurn checks that a system turn after the beginning of the conversation is a warning when
// validating and an error when receiving, unless Severities has its rule.
func TestReceivedSystemTurn(t *testing.T) {
	const rule = "lint/system-turn-mid-history"
	text := strings.Replace(string(must(schemas.Example("message"))), `"conversationHistoryVerbatim": [`, `"conversationHistoryVerbatim": [{"role": "user", "content": "a"}, {"role": "developer", "content": "b"},`, 1)
	m, err := message.Parse([]byte(text), message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		options Options
		want    finding.Severity
	}{
		{"validated", Options{}, finding.Warning},
		{"received", Options{Received: true}, finding.Error},
		{"received, and allowed", Options{Received: true, Severities: map[string]finding.Severity{rule: finding.Warning}}, finding.Warning},
	} {
		r, err := New(tt.options).Validate(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == rule })
		if i < 0 || r.Findings[i].Severity != tt.want || r.Valid != (tt.want == finding.Warning) || !r.Valid && r.Reason != SafetyViolation {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
}
