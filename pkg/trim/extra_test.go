package trim

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Elements of other members are removed in the order of Also, and no more than needed.
func TestExtras(t *testing.T) {
	element := strings.Repeat(long, 10) // larger than the record
	context := func(scores ...string) string {
		var items []string
		for i, score := range scores {
			items = append(items, fmt.Sprintf(`{"source":"%c","excerpt":"%s"%s}`, 'a'+i, element, score))
		}
		return `[` + strings.Join(items, ",") + `]`
	}
	cached := `{"a":"` + element + `","b":"` + element + `","c":"` + element + `"}`
	canonical := `{"handoffId":"h","pad":"` + long + `","relevantContext":` + context(`,"relevanceScore":0.5`, `,"relevanceScore":0.1`, ``, `,"relevanceScore":0.1`) +
		`,"currentState":{"cachedResults":` + cached + `,"phase":1},"toolCallHistory":[{"tool":"` + element + `"},{"tool":"b"}],"conversationHistoryVerbatim":[]}`
	sw4rm := `{"conversation_history":[],"tool_state":{"active_calls":["` + long + `"],"cached_results":` + cached + `,"pending_approvals":["` + long + `"]},"metadata":{"x":1}}`
	for _, tt := range []struct {
		name, in string
		less     int // bytes
		also     []Extra
		want     map[string]int
		left     string // in the result
	}{
		{"the lowest score first, none being 0", canonical, 1, []Extra{RelevantContext}, map[string]int{"relevantContext": 1}, `"relevanceScore":0.1},{"source":"d"`},
		{"of a tie, the oldest", canonical, 800, []Extra{RelevantContext}, map[string]int{"relevantContext": 2}, `"relevanceScore":0.5},{"source":"d"`},
		{"the oldest of a cache", canonical, 800, []Extra{CachedResults, RelevantContext}, map[string]int{"cachedResults": 2}, `"cachedResults":{"c":"Nothing`},
		{"one after the other", canonical, 1500, []Extra{ToolCallHistory, CachedResults}, map[string]int{"toolCallHistory": 2, "cachedResults": 1}, `"toolCallHistory":[]`},
		{"what a format has not", sw4rm, 800, []Extra{RelevantContext, ToolCallHistory, CachedResults}, map[string]int{"cachedResults": 2}, `"cached_results":{"c":"Nothing`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := mustTrim(t, tt.in, Options{MaxBytes: len(tt.in) - tt.less, Also: tt.also})
			if diff := cmp.Diff(tt.want, r.Record.GivenUp); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(string(r.Text), tt.left) {
				t.Errorf("left %s", r.Text)
			}
			for _, pointer := range []string{"/tool_state/active_calls", "/tool_state/pending_approvals", "/currentState/phase", "/pad"} {
				if was, is := document(t, []byte(tt.in)).Root().At(pointer), document(t, r.Text).Root().At(pointer); string(was.Raw()) != string(is.Raw()) {
					t.Errorf("%s is %s", pointer, is.Raw())
				}
			}
			if got := restored(t, r.Text, r); got != tt.in {
				t.Errorf("restored %s", got)
			}
		})
	}
}

// The counts of removed elements add up, and are undone trim by trim. Two trims that remove no
// turns have different digests.
func TestExtrasTwice(t *testing.T) {
	var results []string
	for i := range 20 {
		results = append(results, fmt.Sprintf(`"k%d":"%s"`, i, long))
	}
	text := `{"conversation_history":[],"tool_state":{"cached_results":{` + strings.Join(results, ",") + `}}}`
	a := mustTrim(t, text, Options{MaxBytes: 1500, Also: Extras()})
	b := mustTrim(t, string(a.Text), Options{MaxBytes: 1000, Also: Extras()})
	left := document(t, b.Text).Root().At("/tool_state/cached_results").Len()
	if n := b.Record.GivenUp["cachedResults"]; n != 20-left || n <= a.Record.GivenUp["cachedResults"] || left == 0 {
		t.Errorf("%d given up, %d left", n, left)
	}
	if got := restored(t, b.Text, a, b); got != text {
		t.Errorf("restored %s", got)
	}
	_, err := trimText(t, text, Options{MaxBytes: 300, Also: Extras()})
	if over := (*OverError)(nil); !errors.As(err, &over) || over.Rest[0].Name != "metadata.trim" || over.Rest[1].Name != "tool_state" || over.Rest[1].Size > 40 {
		t.Errorf("with everything given up: %v", err)
	}
}

// An element can count more on its own than its removal saves: then more are removed, but not
// all.
func TestExtrasThatGainLess(t *testing.T) {
	text := `{"handoffId":"h","currentState":{"cachedResults":[` + strings.Repeat("1,", 800) + `"` + strings.Repeat(long, 40) + `"]},"conversationHistoryVerbatim":[]}`
	limit := sizeOf(open(t, []byte(text)), nil).tokens - 100
	r := mustTrim(t, text, Options{MaxTokens: limit, Also: Extras()})
	if n := r.Record.GivenUp["cachedResults"]; n < 200 || n > 500 {
		t.Errorf("%d given up, for %d tokens of %d", n, r.Record.TokensAfter, limit)
	}
}
