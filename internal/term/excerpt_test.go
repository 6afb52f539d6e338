package term

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

func TestExcerpt(t *testing.T) {
	const password = `{"id": 1, "password": "` + "tr0ub4dor&3" + `", "n": 2}`
	long := `{"a": "` + strings.Repeat("x", 5000) + `", "key": 12.50, "b": "` + strings.Repeat("y", 5000) + `"}`
	tests := []struct {
		name, text, at string // at begins at the place
		columns        int
		want           string // the line, and the marks below it
	}{
		{"a short line", `{"a": 1}`, "1", 40, "{\"a\": 1}\n      ^"},
		{"one of several, without its indentation", "{\n\t\"a\": true,\n\t\"b\": 2\n}", "true", 40, "\"a\": true,\n     ~~~~"},
		{"a string with an escaped quote", `{"a": "x\"y", "b": 1}`, `"x`, 40, "{\"a\": \"x\\\"y\", \"b\": 1}\n      ~~~~~~"},
		{"a long line", long, "12.50", 40, "…xx\", \"key\": 12.50, \"b\": \"yyyyyyyyyyyyy…\n             ~~~~~"},
		{"near the beginning", long, `{"a"`, 20, "{\"a\": \"xxxxxxxxxxxx…\n^"},
		{"at the end", long, `"}`, 20, "…yyyyyyyyyyyyyyyyy\"}\n                  ~~"},
		{"wide characters", `{"日本語日本語日本語": "日本語", "b": 1}`, `"日本語",`, 30, "…語日本語\": \"日本語\", \"b\": 1}\n            ~~~~~~~~"},
		{"direction and escapes", "{\"a\u202e\": \"\x1b[2J\"}", "\"\x1b", 40, `{"a\u202e": "\x1b[2J"}` + "\n            ~~~~~~~~~"},
		{"a secret before it", password, "2}", 60, "{\"id\": 1, \"password\": \"***********\", \"n\": 2}\n                                          ^"},
		{"a secret", password, `"tr0`, 60, "{\"id\": 1, \"password\": \"***********\", \"n\": 2}\n                      ~~~~~~~~~~~~~"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line, caret, width := Excerpt([]byte(tt.text), strings.LastIndex(tt.text, tt.at), tt.columns)
			below := Spaces(caret) + strings.Repeat("~", width)
			if width == 1 {
				below = Spaces(caret) + "^"
			}
			want, marks, _ := strings.Cut(tt.want, "\n")
			if line != want || below != marks {
				t.Errorf("got\n%s\n%s\nwant\n%s\n%s", line, below, want, marks)
			}
		})
	}
}

// FuzzExcerpt checks that an excerpt fits, steers no terminal, and has its place within it.
func FuzzExcerpt(f *testing.F) {
	f.Add([]byte(`{"a": "x\"y", "b": [1, 2]}`), 6, 40)
	f.Add([]byte("{\n\"日本語\": \"\xff\u202e\"\n}"), 9, 20)
	f.Fuzz(func(t *testing.T, text []byte, at, columns int) {
		if at < 0 || at > len(text) || columns < 20 || columns > MaxWidth {
			return
		}
		line, caret, width := Excerpt(text, at, columns)
		if got := uniseg.StringWidth(line); got > columns {
			t.Errorf("%d columns, want at most %d: %q", got, columns, line)
		}
		if caret < 0 || width < 1 || caret+width > max(columns, caret+1) {
			t.Errorf("%d columns from %d on are marked, of %d", width, caret, columns)
		}
		if !utf8.ValidString(line) || strings.ContainsFunc(line, IsHidden) {
			t.Errorf("the line is not visible: %q", line)
		}
	})
}

func TestFold(t *testing.T) {
	red := NewPalette(true).Red
	tests := []struct {
		in      string
		columns int
		want    string
	}{
		{"one two three", 0, "  one two three"},
		{"one two three", 9, "  one two\n    three"},
		{"one two three", 10, "  one two\n    three"},
		{"a/path/that/is/long two", 10, "  a/path/that/is/long\n    two"},
		{red("one") + " two three", 9, "  " + red("one") + " two\n    three"},
		{"日本語 日本語", 10, "  日本語\n    日本語"},
		{"", 10, "  "},
	}
	for _, tt := range tests {
		if got := Fold(tt.in, 2, tt.columns); got != tt.want {
			t.Errorf("Fold(%q, %d) = %q, want %q", tt.in, tt.columns, got, tt.want)
		}
	}
}
