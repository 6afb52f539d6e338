package difftext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiffSideBySide(t *testing.T) {
	long := strings.Repeat("one two three four five ", 10)
	a := parseText(t, `{"n":1,"s":"`+long+`the vendor may not terminate. `+long+`","v":[1],"w":"日本語","gone":0}`)
	b := parseText(t, `{"n":2,"s":"`+long+`the vendor may always, at any time, terminate. `+long+`","v":"`+long+`","w":"日本"}`)
	e := editOf(t, a, b, change{from: "/n", to: "/n"}, change{from: "/s", to: "/s"}, change{from: "/v", to: "/v"}, change{from: "/w", to: "/w"}, change{from: "/gone", to: "-"})
	want := `n
      1                                             │ 2
s
      … 45 words … one two three four five the      │ … 45 words … one two three four five the
      vendor may [-not-] terminate. one two three   │ vendor may {+always, at any time,+}
      four five one two … 43 words …                │ terminate. one two three four five one two
                                                    │ … 43 words …
v
      [1]                                           │ "one two three four five one two three four
                                                    │ five one two three four five one two three
                                                    │ four five one two three four five one two
                                                    │ three four five … 10 words … one two three
                                                    │ four five one two three four five "
w
      "日本語"                                      │ "日本"
gone
  - 0
`
	if diff := cmp.Diff(want, showDiff(t, 100, false, Options{SideBySide: true}, "", a, b, e)); diff != "" {
		t.Error(diff)
	}
	narrow := showDiff(t, 99, false, Options{}, "", a, b, e)
	if diff := cmp.Diff(narrow, showDiff(t, 99, false, Options{SideBySide: true}, "", a, b, e)); diff != "" {
		t.Errorf("where there is no room for two columns:\n%s", diff)
	}
}
