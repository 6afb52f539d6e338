package sign

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"planner", "planner", true},
		{"planner", "planner-2", false},
		{"planner", "a-planner", false},
		{"planner", "Planner", false},
		{"*", "", true},
		{"*", "anyone", true},
		{"planner-*", "planner-eu", true},
		{"planner-*", "planner-", true},
		{"planner-*", "planner", false},
		{"*@eu", "planner@eu", true},
		{"*@eu", "planner@eu.example.com", false},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "a-c-b", false},
		{"a*a", "a", false},
		{"a**a", "aa", true},
		{"*ab*ab*", "abab", true},
		{"*ab*ab*", "aba", false},
		{"[a-z].?", "b.c", false},
		{"[a-z].?", "[a-z].?", true},
		{"", "", true},
		{"", "a", false},
	} {
		if got := matches(tt.pattern, tt.text); got != tt.want {
			t.Errorf("matches(%q, %q) = %v", tt.pattern, tt.text, got)
		}
	}
}

// TestTrust checks that a valid signature is not enough if the receiver restricts keys to senders.
func TestTrust(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 6, d, 0, 0, 0, 0, time.UTC) }
	planner, scorer, secret, unbound := NewEd25519Key("planner-1"), NewEd25519Key("scorer-1"), NewKey("team"), NewEd25519Key("unbound")
	v, err := NewVerifier([]Key{publicOf(t, planner), publicOf(t, scorer), secret, publicOf(t, unbound)})
	if err != nil {
		t.Fatal(err)
	}
	v = v.WithTrust(Trust{
		{KeyID: "planner-1", Agents: []string{"planner"}, NotBefore: day(10), NotAfter: day(20)},
		{KeyID: "scorer-1", Agents: []string{"scorer", "scorer-*"}},
		{KeyID: "scorer-1", Agents: []string{"planner"}, NotAfter: day(5)},
		{KeyID: "scorer-1", Agents: []string{"planner"}, NotBefore: day(25)},
		{KeyID: "team", Agents: []string{"*"}},
	})
	from := func(agent, timestamp string) string {
		return `{"fromAgent":{"agentId":"` + agent + `"},"timestamp":"` + timestamp + `"}`
	}
	const in = "2026-06-12T09:30:00Z"
	tests := []struct {
		name    string
		key     Key
		message string
		now     time.Time
		reason  Reason // "" if it verifies
		problem string
	}{
		{name: "its own agent", key: planner, message: from("planner", in), now: day(13)},
		{name: "by a pattern", key: scorer, message: from("scorer-eu", in), now: day(13)},
		{name: "by the second binding of a key", key: scorer, message: from("planner", "2026-06-26T00:00:00Z"), now: day(27)},
		{name: "a secret", key: secret, message: from("anyone", in), now: day(13)},
		{name: "the first moment", key: planner, message: from("planner", "2026-06-10T00:00:00Z"), now: day(10)},
		{name: "the last moment", key: planner, message: from("planner", "2026-06-20T00:00:00Z"), now: day(20)},
		{name: "another agent's key", key: scorer, message: from("scorer", in), now: day(13)},

		{name: "another agent", key: planner, message: from("scorer", in), now: day(13), reason: Untrusted,
			problem: `the signature is valid under key "planner-1", which may not sign for the agent "scorer"`},
		{name: "a key without a binding", key: unbound, message: from("planner", in), now: day(13), reason: Untrusted, problem: "may not sign for"},
		{name: "no sender", key: secret, message: `{"timestamp":"` + in + `"}`, now: day(13), reason: Untrusted, problem: "the message has no fromAgent.agentId"},
		{name: "a sender that is not a string", key: secret, message: `{"fromAgent":{"agentId":["x"]}}`, now: day(13), reason: Untrusted, problem: "the message has no fromAgent.agentId"},
		{name: "made too early", key: planner, message: from("planner", "2026-06-09T23:59:59Z"), now: day(13), reason: KeyPeriod,
			problem: "is valid from 2026-06-10T00:00:00Z, but the message is dated 2026-06-09T23:59:59Z"},
		{name: "made too late", key: planner, message: from("planner", "2026-06-20T00:00:01Z"), now: day(13), reason: KeyPeriod, problem: "was valid until 2026-06-20T00:00:00Z, but the message is dated"},
		{name: "dated back after the period", key: planner, message: from("planner", in), now: day(21), reason: KeyPeriod, problem: "but the current time is 2026-06-21T00:00:00Z: sign with a newer key"},
		{name: "dated ahead before the period", key: planner, message: from("planner", in), now: day(9), reason: KeyPeriod, problem: "but the current time is 2026-06-09"},
		{name: "between two periods", key: scorer, message: from("planner", in), now: day(13), reason: KeyPeriod},
		{name: "no time", key: planner, message: `{"fromAgent":{"agentId":"planner"}}`, now: day(13), reason: KeyPeriod, problem: "the timestamp is not a time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := parse(t, mustSign(t, tt.message, tt.key))
			by, err := v.VerifyAt(m, tt.now)
			if tt.reason == "" {
				if err != nil || by.ID != tt.key.ID {
					t.Errorf("got %v, %v", by, err)
				}
				return
			}
			e := (*Error)(nil)
			if !errors.As(err, &e) || e.Reason != tt.reason || !strings.Contains(e.Problem, tt.problem) || by.ID != "" {
				t.Errorf("got %v, %v; want %s: %s", by, err, tt.reason, tt.problem)
			}
			if lines := v.Explain(m, nil); len(lines) == 0 || !strings.Contains(lines[0], tt.key.ID) {
				t.Errorf("is explained as %q", lines)
			}
		})
	}
	// An invalid signature is reported as such for every sender.
	m := parse(t, strings.Replace(mustSign(t, from("scorer", in), planner), "scorer", "planner", 1))
	if _, err := v.VerifyAt(m, day(13)); !strings.Contains(err.Error(), "is not valid") {
		t.Error(err)
	}
}

// An empty Trust differs from a nil one, and a binding of an unknown key has no effect.
func TestWithTrust(t *testing.T) {
	v, k := verifier(t)
	signed := parse(t, mustSign(t, `{"fromAgent":{"agentId":"a"}}`, k))
	if _, err := v.Verify(signed); err != nil {
		t.Error(err)
	}
	for _, trust := range []Trust{{}, {{KeyID: "", Agents: []string{"*"}}}, {{KeyID: "other", Agents: []string{"*"}}}} {
		if _, err := v.WithTrust(trust).Verify(signed); err == nil {
			t.Errorf("a key without a binding is trusted: %+v", trust)
		}
	}
	if !v.HasKey("k") || v.HasKey("") || v.HasKey("absent") {
		t.Error("HasKey is wrong")
	}
}
