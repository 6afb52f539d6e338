package automaton

import "testing"

func TestStopsEarly(t *testing.T) {
	for _, tt := range []struct {
		name string
		expr string
		text string // ASCII; all characters but the last are read before the answer
		want uint16
	}{
		{name: "a match", expr: `^ff-`, text: "ff-", want: accept},
		{name: "a match anywhere", expr: `\S`, text: "  x", want: accept},
		{name: "a match, whatever its end", expr: `^a(?s:.*)$`, text: "a", want: accept},
		{name: "either of two that exclude each other", expr: `^a(?:$|[^b]|b)`, text: "a", want: accept},
		{name: "every text", expr: `(?s)^.*$`, want: accept},
		{name: "no match", expr: `^[0-9]+$`, text: "12a", want: reject},
		{name: "no match after a line", expr: `^.*$`, text: "a\n", want: reject},
		{name: "a word that goes on and ends", expr: `^a\b\w`, want: reject},
		{name: "no text", expr: `a^`, want: reject},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := Compile(tt.expr)
			if err != nil {
				t.Fatal(err)
			}
			entry := a.start
			for i := range len(tt.text) {
				if entry < firstRow {
					t.Fatalf("stops at %q", tt.text[:i])
				}
				entry = a.table[int(entry)+int(a.ascii[tt.text[i]])]
			}
			if entry != tt.want {
				t.Errorf("the entry after %q is %d, want %d", tt.text, entry, tt.want)
			}
		})
	}
}
