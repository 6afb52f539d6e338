package misread

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func quoteWhole(piece []byte) string { return "«" + string(piece) + "»" }

func TestCause(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		offset     int
		want       string // the beginning of the problem
		at         int
	}{
		{name: "fence", text: "```json\n", want: "JSON in a Markdown code fence: found «```json»"},
		{name: "tildes", text: " ~~~\n{}\n~~~\n", offset: 1, want: "JSON in a Markdown code fence: found «~~~»", at: 1},
		{name: "fence after prose", text: "Here it is:\n\n```\n", want: "JSON in a Markdown code fence: found «```»"},
		{name: "fence in what follows", text: "Here: {\"a\":\n{\n```\n", want: "text where JSON is expected: found «Here: {\"a\":»"},
		{name: "prose", text: "Here is the message: {\"a\": 1}", want: "text where JSON is expected: found «Here is the message: {\"a\": 1}»"},
		{name: "binary data", text: "\xfb2YN\xc5\xc73\x97WP\xf8\xd5\x00\x01\x02{", want: "binary data where JSON is expected"},
		{name: "zeros", text: "\x00\x00\x00\n{}", want: "zero bytes, as a power failure leaves them: found «\x00\x00\x00»; remove them"},
		{name: "a text sequence", text: "\x1e{}\n", want: "a JSON text sequence (RFC 7464): found «\x1e»; remove its separators"},
		{name: "prose in an older encoding", text: "Gr\xf6\xdfe: die Nachricht", want: "text where JSON is expected"},
		{name: "prose in another script", text: "Вот сообщение", want: "text where JSON is expected"},
		{name: "HTML", text: "\n<!doctype HTML>\n<head><title>502 Bad Gateway</title>", offset: 1, want: "an HTML page, as servers and proxies send for an error: found «502 Bad Gateway»", at: 1},
		{name: "HTML without a title", text: "<html>\n<body>", want: "an HTML page, as servers and proxies send for an error: found «<html>»"},
		{name: "XML", text: "<?xml version='1.0'?>", want: "XML"},
		{name: "events", text: "event: delta\ndata: {\"a\":1}\n\n", want: "a stream of server-sent events"},
		{name: "YAML", text: "# a comment\nschemaVersion: '2.0'\nfromAgent:\n", want: "YAML: found «# a comment»"},
		{name: "YAML of one member", text: "steps:\n  - run: ls\n", want: "YAML"},
		{name: "YAML with its mark", text: "---\n- 1\n", want: "YAML: found «---»"},
		{name: "one line with a colon is no YAML", text: "Note: see below\n", want: "text"},
		{name: "log by its date", text: "2026-06-12T09:30:00Z start\n", offset: 4, want: "a line of a log: found «2026-06-12T09:30:00Z start»"},
		{name: "log by its time", text: "09:30:00 start", offset: 2, want: "a line of a log"},
		{name: "log by its level", text: "WARN  disk full\nERROR x", want: "a line of a log: found «WARN  disk full»"},
		{name: "log with a colon", text: "info: start\nerror: end", want: "a line of a log"},
		{name: "log in brackets", text: "[INFO] start", offset: 1, want: "a line of a log: found «[INFO] start»"},
		{name: "logfmt", text: "level=info msg=start", want: "a line of a log"},
		{name: "a level in prose", text: "Error handling is done", want: "text"},
		{name: "Python", text: `{'a': 1}`, offset: 1, want: "found a name in single quotes, as Python's repr", at: 1},
		{name: "None", text: `{"a": None}`, offset: 6, want: "found None, as Python writes it", at: 6},
		{name: "True alone", text: "True\n", want: "found True, as Python writes it"},
		{name: "JavaScript", text: `{a : 1}`, offset: 1, want: "found the name «a» without quotes, as in JavaScript", at: 1},
		{name: "a second name", text: `{"a": 1, b: 2}`, offset: 9, want: "found the name «b» without quotes", at: 9},
		{name: "undefined", text: `[undefined]`, offset: 1, want: "found undefined, as JavaScript has it", at: 1},
		{name: "a word", text: "hello", want: ""},
		{name: "a slip", text: `{"a": 1,}`, offset: 8, want: "", at: 8},
		{name: "a slip in an array", text: `[1 2]`, offset: 3, want: "", at: 3},
		{name: "a number", text: "01", offset: 0, want: ""},
	} {
		problem, at := Cause([]byte(tt.text), tt.offset, quoteWhole)
		if !strings.HasPrefix(problem, tt.want) || tt.want == "" && problem != "" || at != tt.at {
			t.Errorf("%s: Cause(%q, %d) = %q at %d, want %q… at %d", tt.name, tt.text, tt.offset, problem, at, tt.want, tt.at)
		}
	}
}

func TestIsAround(t *testing.T) {
	t.Parallel()
	got := map[string]bool{}
	for _, text := range []string{"Here it is:\n", "```json\n", "\n```\n", "INFO start", "<html>", "{", "[INFO] x", "", "---\na: 1"} {
		got[text] = IsAround([]byte(text))
	}
	want := map[string]bool{"Here it is:\n": true, "```json\n": true, "\n```\n": true,
		"INFO start": false, "<html>": false, "{": false, "[INFO] x": false, "": false, "---\na: 1": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A fault may be at any place of any bytes. Text that is far from the beginning and from the fault
// is not read.
func FuzzCause(f *testing.F) {
	for _, text := range []string{"```json\n{}\n```", "Here: {}", "<title>x</title>", "a: 1\nb: 2", "[INFO] x", "{'a': None}", "{a: 1}", "\xff\x00", "event: x\ndata: {"} {
		f.Add([]byte(text), 1)
	}
	f.Fuzz(func(t *testing.T, text []byte, offset int) {
		if offset < 0 || offset >= len(text) {
			return
		}
		problem, at := Cause(text, offset, quoteWhole)
		if at < 0 || at > len(text) || problem != "" && at == len(text) {
			t.Fatalf("Cause says %q of offset %d of %d bytes", problem, at, len(text))
		}
		IsAround(text)
		longer := append(text[:len(text):len(text)], make([]byte, 2*window)...)
		near, _ := Cause(longer, offset, quoteWhole)
		if far, _ := Cause(append(longer, "\n```\nNone"...), offset, quoteWhole); near != far {
			t.Fatalf("what is far away changes %q to %q", near, far)
		}
	})
}
