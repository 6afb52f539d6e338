package conversation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// turnTexts draws turns of which many are equal, in another spelling or not.
func turnTexts(t *rapid.T) []string {
	role := rapid.SampledFrom([]string{`"role":"user"`, `"role":"\u0075ser"`, `"r\u006fle":"user"`, `"role":"tool"`})
	long := strings.Repeat("so it goes ", 7)
	content := rapid.SampledFrom([]string{
		`"content":"ok"`, `"content":"` + long + `"`, `"content":"` + strings.Replace(long, "s", `\u0073`, 1) + `"`,
		`"content":["` + long + `",1.0]`, `"content":["` + long + `",10e-1]`, `"content":[1,"` + long + `"]`, `"content":{"text":"` + long + `"}`,
	})
	more := rapid.SampledFrom([]string{`"timestamp":"t1"`, `"timestamp":"t2"`, `"created":1`, `"created":1.0`, `"x":null`, `"x": false`})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		members := rapid.Permutation([]string{role.Draw(t, "role"), content.Draw(t, "content"), more.Draw(t, "more")}).Draw(t, "members")
		return "{" + strings.Join(members[:rapid.IntRange(0, 3).Draw(t, "size")], " , ") + "}"
	}), 0, 12).Draw(t, "turns")
}

// Repeats says what a look at all turns before says.
func TestRepeats(t *testing.T) {
	var seen Repeats
	rapid.Check(t, func(t *rapid.T) {
		seen.Reset()
		turns := turnTexts(t)
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte("["+strings.Join(turns, ",")+"]")), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		list := maps.Collect(doc.Root().Elements())
		var distinctive []int
		for i, turn := range doc.Root().Elements() {
			want, repeats := i, false
			if Distinctive(turn) {
				at := slices.IndexFunc(distinctive, func(j int) bool { return equal.Values(turn, list[j]) })
				if repeats = at >= 0; repeats {
					want = distinctive[at]
				}
				distinctive = append(distinctive, i)
			}
			if first, ok := seen.Add(i, turn); first != want || ok != repeats {
				t.Fatalf("turn %d of %s: got %d, %v; want %d, %v", i, turns, first, ok, want, repeats)
			}
		}
	})
}

// ToolEvents finds the members that determine an item's kind as Get does.
func TestToolEventsByMembers(t *testing.T) {
	member := rapid.Custom(func(t *rapid.T) string {
		name := rapid.SampledFrom([]string{"type", "role", "id", "call_id", "tool_use_id", "tool_call_id", "content", "tool_calls", "function_call", "name"}).Draw(t, "name")
		value := rapid.SampledFrom([]string{
			`"function_call"`, `"program"`, `"local_shell_call_output"`, `"computer_call_output"`, `"server_tool_use"`, `"tool_result"`, `" Tool"`, `"function"`,
			`"c1"`, `1`, `null`, `{"id":"c2"}`, `[{"id":"c3","type":"tool_use"},{"role":"tool","tool_call_id":"c4"},5]`,
		}).Draw(t, "value")
		return fmt.Sprintf("%q:%s", name, value)
	})
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.SliceOfNDistinct(member, 0, 6, func(m string) string { name, _, _ := strings.Cut(m, ":"); return name }).Draw(t, "members")
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte("{"+strings.Join(members, ",")+"}")), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plainToolEvents(doc.Root()), slices.Collect(ToolEvents(doc.Root())), cmp.Comparer(sameValue)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", doc.Raw().Bytes, diff)
		}
	})
}

func sameValue(a, b jsonstream.Value) bool { return a == b }

func plainToolEvents(turn jsonstream.Value) (events []ToolEvent) {
	items := []jsonstream.Value{turn}
	for _, part := range turn.Get("content").Elements() {
		items = append(items, part)
	}
	for _, item := range items {
		kind, role := item.Get("type").Text(), strings.ToLower(strings.TrimSpace(item.Get("role").Text()))
		switch {
		case kind == "local_shell_call_output" && !item.Get("call_id").Exists():
			events = append(events, ToolEvent{item, item.Get("id"), true})
		case strings.HasSuffix(kind, "_call"), kind == "program":
			events = append(events, ToolEvent{item, item.Get("call_id"), false})
		case strings.HasSuffix(kind, "_output"):
			events = append(events, ToolEvent{item, item.Get("call_id"), true})
		case strings.HasSuffix(kind, "tool_use"):
			events = append(events, ToolEvent{item, item.Get("id"), false})
		case strings.HasSuffix(kind, "tool_result"):
			events = append(events, ToolEvent{item, item.Get("tool_use_id"), true})
		case role == "tool", role == "function":
			events = append(events, ToolEvent{item, item.Get("tool_call_id"), true})
		}
	}
	for _, call := range turn.Get("tool_calls").Elements() {
		events = append(events, ToolEvent{call, call.Get("id"), false})
	}
	if call := turn.Get("function_call"); call.Kind() == jsonstream.Object {
		events = append(events, ToolEvent{Item: call})
	}
	return events
}

// Many escapes make a long string of a short text.
func TestDistinctiveByLength(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{name: "64 characters", text: strings.Repeat("a", 64)},
		{name: "65 characters", text: strings.Repeat("a", 65), want: true},
		{name: "64 escapes", text: strings.Repeat(`\u0061`, 64)},
		{name: "65 escapes", text: strings.Repeat(`\u0061`, 65), want: true},
		{name: "64 short escapes", text: strings.Repeat(`\n`, 64)},
		{name: "16 characters of four bytes", text: strings.Repeat(`\ud83d\ude00`, 16)},
		{name: "17 characters of four bytes", text: strings.Repeat(`\ud83d\ude00`, 17), want: true},
		{name: "a thousand escapes", text: strings.Repeat(`\u0061`, 1000), want: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"content":"`+tt.text+`"}`)), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := Distinctive(doc.Root()); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
