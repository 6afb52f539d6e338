package conversation

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// turnTexts draws turns, many of them equal, with the same or another spelling.
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

// TestRepeats compares Repeats with a comparison of each turn with all earlier ones.
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

// TestDistinctiveByLength checks that escapes do not count towards the length of a text.
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
