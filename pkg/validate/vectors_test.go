package validate

import (
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/vectors"
)

// TestVectors checks the messages of the conformance suite: the verdict and the reason of each. For a member or
// a receiver, it also checks the only rule that is broken, and its place and words.
func TestVectors(t *testing.T) {
	for _, c := range vectors.Cases("messages") {
		t.Run(c.ID, func(t *testing.T) {
			id := strings.TrimPrefix(c.ID, "messages/")
			o := Options{}
			if c.Input.Receiver != nil {
				o.Receiver = receiver(t, string(c.Input.Receiver))
			}
			if strings.HasPrefix(id, "member/") {
				o.Layers = []finding.Layer{finding.Schema}
			}
			r := check(t, parseMessage(t, string(c.Input.Message)), o)
			if r.Valid != (c.Expected.Verdict != vectors.Invalid) || !r.Valid && !slices.Contains(c.Expected.Steps, string(r.Reason)) {
				t.Fatalf("got %+v, want %+v", r, c.Expected)
			}
			var found []string // rules with their places
			for _, f := range errorsIn(r) {
				found = append(found, ruleName(f)+" "+f.Pointer)
			}
			group, rest, _ := strings.Cut(id, "/")
			place, _, _ := strings.Cut(rest, "/")
			place = "/" + strings.ReplaceAll(strings.TrimSuffix(place, ".-"), ".", "/")
			want, says, _ := strings.Cut(words[id], "|")
			switch got := strings.Join(found, ", "); {
			case group == "member" && !r.Valid && (len(found) != 1 || !strings.HasPrefix(got, c.Flags[0]+" "+place)):
				t.Errorf("got %q, want %q at %s", got, c.Flags, place)
			case group == "receiver" && got != want:
				t.Errorf("got %q, want %q", got, want)
			case group == "safety" && !strings.HasPrefix(errorsIn(r)[0].Pointer, place):
				t.Errorf("got %q, want %s", got, place)
			}
			if !strings.Contains(r.Details, says) {
				t.Errorf("got %s, want …%s…", r.Details, says)
			}
		})
	}
}

// words are, by case, the broken rules of a receiver with their places, and part of the details after a |.
var words = map[string]string{
	"member/completedSubtasks.-/2":                   `|subtaskId "s1" is also used by /completedSubtasks/0`,
	"member/conversationHistoryVerbatim.0.content/4": `|expected object`,
	"member/conversationHistoryVerbatim.0.content/5": `|expected string or array`,
	"member/costTracking.tokenSpent.prompt/5":        `|expected integer`,
	"member/fromAgent.agentId/2":                     `|must not be empty`,
	"member/fromAgent.agentVersion/5":                `|not a valid semantic version: found "1.2"; write it like "2.1.0"`,
	"member/handoffId/3":                             `|UUID version 4`,
	"member/handoffId/4":                             `|UUID version 4`,
	"member/parentHandoffId/3":                       `|UUID version 4 or null`,
	"member/receiverList/2":                          `|at least 1 element: found 0`,
	"member/relevantContext.0.relevanceScore/6":      `|must be at most 1`,
	"member/relevantContext.0.relevanceScore/7":      `|must be at least 0`,
	"member/remainingSubtasks.-/2":                   `|also used by /remainingSubtasks/0`,
	"member/schemaVersion/4":                         `|schema version 3.0, but this receiver reads 2.x`,
	"member/schemaVersion/5":                         `|1.9`,
	"member/schemaVersion/8":                         `|write it like "2.0"`,
	"member/signature/5":                             `|86 characters of base64url`,
	"member/taskId/1":                                `|write it like "6f9619ff-`,
	"member/timestamp/8":                             `|RFC 3339 date-time with offset`,
	"member/toAgent.agentVersion/11":                 `|not a valid semantic-version range: found "latest"; write it like ">=1.5.0"`,
	"member/toolCallHistory.0.inputHash/2":           `|64 lower-case hexadecimal digits`,
	"member/traceparent/10":                          `|W3C traceparent`,
	"member/traceparent/5":                           `|version 00 has exactly four fields`,
	"member/traceparent/7":                           `|version ff is invalid`,
	"member/traceparent/8":                           `|an all-zero trace-id is invalid`,
	"member/traceparent/9":                           `|an all-zero parent-id is invalid`,
	"receiver/a-name-is-not-a-pointer":               `required-state /currentState|/extractedClauses~10`,
	"receiver/another-addressee":                     `addressee /toAgent|addressed to "risk-scoring-agent", but the receiver is "billing-agent"`,
	"receiver/between-the-alternatives":              `version-range /toAgent/agentVersion|`,
	"receiver/caret":                                 `version-range /toAgent/agentVersion|`,
	"receiver/each-missing-one":                      `required-state /currentState, required-state /currentState|`,
	"receiver/not-in-a-fan-out":                      `addressee /toAgent|to "risk-scoring-agent", "audit-agent", but`,
	"receiver/schema-version":                        `schema-version /schemaVersion|schema version 2.0, but the receiver reads >=2.1 <3`,
	"receiver/schema-version-beyond-all-bounds":      `schema-version /schemaVersion|`,
	"receiver/schema-version-later-minor":            `schema-version /schemaVersion|`,
	"receiver/state-member-missing":                  `required-state /currentState|requires /owner in currentState`,
	"receiver/state-pointer-missing":                 `required-state /currentState|/extractedClauses/3/clauseId`,
	"receiver/state-schema-broken":                   `state-schema /currentState/riskFlags|the receiver's schema for currentState: must have at most 0 elements: found 1 (maxItems)`,
	"receiver/state-schema-false":                    `state-schema /currentState|`,
	"receiver/types-are-compared-exactly":            `addressee /toAgent|`,
	"receiver/version-below-the-range":               `version-range /toAgent/agentVersion|requires version ">=1.5.0", but the receiver is version 1.4.9`,
	"receiver/wrong-version-in-a-fan-out":            `version-range /receiverList/0/agentVersion|`,
}

// Every case above exists.
func TestVectorsWords(t *testing.T) {
	ids := map[string]bool{}
	for _, c := range vectors.Cases("messages") {
		ids[strings.TrimPrefix(c.ID, "messages/")] = true
	}
	for id := range words {
		if !ids[id] {
			t.Errorf("no case has the id %s", id)
		}
	}
}
