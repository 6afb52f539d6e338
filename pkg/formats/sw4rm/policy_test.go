package sw4rm

import "testing"

// TestPolicy checks "Policy checks (is this handoff allowed?)": a handoff that no rule allows is denied.
func TestPolicy(t *testing.T) {
	const open = `{"from":"*","to":"*"}`
	for _, tt := range []struct{ name, policy, required, want string }{
		{"nothing is allowed", `{}`, `[]`, "Denied by policy: planner may not hand to reviewer"},
		{"any agents", `{"allow":[` + open + `]}`, `["deploy"]`, ""},
		{"by name", `{"allow":[{"from":"planner","to":["writer","reviewer"]}]}`, `[]`, ""},
		{"by prefix", `{"allow":[{"from":"plan*","to":"rev*"}]}`, `[]`, ""},
		{"another sender", `{"allow":[{"from":"writer","to":"*"}]}`, `[]`, "Denied by policy: planner may not hand to reviewer"},
		{"another receiver", `{"allow":[{"from":"*","to":"writer"}]}`, `[]`, "Denied by policy: planner may not hand to reviewer"},
		{"a prefix is not a name", `{"allow":[{"from":"plan","to":"*"}]}`, `[]`, "Denied by policy: planner may not hand to reviewer"},
		{"a capability that is included", `{"allow":[{"from":"*","to":"*","capabilities":"review"}]}`, `["review"]`, ""},
		{"one that is not", `{"allow":[{"from":"*","to":"*","capabilities":"review"}]}`, `["review","deploy"]`, "Denied by policy: planner may not hand to reviewer for deploy"},
		{"no capability at all", `{"allow":[{"from":"*","to":"*","capabilities":[]}]}`, `["review"]`, "Denied by policy: planner may not hand to reviewer for review"},
		{"two rules include two", `{"allow":[{"from":"*","to":"*","capabilities":"review"},{"from":"planner","to":"*","capabilities":"deploy"}]}`, `["review","deploy"]`, ""},
		{"a rule of other agents includes it", `{"allow":[{"from":"*","to":"*","capabilities":"review"},{"from":"writer","to":"*","capabilities":"deploy"}]}`, `["deploy"]`, "Denied by policy: planner may not hand to reviewer for deploy"},
		{"denied before allowed", `{"allow":[` + open + `],"deny":[{"from":"planner","to":"*"}]}`, `[]`, "Denied by policy: planner may not hand to reviewer"},
		{"a denied capability", `{"allow":[` + open + `],"deny":[{"from":"*","to":"*","capabilities":["deploy"]}]}`, `["deploy"]`, "Denied by policy: planner may not hand to reviewer for deploy"},
		{"a denied capability that is not required", `{"allow":[` + open + `],"deny":[{"from":"*","to":"*","capabilities":["deploy"]}]}`, `["review"]`, ""},
	} {
		p, problems := ReadPolicy(parse(t, tt.policy))
		if problems != nil {
			t.Fatalf("%s: %+v", tt.name, problems)
		}
		r := mustRead(t, `{"from_agent":"planner","reason":"r","capabilities_required":`+tt.required+`}`)
		if got := p.Denial(r, "reviewer"); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPolicyMistakes(t *testing.T) {
	for _, text := range []string{
		`[]`, `{"allow":{}}`, `{"alow":[]}`, `{"allow":["planner"]}`, `{"allow":[{"from":"a"}]}`, `{"allow":[{"to":"a"}]}`,
		`{"allow":[{"from":"","to":"b"}]}`, `{"allow":[{"from":"a*b","to":"b"}]}`, `{"allow":[{"from":null,"to":"b"}]}`,
		`{"allow":[{"from":"a","to":[1]}]}`, `{"allow":[{"from":"a","to":"b","capabilities":null}]}`, `{"allow":[{"from":"a","to":"b","caps":"c"}]}`,
	} {
		if p, problems := ReadPolicy(parse(t, text)); problems == nil || p != nil {
			t.Errorf("%s: got a policy, want a mistake", text)
		}
	}
}
