package macp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func fixtures(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/fixtures/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	texts := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(name)] = string(text)
	}
	return texts
}

// TestFixtures checks that all fixtures pass, in both spellings of their members.
func TestFixtures(t *testing.T) {
	for name, text := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			doc := parse(t, text)
			if !IsFixture(doc.Root()) {
				t.Fatal("taken for a transcript")
			}
			if found := CheckFixture(doc, Options{}); found != nil {
				t.Errorf("%+v", found)
			}
		})
	}
	if IsFixture(parse(t, example(start)).Root()) {
		t.Error("a transcript is taken for a fixture")
	}
}

// TestFixtureMismatch checks that every expectation of a fixture can fail.
func TestFixtureMismatch(t *testing.T) {
	happy := fixtures(t)["happy-path.json"]
	tests := []struct {
		name     string
		old, new string
		pointer  string
		want     string
	}{
		{name: "accept", old: `"agent://target",
      "message_type": "HandoffAccept"`, new: `"agent://other", "message_type": "HandoffAccept"`, pointer: "/messages/2/expect",
			want: `expected the message to be accepted, found one rejected by macp/13 with FORBIDDEN: expected an answer from the target of the offer, "agent://target", found "agent://other"`},
		{name: "reject", old: `"expect": "accept"`, new: `"expect": "reject"`, pointer: "/messages/0/expect",
			want: `expected the message to be rejected, found one that no rule forbids`},
		{name: "error code", old: `"handoff_id": "h1",
        "target_participant": "agent://target",
        "scope": "support",
        "reason": "escalate"
      },
      "expect": "accept"`, new: `"handoff_id": ""}, "expect": "reject", "expected_error_code": "FORBIDDEN"`, pointer: "/messages/0/expected_error_code",
			want: `expected the code "FORBIDDEN", found one rejected by macp/7 with INVALID_ENVELOPE`},
		{name: "expect", old: `"expect": "accept"`, new: `"expect": "maybe"`, pointer: "/messages/0/expect",
			want: `expected expect to be "accept" or "reject", found "maybe"`},
		{name: "a code with accept", old: `"expect": "accept"`, new: `"expect": "accept", "expected_error_code": "FORBIDDEN"`, pointer: "/messages/0/expected_error_code",
			want: `expected no expected_error_code with expect "accept", found "FORBIDDEN"`},
		{name: "payload_type", old: `"handoff.HandoffContext"`, new: `"handoff.HandoffOffer"`, pointer: "/messages/1/expect",
			want: `expected the message to be accepted, found one rejected with INVALID_ENVELOPE: expected payload_type to be handoff.HandoffContext or macp.modes.handoff.v1.HandoffContextPayload, found "handoff.HandoffOffer"`},
		{name: "final state", old: `"expected_final_state": "Resolved"`, new: `"expected_final_state": "Open"`, pointer: "/expected_final_state",
			want: `expected "expected_final_state" to be "Open", found "Resolved"`},
		{name: "resolution", old: `"expect_resolution_present": true`, new: `"expect_resolution_present": false`, pointer: "/expect_resolution_present",
			want: `expected "expect_resolution_present" to be false, found true`},
		{name: "a field of the resolution", old: `"outcome_positive": true,
    "_comment"`, new: `"outcome_positive": false, "_comment"`, pointer: "/expected_resolution/outcome_positive",
			want: `expected "outcome_positive" to be false, found true`},
		{name: "a field that no resolution has", old: `"_comment": "a subset"`, new: `"score": 7`, pointer: "/expected_resolution/score",
			want: `expected one of commitment_id, action, authority_scope, reason, mode_version, policy_version, configuration_version, outcome_positive, supersedes, found "score"`},
		{name: "disposition", old: `"disposition": "Accepted"`, new: `"disposition": "Declined"`, pointer: "/expected_mode_state/offers/h1/disposition",
			want: `expected "disposition" to be "Declined", found "Accepted"`},
		{name: "an offer that was not made", old: `"h1": {
        "disposition"`, new: `"h2": {"disposition"`, pointer: "/expected_mode_state/offers/h2",
			want: `expected an offer "h2", found none`},
		{name: "context", old: `"context": "ticket 42: settlement is late",
          "sender"`, new: `"context": "", "sender"`, pointer: "/expected_mode_state/contexts/h1/0/context",
			want: `expected "context" to be "", found "ticket 42: settlement is late"`},
		{name: "number of contexts", old: `"contexts": {
      "h1": [`, new: `"contexts": {"h1": [{},`, pointer: "/expected_mode_state/contexts/h1",
			want: `expected 2 contexts, found 1 of "h1"`},
		{name: "phase", old: `"phase": "Committed"`, new: `"phase": "Resolved"`, pointer: "/expected_mode_state/phase",
			want: `expected "phase" to be "Resolved", found "Committed"`},
		{name: "another mode", old: Mode, new: "macp.mode.decision.v1", pointer: "/mode",
			want: `expected mode to be "macp.mode.handoff.v1", found "macp.mode.decision.v1"`},
		{name: "the session cannot begin", old: `"mode_version": "1.0.0"`, new: `"mode_version": ""`, pointer: "/mode_version",
			want: `expected the member mode_version to be a non-empty string, found ""`},
		{name: "policy", old: `"policy_version": ""`, new: `"policy": {}, "policy_version": ""`, pointer: "/policy",
			want: `expected the member rules to be an object, found nothing`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(happy, tt.old) {
				t.Fatal("nothing to replace")
			}
			doc := parse(t, strings.Replace(happy, tt.old, tt.new, 1))
			found := CheckFixture(doc, Options{})
			if len(found) == 0 {
				t.Fatal("no mismatch")
			}
			message, _, _ := strings.Cut(found[0].Message, "; ")
			if diff := cmp.Diff([]string{tt.pointer, tt.want}, []string{found[0].Pointer, message}); diff != "" {
				t.Error(diff)
			}
			if doc.Root().At(tt.pointer).Position() != found[0].Position() {
				t.Errorf("at %+v", found[0].Position())
			}
		})
	}
}

// TestFixtureStateOfAnotherType checks that an expected state that is not an object is reported, because
// it would expect nothing.
func TestFixtureStateOfAnotherType(t *testing.T) {
	happy := fixtures(t)["happy-path.json"]
	begin := strings.Index(happy, `"expected_mode_state"`)
	for _, tt := range []struct{ state, pointer, found string }{
		{`"offers"`, "/expected_mode_state", `"offers"`},
		{`5`, "/expected_mode_state", `5`},
		{`null`, "/expected_mode_state", `null`},
		{`[]`, "/expected_mode_state", `an array`},
		{`{"offers":[{"h1":{}}]}`, "/expected_mode_state/offers", `an array`},
		{`{"offers":"none"}`, "/expected_mode_state/offers", `"none"`},
		{`{"contexts":7}`, "/expected_mode_state/contexts", `7`},
		{`{"_comment":7,"offers":{"_comment":7}}`, "", ""},
	} {
		found := CheckFixture(parse(t, happy[:begin]+`"expected_mode_state": `+tt.state+`}`), Options{})
		if tt.pointer == "" {
			if found != nil {
				t.Errorf("%s: %+v", tt.state, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Pointer != tt.pointer || found[0].Found != tt.found || found[0].Index != -1 {
			t.Errorf("%s: %+v", tt.state, found)
		}
	}
}

// TestFixturePolicy checks that the policy of the options is used only for fixtures without a policy.
func TestFixturePolicy(t *testing.T) {
	strict := Options{Policy: &Policy{Authority: DesignatedRole, DesignatedRoles: []string{"agent://nobody"}}}
	if found := CheckFixture(parse(t, fixtures(t)["happy-path.json"]), strict); len(found) == 0 {
		t.Error("the policy given has no effect")
	}
	if found := CheckFixture(parse(t, fixtures(t)["policy-any-participant.json"]), strict); found != nil {
		t.Errorf("%+v", found)
	}
}

// TestFixturesOwnPolicy checks that all callers replay a fixture with its own policy.
func TestFixturesOwnPolicy(t *testing.T) {
	transcript, _ := Read(parse(t, fixtures(t)["policy-designated-role.json"]))
	if p := Project(transcript, Options{}); p.Commitment == nil || p.Commitment.Sender != "agent://auditor" {
		t.Errorf("%+v", p)
	}
	unnamed := fixtures(t)["policy-of-an-empty-version.json"]
	named := strings.Replace(unnamed, `"policy_version": ""`, `"policy_version": "policy.support"`, 1)
	if freeze(t, unnamed) != freeze(t, named) {
		t.Error("an empty policy_version is not the policy's")
	}
}
