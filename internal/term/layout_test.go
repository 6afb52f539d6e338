package term

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"\x1b[2J\x07\n\t":      `\x1b[2J\a\n\t`,
		"\u0085\u009b31m":      `\u0085\u009b31m`,
		"a\u202eb\u2066c":      `a\u202eb\u2066c`,
		"\u200b\ufeff\u00ad":   `\u200b\ufeff\u00ad`,
		"\U000e0041\U000e0100": `\U000e0041\U000e0100`,
		"日本語 é ü ✓":            "日本語 é ü ✓",
		"a\xff\x9b31m\ufffd":   `a\xff\x9b31m` + "\ufffd",
		"👩\u200d👩\u200d👧":      "👩\u200d👩\u200d👧",
	} {
		if got := Visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

// Errors quote files and words of the command line with any content. Only joined errors have a
// line each.
func TestPrintError(t *testing.T) {
	several := errors.Join(errors.New("a\n::error::b"), errors.Join(errors.New("c"), errors.New("\x1b[31md")))
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"one", errors.New("a\x1b[31m.json: cut\nsecond line"), "handoff: a\\x1b[31m.json: cut\\nsecond line\n"},
		{"joined", several, "handoff: a\\n::error::b\nhandoff: c\nhandoff: \\x1b[31md\n"},
		{
			"joined, in a file", Hint{fmt.Errorf("x\n.json: %w", several), ""},
			"handoff: x\\n.json: a\\n::error::b\nhandoff: x\\n.json: c\nhandoff: x\\n.json: \\x1b[31md\n",
		},
		{"two in one text", fmt.Errorf("%w\n%w", io.EOF, errors.New("b")), "handoff: EOF\nhandoff: b\n"},
		{"two in a sentence", fmt.Errorf("%w: %w", io.EOF, errors.New("b\nc")), "handoff: EOF: b\\nc\n"},
	} {
		var b strings.Builder
		PrintError(&b, tt.err)
		if got := b.String(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestClip(t *testing.T) {
	tests := []struct {
		in      string
		columns int
		want    string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"", 3, ""},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"👩\u200d👩\u200d👧👩\u200d👩\u200d👧", 3, "👩\u200d👩\u200d👧…"},
		{"\x1b[31m", 5, `\x1b…`},
	}
	for _, tt := range tests {
		if got := Clip(tt.in, tt.columns); got != tt.want {
			t.Errorf("clip(%q, %d) = %q, want %q", tt.in, tt.columns, got, tt.want)
		}
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		name     string
		in       string
		maxLines int
		want     []string
	}{
		{name: "nothing", in: "", maxLines: 3, want: nil},
		{name: "one line", in: "0123456789", maxLines: 3, want: []string{"0123456789"}},
		{name: "at a space", in: "one two three", maxLines: 3, want: []string{"one two", "three"}},
		{name: "exactly a line", in: "0123456789 ab", maxLines: 3, want: []string{"0123456789", "ab"}},
		{name: "a long word", in: "0123456789abc d", maxLines: 3, want: []string{"0123456789", "abc d"}},
		{name: "own lines", in: "a\r\n\nb\n", maxLines: 3, want: []string{"a", "", "b"}},
		{name: "too many", in: "one two three four five six seven", maxLines: 2, want: []string{"one two", "three fou…"}},
		{name: "wide", in: "日本語日本語", maxLines: 3, want: []string{"日本語日本", "語"}},
		{name: "escapes", in: "aaaaaaaa\x1b[2Jaaaa", maxLines: 3, want: []string{`aaaaaaaa\x`, "1b[2Jaaaa"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Wrap(tt.in, 10, tt.maxLines)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1.0k", 9949: "9.9k", 9950: "10k", 999_499: "999k", 999_500: "1.0M", 64 << 20: "67M", 1 << 62: "4611686T",
	} {
		if got := Short(in); got != want {
			t.Errorf("short(%d) = %s, want %s", in, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for in, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -999: "-999", -1234567: "-1,234,567"} {
		if got := Grouped(in); got != want {
			t.Errorf("grouped(%d) = %s, want %s", in, got, want)
		}
	}
}

// Long and endless texts cost no more than their visible part.
func TestLayoutIsBounded(t *testing.T) {
	for _, unit := range []string{"a", "a ", "\u0301", "\x1b", "👩\u200d", "\n", "日"} {
		s := strings.Repeat(unit, 8<<20/len(unit))
		for _, line := range append(Wrap(s, 80, 6), Clip(s, 80)) {
			if w := Width(line); w > 80 {
				t.Errorf("%q: a line of %d columns", unit, w)
			}
		}
	}
}

// TestIsHidden checks that exactly the characters that Unicode allows to ignore in display are hidden, except
// characters that scripts and emoji need.
func TestIsHidden(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		ignorable := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) && !unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark)
		want := (ignorable || !unicode.IsGraphic(r) || r == '\u2800') && !strings.ContainsRune("\u200c\u200d\u180b\u180c\u180d\u180f", r) && (r < 0xfe00 || r > 0xfe0f)
		if got := IsHidden(r); got != want {
			t.Errorf("U+%04X: %v, want %v", r, got, want)
		}
	}
}

// Printable ASCII is measured like all other text: a character with another width would break
// this.
func TestPlainText(t *testing.T) {
	var all strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		s := string(c)
		all.WriteString(s)
		if !isPlain(s) || uniseg.StringWidth(s) != 1 || IsHidden(rune(c)) {
			t.Errorf("%q is not plain, takes no column or is hidden", s)
		}
	}
	if s := all.String(); uniseg.StringWidth(s) != len(s) || uniseg.GraphemeClusterCount(s) != len(s) {
		t.Errorf("%q takes %d columns, has %d characters", s, uniseg.StringWidth(s), uniseg.GraphemeClusterCount(s))
	}
	for _, s := range []string{"\n", "\x7f", "\x1f", "a\u0301", "é", "\xff"} {
		if isPlain(s) {
			t.Errorf("%q is plain", s)
		}
	}
	tests := []struct {
		in      string
		columns int
		head    string
		whole   bool
	}{
		{"abc", 3, "abc", true},
		{"abcd", 3, "abc", false},
		{"abc", 0, "", false},
		{"abc", -1, "", false},
		{"", -1, "", true},
		{"abe\u0301", 3, "abe\u0301", true},
		{"abe\u0301", 2, "ab", false},
		{strings.Repeat("a", 100), 3, "aaa", false},
	}
	for _, tt := range tests {
		if head, whole := Cut(tt.in, tt.columns); head != tt.head || whole != tt.whole {
			t.Errorf("cut(%q, %d) = %q, %v, want %q, %v", tt.in, tt.columns, head, whole, tt.head, tt.whole)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int][2]string{
		0: {"0 records", "0 records"}, 1: {"1 record", "1 record"}, 1234: {"1,234 records", "1234 records"},
	} {
		if got := [2]string{Plural(n, "record"), Counted(n, "record")}; got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
