package validate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// lintedTurns draws turns from few IDs, kinds and texts, so that calls, results and complete
// turns repeat.
func lintedTurns(t *rapid.T) []string {
	id := rapid.SampledFrom([]string{`"c1"`, `"\u00631"`, `"c2"`, `""`, `1`})
	text := rapid.SampledFrom([]string{`"ok"`, `"` + long + `"`, `"` + strings.ReplaceAll(long, "a", `\u0061`) + `"`, `null`})
	kind := rapid.SampledFrom([]string{"tool_use", "tool_result", "function_call", "function_call_output", "text"})
	part := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf(`{"type":%q,"id":%s,"tool_use_id":%s,"call_id":%[3]s,"text":%s}`,
			kind.Draw(t, "type"), id.Draw(t, "id"), id.Draw(t, "other id"), text.Draw(t, "text"))
	})
	turn := rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 9).Draw(t, "form") {
		case 0:
			return fmt.Sprintf(`{"role":"tool","tool_call_id":%s,"content":%s}`, id.Draw(t, "id"), text.Draw(t, "text"))
		case 1:
			return fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":%s},{"id":%s}],"content":[%s,%s]}`, id.Draw(t, "id"), id.Draw(t, "id"), part.Draw(t, "part"), part.Draw(t, "part"))
		case 2:
			return part.Draw(t, "item")
		case 3, 6, 7, 8:
			return fmt.Sprintf(`{"content":%s,"id":%s,"role":"user"}`, text.Draw(t, "text"), id.Draw(t, "id"))
		case 4:
			return fmt.Sprintf(`{"role":"user","content":%s}`, text.Draw(t, "text"))
		case 5:
			return fmt.Sprintf(`{"content": %s, "role": "user"}`, text.Draw(t, "text"))
		default:
			return rapid.SampledFrom([]string{`null`, `{}`, `[{"id":"c1"}]`, `"c1"`}).Draw(t, "turn")
		}
	})
	return rapid.SliceOfN(turn, 0, 12).Draw(t, "turns")
}

// The rules about the history agree with a simple implementation of each.
func TestLintHistoryPlainly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := verbatim(lintedTurns(t)...)
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, rule := range []func([]jsonstream.Value) []string{plainCallWithoutResult, plainResultWithoutCall, plainDuplicateTurn} {
			var turns []jsonstream.Value
			for _, turn := range doc.Root().Get("conversationHistoryVerbatim").Elements() {
				turns = append(turns, turn)
			}
			want = append(want, rule(turns)...)
		}
		var got []string
		for _, f := range lintDocument(doc) {
			where := f.Pointer
			if _, earlier, ok := strings.Cut(f.Message, " at "); ok {
				where += " as " + strings.TrimSuffix(earlier, "; keep one of them")
			}
			got = append(got, ruleName(f)+" "+where)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", text, diff)
		}
	})
}

// plainEvents returns the calls and results with an ID in a turn.
func plainEvents(turn jsonstream.Value) (events []conversation.Part) {
	for e := range conversation.ToolEvents(turn) {
		if e.ID.Text() != "" {
			events = append(events, e)
		}
	}
	return events
}

func plainCallWithoutResult(turns []jsonstream.Value) (found []string) {
	var calls []conversation.Part
	open := map[string]int{}
	for _, turn := range turns {
		for _, e := range plainEvents(turn) {
			if _, waits := open[e.ID.Text()]; e.Kind == conversation.Result {
				delete(open, e.ID.Text())
			} else if !waits {
				open[e.ID.Text()] = len(calls)
				calls = append(calls, e)
			}
		}
	}
	for i, e := range calls {
		if at, waits := open[e.ID.Text()]; waits && at == i {
			found = append(found, "tool-call-without-result "+e.ID.Pointer())
		}
	}
	return found
}

func plainResultWithoutCall(turns []jsonstream.Value) (found []string) {
	called := map[string]bool{}
	for _, turn := range turns {
		for _, e := range plainEvents(turn) {
			if e.Kind == conversation.Call {
				called[e.ID.Text()] = true
			} else if !called[e.ID.Text()] {
				found = append(found, "tool-result-without-call "+e.ID.Pointer())
			}
		}
	}
	return found
}

func plainDuplicateTurn(turns []jsonstream.Value) (found []string) {
	type place struct {
		conversation.Part
		turn int
	}
	ids, events := map[[3]string]jsonstream.Value{}, map[string]place{}
	var distinctive []jsonstream.Value
	for i, turn := range turns {
		var places []string // of earlier equal turns
		id := [3]string{turn.Get("id").Text(), turn.Get("type").Text(), turn.Get("role").Text()}
		if first, ok := ids[id]; ok {
			places = append(places, turn.Pointer()+" as "+first.Pointer())
		} else if id[0] != "" {
			ids[id] = turn
		}
		if at := slices.IndexFunc(distinctive, func(other jsonstream.Value) bool { return equal.Values(turn, other) }); at >= 0 {
			places = append(places, turn.Pointer()+" as "+distinctive[at].Pointer())
		} else if conversation.Distinctive(turn) {
			distinctive = append(distinctive, turn)
		}
		for _, e := range plainEvents(turn) {
			key := fmt.Sprint(e.ID.Text(), e.Kind)
			if first, ok := events[key]; !ok {
				events[key] = place{e, i}
			} else if first.turn != i || first.Value.Parent() == e.Value.Parent() {
				places = append(places, e.ID.Pointer()+" as "+first.Value.Pointer())
			}
		}
		if len(places) > 0 {
			found = append(found, "duplicate-turn "+places[0])
		}
	}
	return found
}

func TestIsNameValue(t *testing.T) {
	form := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*:\s*\S`)
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "Z", "_", "0", "9", ".", "-", ":", " ", "\t", "\n", "\v", "\f", "\r", "é", "\u00a0", "\x00", "@", "[", "`", "{"})
		text := strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "")
		if got, want := isNameValue(text), form.MatchString(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	})
}

// A document without a secret for the prefilter is not searched, so the prefilter must see a
// secret in every place.
func TestLintSecretPlainly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.SampledFrom(secrets.Kinds()).Draw(t, "kind").Example
		var quoted strings.Builder
		escaped := rapid.IntRange(-1, len(secret)-1).Draw(t, "escaped")
		for i, r := range secret {
			switch {
			case i == escaped || r < ' ':
				fmt.Fprintf(&quoted, `\u%04X`, r)
			case r == '"' || r == '\\':
				fmt.Fprintf(&quoted, `\%c`, r)
			default:
				quoted.WriteRune(r)
			}
		}
		text := fmt.Sprintf(rapid.SampledFrom([]string{`{"taskDescription":"%s"}`, `{"currentState":{"%s":1}}`, `["\n%s"]`, `"é%s"`}).Draw(t, "document"), &quoted)
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := lintDocument(doc); len(got) != 1 || got[0].Rule != "lint/secret" {
			t.Errorf("%s: got %v", text, got)
		}
	})
}
