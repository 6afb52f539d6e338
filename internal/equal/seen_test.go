package equal_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
)

func TestSeen(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		equal bool
	}{
		{`{"a":1,"b":[true,null]}`, `{ "b" : [true, null], "\u0061" : 1.0e0 }`, true},
		{`{"a":"\u00e9\/"}`, `{"a":"é/"}`, true},
		{`[0]`, `[-0.0]`, true},
		{`[9007199254740993]`, `[9007199254740992]`, false},
		{`[1e400]`, `[1e401]`, false},
		{`[1,2]`, `[2,1]`, false},
		{`["1"]`, `[1]`, false},
		{`["null"]`, `[null]`, false},
		{`[1,2]`, `[12]`, false},
		{`["a","b"]`, `["a\"1:b"]`, false},
		{`{"a":{}}`, `{"a":[]}`, false},
		{`[[],[]]`, `[[[]]]`, false},
		{`{"a":"b"}`, `["a","b"]`, false},
	} {
		var seen equal.Seen
		seen.Add(0, parse(t, tt.a))
		if _, got := seen.Add(1, parse(t, tt.b)); got != tt.equal {
			t.Errorf("%s and %s: equal %v", tt.a, tt.b, got)
		}
	}
}

// Seen agrees with a search of all earlier values, also after a reset.
func TestSeenOfMany(t *testing.T) {
	var seen equal.Seen
	rapid.Check(t, func(t *rapid.T) {
		seen.Reset()
		texts := rapid.SliceOf(rapid.Custom(func(t *rapid.T) string { return value(t, 1) })).Draw(t, "values")
		first := map[string]int{}
		for i, v := range parse(t, "["+strings.Join(texts, ",")+"]").Elements() {
			want, again := first[normal(v)]
			if !again {
				first[normal(v)], want = i, i
			}
			if got, ok := seen.Add(i, v); got != want || ok != again {
				t.Fatalf("value %d of %s: got %d, %v; want %d, %v", i, texts, got, ok, want, again)
			}
		}
	})
}
