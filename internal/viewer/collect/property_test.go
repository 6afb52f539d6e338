package collect_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/internal/viewer/collect"
	"github.com/eaapl/handoff/internal/viewer/collect/collecttest"
	"github.com/eaapl/handoff/pkg/finding"
)

// planted is a credential in generated messages, and escaped is another spelling of it.
const (
	planted = "ghp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3dE5"
	escaped = `\u0067hp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3dE5`
)

// For any messages in any order: each is on the page once, unchanged except for credentials, of
// which nothing remains; the counts of the lists equal those of the details; and tasks, trees and
// totals do not depend on the order.
func TestProperties(t *testing.T) {
	for _, run := range []string{"first", "second", "third"} { // a hundred pages each
		t.Run(run, rapid.MakeCheck(checkPage))
	}
}

func checkPage(t *rapid.T) {
	list := rapid.SliceOfN(rapid.Custom(genMessage), 1, 7).Draw(t, "messages")
	if rapid.Bool().Draw(t, "a copy") {
		list = append(list, rapid.SampledFrom(list).Draw(t, "of"))
	}
	var in []given
	for i, text := range list {
		in = append(in, given{fmt.Sprintf("%d.json", i), text})
	}
	o := collecttest.Options()
	o.Commands = func(s collect.Subject) []viewer.Command { return []viewer.Command{{Line: s.Message.Source}} }
	p := pageOfAll(t, o, in)
	details := collecttest.Details(t, p)
	checkShown(t, in, details, false)
	for i, d := range details {
		checkCounts(t, p.Index, i, d)
	}
	whole, err := json.Marshal([]any{p.Index, details})
	if err != nil {
		t.Fatal(err)
	}
	if hasPlanted(string(whole)) {
		t.Errorf("the credential is in %s", whole)
	}

	other := pageOfAll(t, o, rapid.Permutation(in).Draw(t, "in another order"))
	if diff := cmp.Diff(outlineOf(p.Index, details), outlineOf(other.Index, collecttest.Details(t, other))); diff != "" {
		t.Errorf("in another order: %s", diff)
	}
	o.Secrets = true
	checkShown(t, in, collecttest.Details(t, pageOfAll(t, o, in)), true)
}

// genMessage draws the text of a message, with few names, so that messages are related.
func genMessage(t *rapid.T) string {
	pick := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "pick") }
	word := func() string {
		return pick("risk", "all clauses", `naïve \ud83d\ude00`, planted, escaped, " ")
	}
	switch pick("canonical", "canonical", "canonical", "canonical", "chat", "request", "malformed", "no UTF-8") {
	case "chat":
		return `{"messages":[{"role":"user","content":"` + word() + `"}],"n":` + pick("0.10", "9007199254740993", "1e400") + `}`
	case "request":
		return `{"request_id":"r","from_agent":"a","to_agent":"b","reason":"` + word() + `","context_snapshot":"` + carrying(word()) + `"}`
	case "malformed":
		return `{"taskId":"t1","a":"` + word() + `","a":2}`
	case "no UTF-8":
		return `{"taskDescription":"` + word() + "\xff\"}"
	}
	agent := func() string { return pick("planner", "reader", "writer") }
	m := fmt.Sprintf(`{"handoffId":"%s","taskId":"%s","parentHandoffId":%s,"fromAgent":{"agentId":"%s"},"toAgent":{"agentType":"%s"},"timestamp":"2026-06-12T09:%02d:00Z"`,
		pick("a", "b", "c", "d", "e", planted), pick("t1", "t1", "t2", "T1"), pick("null", `"a"`, `"b"`, `"c"`, `"d"`), agent(), agent(), rapid.IntRange(0, 3).Draw(t, "minute"))
	if rapid.Bool().Draw(t, "to several") {
		m += fmt.Sprintf(`,"receiverList":[{"agentType":"%s"},{"agentType":"%s"}]`, agent(), agent())
	}
	spent := rapid.IntRange(0, 9).Draw(t, "spent")
	return m + fmt.Sprintf(`, "taskDescription":"%s","constraints":["%s"],"currentState":{"%s":"%s","%[3]s2":[1.10]},"completedSubtasks":[],"remainingSubtasks":[{"subtaskId":"%[5]s","description":"part"}],
		"costTracking":{"costSpentSoFarUSD":0.%d,"costBudgetRemainingUSD":0.%d0,"tokenSpent":{"prompt":%[6]d,"completion":1}},"unknown":1e400}`,
		word(), word(), word(), word(), pick("s1", "s2"), spent, 9-spent)
}

// carrying returns a context in base64.
func carrying(text string) string {
	return base64.StdEncoding.EncodeToString([]byte(`{"conversation_history":[{"role":"user","content":"` + text + `"}]}`))
}

// hasPlanted reports whether a text contains the credential, also in a carried context.
func hasPlanted(text string) bool {
	return slices.ContainsFunc([]string{planted[4:], carrying(planted), carrying(escaped)}, func(s string) bool { return strings.Contains(text, s) })
}

// checkShown checks that each message is on the page once, unchanged except for a hidden
// credential.
func checkShown(t *rapid.T, in []given, list []*viewer.Details, secrets bool) {
	var shown []string
	for _, d := range list {
		source := d.Commands[0].Line
		shown = append(shown, source)
		i := slices.IndexFunc(in, func(g given) bool { return g.source == source })
		text := in[i].text
		hides := !secrets && hasPlanted(text)
		got := d.Message
		if d.Base64 {
			decoded, err := base64.StdEncoding.DecodeString(got)
			if err != nil {
				t.Fatal(err)
			}
			got = string(decoded)
		}
		if (got != text) != hides || d.Masked != hides {
			t.Errorf("masked %v, of\n%q\nis shown\n%q", d.Masked, text, got)
		}
	}
	if slices.Sort(shown); len(shown) != len(in) || len(slices.Compact(shown)) != len(in) {
		t.Errorf("of %d messages, %q are shown", len(in), shown)
	}
}

// checkCounts compares the counts of findings in the lists with the details.
func checkCounts(t *rapid.T, index *viewer.Index, i int, d *viewer.Details) {
	h := index.Handoffs[i]
	errors, warnings, rules := 0, 0, []int{}
	for _, f := range d.Findings {
		switch f.Severity {
		case finding.Error:
			errors++
		case finding.Warning:
			warnings++
		}
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	if rules = slices.Compact(rules); errors != h.Errors || warnings != h.Warnings || !slices.Equal(rules, append([]int{}, h.Rules...)) {
		t.Errorf("handoff %d: %d errors, %d warnings of the rules %v, and in the list %+v", i, errors, warnings, rules, h)
	}
	for _, l := range h.Lost {
		if !slices.ContainsFunc(d.Findings, func(f viewer.Finding) bool {
			return f.Rule == l.Rule && f.Message == l.Message && f.Severity == l.Severity
		}) {
			t.Errorf("handoff %d: no finding is what was lost: %+v", i, l)
		}
	}
}

// outlineOf returns the data that must not depend on the order of messages: each task by its id,
// and each handoff with its details under the name of its source, with its parent by the name of
// the parent's source.
func outlineOf(index *viewer.Index, list []*viewer.Details) map[string]any {
	outline := map[string]any{"rules": index.Rules}
	for _, task := range index.Tasks {
		for i := task.First; i < task.First+task.Count; i++ {
			h, d := index.Handoffs[i], *list[i]
			parent, compared := "", ""
			if h.Parent >= 0 {
				parent = list[h.Parent].Commands[0].Line
			}
			if d.Compared >= 0 {
				compared = list[d.Compared].Commands[0].Line
			}
			h.Parent, d.Compared = 0, 0
			outline[d.Commands[0].Line] = []any{strings.ToLower(task.ID), parent, compared, h, d}
		}
		task.First = 0
		outline["task "+strings.ToLower(task.ID)] = task
	}
	return outline
}
