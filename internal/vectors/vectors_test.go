package vectors

import (
	"slices"
	"strings"
	"testing"

	suite "github.com/eaapl/handoff/vectors"
)

// TestOwnAnswers checks that every answer of handoff is the expected one, also where others may differ.
func TestOwnAnswers(t *testing.T) {
	groups, err := suite.Read(suite.Files())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		for _, c := range g.Cases {
			a, err := answer(t.Context(), Request{c.ID, c.Operation, c.Input})
			if err != nil {
				t.Errorf("%s: %v", c.ID, err)
				continue
			}
			if p := problem(c, a); p != "" {
				t.Errorf("%s: %s: %s", c.ID, p, a.Comment)
			}
			if len(c.Expected.Steps) > 0 && (a.Verdict != c.Expected.Verdict || !slices.Contains(c.Expected.Steps, a.Step)) {
				t.Errorf("%s: got %+v, want %+v", c.ID, a, c.Expected)
			}
		}
	}
}

// TestProblem checks that wrong answers are found.
func TestProblem(t *testing.T) {
	invalid := suite.Case{Expected: suite.Expected{Verdict: suite.Invalid, Steps: []string{"a", "b"}}}
	output := suite.Case{Operation: suite.Canonicalize, Expected: suite.Expected{Verdict: suite.Valid, Output: "{}"}}
	unsure := suite.Case{Expected: suite.Expected{Verdict: suite.Acceptable, Steps: []string{"a"}}}
	repair := suite.Case{
		Operation: suite.RepairHistory, Input: suite.Input{Provider: "anthropic"},
		Expected: suite.Expected{Verdict: suite.Valid, Keep: []string{"18 °C"}},
	}
	const call = `{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}`
	for _, tt := range []struct {
		name string
		c    suite.Case
		a    Answer
		want string // in the problem
	}{
		{"refused by a step", invalid, Answer{Verdict: suite.Invalid, Step: "b"}, ""},
		{"refused without a step", invalid, Answer{Verdict: suite.Invalid}, ""},
		{"refused by another step", invalid, Answer{Verdict: suite.Invalid, Step: "c"}, "wrong step: expected (a or b), got (c)"},
		{"accepted", invalid, Answer{Verdict: suite.Valid}, "expected invalid (a or b), got valid"},
		{"unsure", invalid, Answer{Verdict: suite.Acceptable, Step: "a"}, "got acceptable (a)"},
		{"the output", output, Answer{Verdict: suite.Valid, Output: "{}"}, ""},
		{"another output", output, Answer{Verdict: suite.Valid, Output: "{ }"}, `expected the output "{}", got "{ }"`},
		{"no output", output, Answer{Verdict: suite.Valid}, `got ""`},
		{"acceptable, accepted", unsure, Answer{Verdict: suite.Valid}, ""},
		{"acceptable, refused", unsure, Answer{Verdict: suite.Invalid, Step: "a"}, ""},
		{"acceptable, refused by another step", unsure, Answer{Verdict: suite.Invalid, Step: "b"}, "wrong step"},
		{"repaired", repair, Answer{Verdict: suite.Valid, Output: `[` + call + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"18 °C"}]}]`}, ""},
		{"repaired by a deletion", repair, Answer{Verdict: suite.Valid, Output: `[{"role":"user","content":"a"}]`}, `has lost the text "18 °C"`},
		{"not repaired", repair, Answer{Verdict: suite.Valid, Output: `[` + call + `,{"role":"user","content":"18 °C"}]`}, "would still reject the output"},
		{"repaired to nothing", repair, Answer{Verdict: suite.Valid}, "is not a history"},
	} {
		if got := problem(tt.c, tt.a); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
