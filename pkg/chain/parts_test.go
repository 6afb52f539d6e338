package chain

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// TestWordsOfParts compares the words of a part with those of all its texts in one, each
// on a line.
func TestWordsOfParts(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"invoice", "INV-2041", " ", "1,250.00", "1.250,00", "v2.1", ":", ",", ".", "-", "@", "x", "é", "Zürich", "“", "\n", "\"", "\\",
			"{", "}", "[", "]", `{"a": "b c"}`, `[1, {"no": "INV-7"}]`, "```", "| a | b |", "2026-06-01T10:00:00Z",
		}), 0, 6).Draw(t, "pieces")
		all := ""
		for _, p := range pieces {
			all += p
		}
		return all
	})
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(map[string]any{
			"list": rapid.SliceOfN(text, 0, 4).Draw(t, "list"), "number": rapid.Float64().Draw(t, "number"),
			"members": rapid.MapOfN(text, text, 0, 4).Draw(t, "members"), "is": true, "none": nil,
		})
		if err != nil {
			t.Fatal(err)
		}
		d, err := jsonstream.Parse(jsonstream.NewRaw(raw), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r := readers.Get().(*reader)
		defer r.release()
		want := summarize.AppendSums(nil, r.textOf(d.Root()))
		p := r.newPart(d.Root(), false)
		got := slices.Clone(p.data[:p.words])
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(slices.Compact(want), slices.Compact(got)); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	})
}

// TestDropRepeated checks that all sums are kept, and that few of them are kept twice.
func TestDropRepeated(t *testing.T) {
	far := uint32(1 << recentBits) // the distance between two sums in the same slot
	tests := []struct {
		name      string
		sums, out []uint32
	}{
		{"none", nil, nil},
		{"all different", []uint32{3, 1, 2}, []uint32{3, 1, 2}},
		{"one again", []uint32{3, 1, 3, 3}, []uint32{3, 1}},
		{"zero is a sum", []uint32{0, 5, 0}, []uint32{0, 5, 0}},
		{"one that made room", []uint32{7, 7 + far, 7}, []uint32{7, 7 + far, 7}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := &reader{data: slices.Clone(test.sums)}
			r.dropRepeated()
			if !slices.Equal(r.data, test.out) {
				t.Errorf("got %v, want %v", r.data, test.out)
			}
		})
	}
}
