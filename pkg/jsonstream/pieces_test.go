package jsonstream

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPieces(t *testing.T) {
	const one, two = `{"id":1,"x":{"y":"}{"}}`, `{"id":2}`
	isLine := func(v Value) bool { return v.Get("id").Exists() }
	for _, tt := range []struct {
		name, line string
		want       []string // a piece that is not a document begins with !
	}{
		{"one", one, []string{one}},
		{"two", one + two, []string{one, two}},
		{"with a space", one + " " + two, []string{one + " ", two}},
		{"three", one + two + one, []string{one, two, one}},
		{"a cut one before", one[:12] + two, []string{"!" + one[:12], two}},
		{"a cut one after", two + one[:12], []string{two, "!" + one[:12]}},
		{"a cut one between", two + one[:12] + two, []string{two, "!" + one[:12], two}},
		{"zeros", "\x00\x00" + two, []string{"!\x00\x00", two}},
		{"none", "x", []string{"!x"}},
		{"a cut one", one[:12], []string{"!" + one[:12]}},
		{"no lines", `{"a":1}{"b":2}`, []string{`!{"a":1}{"b":2}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for piece, whole := range Pieces([]byte(tt.line), Limits{}, isLine) {
				got = append(got, strings.Repeat("!", map[bool]int{false: 1}[whole])+string(piece))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
