package macp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

func freeze(t *testing.T, text string) string {
	t.Helper()
	hash, err := Freeze(parse(t, text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// TestFreezeDefinition compares the hash with a plain implementation of the definition of Freeze.
func TestFreezeDefinition(t *testing.T) {
	start := starts()
	start.Payload.(*SessionStart).Extensions = []Extension{{"b", []byte{0xff}}, {"a", []byte("{}")}}
	start.Payload.(*SessionStart).Roots = []Root{{"macp://x", "X"}}
	canonical := `{"contexts":[{"content_type":"application/json","context":"eyJvcGVuSXNzdWVzIjoxMn0=","handoff_id":"h1"}],` +
		`"session":{"configuration_version":"config-1","context_id":"","extensions":{"a":"e30=","b":"/w=="},"initiator":"agent://alice",` +
		`"intent":"hand over the frontend","max_suspend_ms":"0","mode":"macp.mode.handoff.v1","mode_version":"1.0.0",` +
		`"participants":["agent://alice","agent://bob","agent://carol"],"policy_version":"policy.default",` +
		`"roots":[{"name":"X","uri":"macp://x"}],"ttl_ms":"60000"}}`
	sum := sha256.Sum256([]byte(canonical))
	if got, want := freeze(t, example(start, offer, context)), "sha256:"+hex.EncodeToString(sum[:]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFreeze(t *testing.T) {
	session := example(start, offer, context, accept, gives("h1", alice))
	base := freeze(t, session)
	fixture := `{"mode":"macp.mode.handoff.v1","initiator":"agent://alice","participants":["agent://alice","agent://bob","agent://carol"],
		"intent":"hand over the frontend","mode_version":"1.0.0","configuration_version":"config-1","policy_version":"","ttl_ms":60000,"messages":[
		{"sender":"agent://alice","message_type":"HandoffOffer","payload":{"handoff_id":"h1","target_participant":"agent://bob"},"expect":"accept"},
		{"sender":"agent://alice","message_type":"HandoffContext","payload":{"handoff_id":"h1","content_type":"application/json","context":"{\"openIssues\":12}"},"expect":"accept"},
		{"sender":"agent://alice","message_type":"HandoffContext","payload":{"handoff_id":"h1","content_type":"application/json","context":"{\"openIssues\":12}"},"expect":"accept"}]}`
	same := map[string]string{
		"camelCase":                   camelCased(session),
		"one line":                    strings.Join(strings.Fields(session), " "),
		"other ids":                   edit(edit(session, `"m-`, `"x-`), `"s-1"`, `"s-2"`),
		"other times":                 edit(session, "2026-03-14T09:20:1", "2026-03-14T09:20:2"),
		"base64 without padding":      edit(session, "eyJvcGVuSXNzdWVzIjoxMn0=", "eyJvcGVuSXNzdWVzIjoxMn0"),
		"members that nobody knows":   edit(session, `"ttl_ms":60000`, `"ttl_ms":60000,"note":1`),
		"the policy by its name":      edit(session, `"policy_version":""`, `"policy_version":"policy.default"`),
		"optional members, empty":     edit(session, `"ttl_ms":60000`, `"ttl_ms":6e4,"context_id":"","roots":[],"extensions":{},"max_suspend_ms":0`),
		"no accept":                   example(start, offer, context, gives("h1", alice)),
		"a context that was rejected": example(start, offer, context, gives("h1", bob), gives("h1", alice)),
		"a commitment":                example(start, offer, context, gives("h1", alice), accept, commit),
		"a context after the session": example(start, offer, context, gives("h1", alice), accept, commit, context),
		"a fixture":                   fixture,
	}
	for name, text := range same {
		if got := freeze(t, text); got != base {
			t.Errorf("%s: another hash", name)
		}
	}
	other := map[string]string{
		"context":        edit(session, "eyJvcGVuSXNzdWVzIjoxMn0=", "e30="),
		"content_type":   edit(session, "application/json", "text/plain"),
		"one context":    example(start, offer, context, accept),
		"participants":   edit(session, `"agent://bob","agent://carol"]`, `"agent://carol","agent://bob"]`),
		"intent":         edit(session, "hand over the frontend", "hand over the backend"),
		"ttl_ms":         edit(session, `"ttl_ms":60000`, `"ttl_ms":60001`),
		"context_id":     edit(session, `"ttl_ms":60000`, `"ttl_ms":60000,"context_id":"x"`),
		"roots":          edit(session, `"ttl_ms":60000`, `"ttl_ms":60000,"roots":[{"uri":"x","name":""}]`),
		"extensions":     edit(session, `"ttl_ms":60000`, `"ttl_ms":60000,"extensions":{"x":""}`),
		"max_suspend_ms": edit(session, `"ttl_ms":60000`, `"ttl_ms":60000,"max_suspend_ms":1`),
		"policy_version": edit(session, `"policy_version":""`, `"policy_version":"policy.strict"`),
		"handoff_id":     edit(session, `"h1"`, `"h2"`),
	}
	seen := map[string]string{base: "the base"}
	for name, text := range other {
		got := freeze(t, text)
		if before, taken := seen[got]; taken {
			t.Errorf("%s: the hash of %s", name, before)
		}
		seen[got] = name
	}
	if _, err := Freeze(parse(t, example(offer)), Options{}); !errors.Is(err, ErrNoSession) {
		t.Errorf("no session: %v", err)
	}
}

// TestFreezeUnderAPolicy checks that the policy affects which messages count.
func TestFreezeUnderAPolicy(t *testing.T) {
	anyone := Options{Policy: &Policy{Authority: AnyParticipant}}
	ended := parse(t, example(start, offer, context, accept, commits(bob), context)) // the last one is too late
	got, err := Freeze(ended, anyone)
	if err != nil {
		t.Fatal(err)
	}
	if want := freeze(t, example(start, offer, context)); got != want {
		t.Error("a context that the session rejected counts")
	}
	wrong := strings.Replace(fixtures(t)["happy-path.json"], `"policy_version"`, `"policy": {"rules": 7}, "policy_version"`, 1)
	const want = "/policy/rules: expected the member rules to be an object, found 7; write the rules as an object"
	if _, err := Freeze(parse(t, wrong), Options{}); err == nil || err.Error() != want {
		t.Errorf("a fixture with a wrong policy: %v", err)
	}
}
