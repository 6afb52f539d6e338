package macp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

// violationLines returns violations in the form "index: rule code".
func listed(found []Violation) []string {
	var out []string
	for _, v := range found {
		out = append(out, fmt.Sprintf("%d: %s %s", v.Index, ruleNumber.Replace(v.Rule), v.Reason))
	}
	return out
}

var ruleNumber = strings.NewReplacer("macp/", "", "shape", "0", "expectation", "0")

// TestRules checks that every rule has an example with one message that breaks it, and a valid example.
func TestRules(t *testing.T) {
	rules := Rules()
	rules = rules[slices.IndexFunc(rules, func(r finding.Rule) bool { return r.ID == "macp/1" }):]
	if len(rules) != 22 {
		t.Fatalf("%d rules with a number, want 22", len(rules))
	}
	for i, r := range rules {
		t.Run(r.ID, func(t *testing.T) {
			if r.ID != ruleID(i+1) || r.Summary == "" || r.Why == "" || r.Reason == "" {
				t.Errorf("incomplete: %+v", r)
			}
			if found := Check(parse(t, r.Good), Options{}); found != nil {
				t.Errorf("the good example: %v", listed(found))
			}
			found := Check(parse(t, r.Bad), Options{})
			if len(found) != 1 || found[0].Rule != r.ID || found[0].Reason != r.Reason {
				t.Fatalf("the bad example: %v", listed(found))
			}
			v := found[0]
			if v.Expected == "" || v.Found == "" || v.Fix == "" || strings.Contains(v.Message, "\n") {
				t.Errorf("incomplete: %q", v.Message)
			}
			if at := parse(t, r.Bad).Root().At(v.Pointer); !at.Exists() || at.Position() != v.Position() {
				t.Errorf("placed at %q, %+v", v.Pointer, v.Position())
			}
			if !strings.HasPrefix(v.Pointer, fmt.Sprintf("/messages/%d", v.Index)) {
				t.Errorf("message %d, placed at %q", v.Index, v.Pointer)
			}
		})
	}
}

var (
	start   = starts()
	offer   = offers("h1", alice, bob)
	accept  = accepts("h1", bob, bob)
	decline = declines("h1", bob)
	commit  = commits(alice)
	context = gives("h1", alice)
	failure = changed(func(c *Commitment) { c.Action, c.OutcomePositive = "handoff.declined", false })
)

func with(step Step, id string) Step { step.MessageID = id; return step }

func at(timestamp string, step Step) Step { step.Timestamp = timestamp; return step }

func implicit(step Step) Step {
	p := *step.Payload.(*HandoffAccept)
	p.Implicit = true
	step.Payload = &p
	return step
}

// edit returns the example with a text replaced, for messages that a Step cannot express.
func edit(text, old, with string) string {
	if !strings.Contains(text, old) {
		panic("nothing to replace: " + old)
	}
	return strings.ReplaceAll(text, old, with)
}

func acting(action string, positive bool) Step {
	return changed(func(c *Commitment) { c.Action, c.OutcomePositive = action, positive })
}

func TestCheck(t *testing.T) {
	anyone := &Policy{Authority: AnyParticipant}
	carolOnly := &Policy{Authority: DesignatedRole, DesignatedRoles: []string{carol, mallory}}
	timeout := &Policy{ImplicitAcceptMS: 5000}
	full := example(start, offer, context, accept, commit)
	tests := []struct {
		name   string
		text   string
		policy *Policy
		want   []string
	}{
		{name: "rules 1 to 22 kept", text: full},
		{name: "rule 1: no message", text: example(), want: []string{"-1: 1 SESSION_ALREADY_EXISTS"}},
		{name: "rule 1: SessionStart comes late, and opens the session", text: example(offer, with(context, "m-9"), start, offer),
			want: []string{"0: 1 SESSION_ALREADY_EXISTS"}},
		{name: "rule 1: a second SessionStart has no effect", text: example(start, Step{Sender: bob, Payload: starts().Payload}, offer, accept, commit),
			want: []string{"1: 1 SESSION_ALREADY_EXISTS"}},
		{name: "rule 1: a second SessionStart after the session resolved", text: example(start, offer, decline, failure, start),
			want: []string{"4: 1 SESSION_ALREADY_EXISTS"}},
		{name: "rule 1: after a SessionStart that was rejected, only that is reported",
			text: edit(full, `"ttl_ms":60000`, `"ttl_ms":0`), want: []string{"0: 0 INVALID_ENVELOPE"}},
		{name: "rule 2: the transcript and all messages, reported once", text: edit(full, `1.0",`, `2.0",`),
			want: []string{"-1: 2 UNSUPPORTED_PROTOCOL_VERSION"}},
		{name: "rule 2: only the messages", text: edit(example(start, offer), `"macp_version":"1.0"`, `"macp_version":"1.1"`),
			want: []string{"0: 2 UNSUPPORTED_PROTOCOL_VERSION", "1: 2 UNSUPPORTED_PROTOCOL_VERSION"}},
		{name: "rule 2: a number", text: edit(full, `"protocol_version": "1.0"`, `"protocol_version": 1.0`),
			want: []string{"-1: 2 UNSUPPORTED_PROTOCOL_VERSION"}},
		{name: "rule 3: a duplicate has no effect", text: example(start, with(offer, "x"), with(offers("h2", alice, carol), "x"), accept, commit),
			want: []string{"2: 3 DUPLICATE_MESSAGE"}},
		{name: "rule 3: a message that was rejected uses no id", text: example(start, with(offers("h1", bob, carol), "x"), with(offer, "x"), accept),
			want: []string{"1: 5 FORBIDDEN"}},
		{name: "rule 3 goes before rule 4", text: example(start, offer, with(accept, "x"), commit, with(accept, "x")),
			want: []string{"4: 3 DUPLICATE_MESSAGE"}},
		{name: "rule 3 goes before rule 1: a SessionStart that was sent again", text: example(with(start, "x"), with(start, "x")),
			want: []string{"1: 3 DUPLICATE_MESSAGE"}},
		{name: "rule 4: every message after the commitment", text: example(start, offer, accept, commit, context, commit),
			want: []string{"4: 4 SESSION_NOT_OPEN", "5: 4 SESSION_NOT_OPEN"}},
		{name: "rule 4: a commitment that was rejected resolves nothing", text: example(start, offer, accept, commits(bob), context, commit),
			want: []string{"3: 16 FORBIDDEN"}},
		{name: "rule 5: a stranger", text: example(start, offers("h1", mallory, bob)), want: []string{"1: 5 FORBIDDEN"}},
		{name: "rule 6: accept and decline of strangers", text: example(start, offer, accepts("h1", mallory, ""), declines("h1", mallory)),
			want: []string{"2: 6 FORBIDDEN", "3: 6 FORBIDDEN"}},
		{name: "rule 7: no handoff_id", text: example(start, offers("", alice, bob)), want: []string{"1: 7 INVALID_ENVELOPE"}},
		{name: "rule 7: no target", text: example(start, offers("h1", alice, "")), want: []string{"1: 7 INVALID_ENVELOPE"}},
		{name: "rule 7: a target that is no participant", text: example(start, offers("h1", alice, mallory)), want: []string{"1: 7 INVALID_ENVELOPE"}},
		{name: "rule 7: what follows from the rejected offer is not reported", text: example(start, offers("h1", alice, mallory), context, accept, commit),
			want: []string{"1: 7 INVALID_ENVELOPE"}},
		{name: "rule 8: an id of an outstanding offer", text: example(start, offer, offer), want: []string{"2: 8 INVALID_ENVELOPE"}},
		{name: "rule 8: an id that was rejected is free", text: example(start, offers("h1", alice, mallory), offer, accept),
			want: []string{"1: 7 INVALID_ENVELOPE"}},
		{name: "rule 9: with context sent", text: example(start, offer, context, offers("h2", alice, carol)), want: []string{"3: 9 INVALID_ENVELOPE"}},
		{name: "rule 9: because the decline was rejected, which is what is reported",
			text: example(start, offer, declines("h1", carol), offers("h2", alice, carol)), want: []string{"2: 13 FORBIDDEN"}},
		{name: "rule 9: a rejected answer explains nothing once there was another",
			text: example(start, offer, declines("h1", carol), decline, offers("h2", alice, carol), offers("h3", alice, bob)), want: []string{"2: 13 FORBIDDEN", "5: 9 INVALID_ENVELOPE"}},
		{name: "rules 9 and 15: the rejected offer cannot be answered, the first one can",
			text: example(start, offer, offers("h2", alice, carol), accepts("h2", carol, ""), accept, decline, commit),
			want: []string{"2: 9 INVALID_ENVELOPE", "5: 15 INVALID_ENVELOPE"}},
		{name: "rule 10: two declines and an accept", text: example(start, offer, decline, offers("h2", alice, carol), declines("h2", carol),
			offers("h3", alice, bob), accepts("h3", bob, ""), offers("h4", alice, carol)), want: []string{"7: 10 INVALID_ENVELOPE"}},
		{name: "rule 11: context, accept and decline", text: example(start, context, accept, decline),
			want: []string{"1: 11 INVALID_ENVELOPE", "2: 11 INVALID_ENVELOPE", "3: 11 INVALID_ENVELOPE"}},
		{name: "rule 11: the offer comes later", text: example(start, accept, offer, accept, commit), want: []string{"1: 11 INVALID_ENVELOPE"}},
		{name: "rule 12: late context after accept and decline", text: example(start, offer, decline, context, offers("h2", alice, carol), accepts("h2", carol, ""), gives("h2", alice))},
		{name: "rule 13: a decline by the initiator", text: example(start, offer, declines("h1", alice)), want: []string{"2: 13 FORBIDDEN"}},
		{name: "rule 14: declined_by", text: edit(example(start, offer, decline), `"declined_by":"agent://bob"`, `"declined_by":"agent://carol"`),
			want: []string{"2: 14 INVALID_ENVELOPE"}},
		{name: "rule 14: an answer that was rejected leaves the offer outstanding", text: example(start, offer, accepts("h1", bob, carol), accept, commit),
			want: []string{"2: 14 INVALID_ENVELOPE"}},
		{name: "rule 15: two accepts, two declines", text: example(start, offer, decline, decline, offers("h2", alice, bob), accepts("h2", bob, ""), accepts("h2", bob, "")),
			want: []string{"3: 15 INVALID_ENVELOPE", "6: 15 INVALID_ENVELOPE"}},
		{name: "rule 15: decline, then accept", text: example(start, offer, decline, accept), want: []string{"3: 15 INVALID_ENVELOPE"}},

		{name: "rule 16: initiator_only, the initiator", text: full, policy: &Policy{Authority: InitiatorOnly}},
		{name: "rule 16: initiator_only, the target", text: example(start, offer, accept, commits(bob)), policy: &Policy{Authority: InitiatorOnly}, want: []string{"3: 16 FORBIDDEN"}},
		{name: "rule 16: any_participant, the target", text: example(start, offer, accept, commits(bob)), policy: anyone},
		{name: "rule 16: any_participant, the initiator", text: full, policy: anyone},
		{name: "rule 16: any_participant, a stranger", text: example(start, offer, accept, commits(mallory)), policy: anyone, want: []string{"3: 16 FORBIDDEN"}},
		{name: "rule 16: designated_role, one of them", text: example(start, offer, accept, commits(carol)), policy: carolOnly},
		{name: "rule 16: designated_role, one who is no participant", text: example(start, offer, accept, commits(mallory)), policy: carolOnly},
		{name: "rule 16: designated_role, not even the initiator", text: full, policy: carolOnly, want: []string{"4: 16 FORBIDDEN"}},
		{name: "rule 17: no offer", text: example(start, commit), want: []string{"1: 17 INVALID_ENVELOPE"}},
		{name: "rule 17: an offer that was declined is enough", text: example(start, offer, decline, offers("h2", alice, carol), failure)},
		{name: "rule 17: because the accept was rejected, which is what is reported", text: example(start, offer, accepts("h1", carol, ""), commit), want: []string{"2: 13 FORBIDDEN"}},
		{name: "rule 18: configuration_version", text: example(start, offer, accept, changed(func(c *Commitment) { c.ConfigurationVersion = "" })), want: []string{"3: 18 INVALID_ENVELOPE"}},
		{name: "rule 18: policy_version may be empty", text: example(start, offer, accept, changed(func(c *Commitment) { c.PolicyVersion = "" }))},
		{name: "rule 18: policy_version of another policy", text: example(start, offer, accept, changed(func(c *Commitment) { c.PolicyVersion = "policy.other" })), want: []string{"3: 18 INVALID_ENVELOPE"}},
		{name: "rule 18: the policy is named", text: edit(full, `"policy_version":""`, `"policy_version":"policy.strict"`), want: []string{"4: 18 INVALID_ENVELOPE"}},
		{name: "rule 18: and the commitment names it", text: edit(edit(full, `"policy_version":""`, `"policy_version":"policy.strict"`), DefaultPolicy, "policy.strict"),
			policy: &Policy{ID: "policy.strict"}},
		{name: "rule 18: an empty policy_version is policy.default, whatever policy is given", text: full, policy: &Policy{ID: "policy.strict"}},
		{name: "the policy given is not the session's", text: edit(full, `"policy_version":""`, `"policy_version":"policy.strict"`),
			policy: &Policy{ID: "policy.lax"}, want: []string{"0: 0 UNKNOWN_POLICY_VERSION"}},
		{name: "rule 19: outcome_positive is left out", text: edit(full, `,"outcome_positive":true`, ""), want: []string{"4: 19 INVALID_ENVELOPE"}},
		{name: "rule 19: an action with another ending, positive", text: example(start, offer, accept, acting("handoff.accepted.partly", true))},
		{name: "rule 19: an action with another ending, negative", text: example(start, offer, accept, acting("handoff.accepted.partly", false))},
	}
	for _, e := range endings {
		tests = append(tests, []struct {
			name   string
			text   string
			policy *Policy
			want   []string
		}{
			{name: "rule 19: " + e.text, text: example(start, offer, accept, acting("handoff."+e.text, e.positive))},
			{name: "rule 19: the opposite of " + e.text, text: example(start, offer, accept, acting("handoff."+e.text, !e.positive)), want: []string{"3: 19 INVALID_ENVELOPE"}},
		}...)
	}
	tests = append(tests, []struct {
		name   string
		text   string
		policy *Policy
		want   []string
	}{
		{name: "rule 20: the time has passed", text: example(after(0, start), after(10, offer), after(5010, commit)), policy: timeout},
		{name: "rule 20: the time has not passed", text: example(after(0, start), after(10, offer), after(5009, commit)), policy: timeout, want: []string{"2: 17 INVALID_ENVELOPE"}},
		{name: "rule 20: by timestamps, as nothing has a time of acceptance",
			text: example(start, at("2026-03-14T09:20:11Z", offer), at("2026-03-14T09:20:16Z", commit)), policy: timeout},
		{name: "rule 20: by timestamps, too early",
			text: example(start, at("2026-03-14T09:20:11Z", offer), at("2026-03-14T09:20:15.999Z", commit)), policy: timeout, want: []string{"2: 17 INVALID_ENVELOPE"}},
		{name: "rule 20: never by timestamps where there are times of acceptance",
			text: example(after(0, start), after(10, at("2020-01-01T00:00:00Z", offer)), after(20, at("2026-03-14T09:20:59Z", commit))), policy: timeout, want: []string{"2: 17 INVALID_ENVELOPE"}},
		{name: "rule 20: an offer without a time of acceptance does not lapse",
			text: example(after(0, start), offer, after(50_000, commit)), policy: timeout, want: []string{"2: 17 INVALID_ENVELOPE"}},
		{name: "rule 20: without a policy nothing lapses", text: example(after(0, start), after(10, offer), after(50_000, commit)), want: []string{"2: 17 INVALID_ENVELOPE"}},
		{name: "rule 20: no accept is implicit, though the time has passed and the id looks like a runtime's",
			text:   example(after(0, start), after(10, offer), after(5010, with(implicit(accept), "implicit-accept:h1")), after(5020, commit)),
			policy: timeout, want: []string{"2: 20 INVALID_ENVELOPE"}},
		{name: "rule 20: a message without a time of acceptance is no earlier than those accepted before it",
			text: example(after(0, start), after(10, offer), after(5010, context), commit), policy: timeout},
		{name: "rule 20: a message that is rejected moves no clock",
			text: example(after(0, start), after(10, offer), after(5010, commits(bob)), commit), policy: timeout, want: []string{"2: 16 FORBIDDEN", "3: 17 INVALID_ENVELOPE"}},
		{name: "rule 20: implicit may be written as false", text: edit(example(start, offer, accept), `"reason":"ready to take ownership"`, `"reason":"","implicit":false`)},
		{name: "rule 20: a commitment that is rejected accepts nothing", text: example(after(0, start), after(10, offer), after(5010, commits(bob)), after(5020, decline)), policy: timeout,
			want: []string{"2: 16 FORBIDDEN"}},
		{name: "rule 21: the mode of a message", text: replaceLast(example(start, offer), Mode, "macp.mode.task.v1"), want: []string{"1: 21 INVALID_ENVELOPE"}},
		{name: "rule 21: another mode altogether, reported once", text: edit(full, Mode, "macp.mode.task.v1"), want: []string{"-1: 21 MODE_NOT_SUPPORTED"}},
		{name: "rule 21: message types are exact", text: edit(example(start, offer), "HandoffOffer", "handoffOffer"), want: []string{"1: 21 INVALID_ENVELOPE"}},
		{name: "rule 22: by timestamps", text: example(at("2026-03-14T09:20:00Z", start), at("2026-03-14T09:21:00Z", offer), at("2026-03-14T09:21:00.001Z", accept), at("2026-03-14T11:20:00+02:00", accept)),
			want: []string{"2: 22 SESSION_NOT_OPEN", "3: 22 SESSION_NOT_OPEN"}},
		{name: "rule 22: by times of acceptance, whatever the senders say",
			text: example(after(0, start), after(100, at("2036-01-01T00:00:00Z", offer)), after(200, at("2001-01-01T00:00:00Z", accept)))},
		{name: "rule 22: a message without a time of acceptance is no earlier than those before it",
			text: example(after(0, start), after(60_001, offer), offer), want: []string{"1: 22 SESSION_NOT_OPEN", "2: 22 SESSION_NOT_OPEN"}},
		{name: "rule 22: what has expired stays so",
			text: example(after(0, start), after(60_001, offer), after(10, offer)), want: []string{"1: 22 SESSION_NOT_OPEN", "2: 22 SESSION_NOT_OPEN"}},
		{name: "rule 22: timestamp_unix_ms goes before timestamp",
			text: replaceLast(example(start, offer), `"timestamp":`, `"timestamp_unix_ms":1773480070001,"timestamp":`), want: []string{"1: 22 SESSION_NOT_OPEN"}},
		{name: "rule 22: a SessionStart without a time is no later than the first message with one",
			text: example(start, after(0, offer), after(60_000, context), after(60_001, accept)), want: []string{"3: 22 SESSION_NOT_OPEN"}},
		{name: "rule 22: a clock that goes back", text: example(after(0, start), after(-5, offer), after(10, accept))},
	}...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := Check(parse(t, tt.text), Options{Policy: tt.policy})
			if diff := cmp.Diff(tt.want, listed(found)); diff != "" {
				t.Errorf("%s\n%+v", diff, found)
			}
		})
	}
}

// TestStateAfterTheTime checks that a session stays expired after a message that was too late.
func TestStateAfterTheTime(t *testing.T) {
	late := at("2036-01-01T00:00:00Z", with(offer, "late"))
	tests := []struct {
		name  string
		steps []Step
		want  State
	}{
		{name: "the last is late", steps: []Step{start, late}, want: Expired},
		{name: "the last is in time", steps: []Step{start, offer, late, decline, failure}, want: Expired},
		{name: "in time", steps: []Step{start, offer, decline, failure}, want: Resolved},
		{name: "by times of acceptance", steps: []Step{after(0, start), after(60_001, late), after(5, offer)}, want: Expired},
	}
	for _, tt := range tests {
		transcript, _ := Read(parse(t, example(tt.steps...)))
		if got := Project(transcript, Options{}).State; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
