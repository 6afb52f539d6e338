package cmd

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// vocabulary has common words, including some that rules of the safety scanner match.
var vocabulary = strings.Fields(`
	the a of to and in that for with on as by from is was are be it this which has have not at contract clause
	liability vendor payment risk review customer request analysis result unlimited standard summary ticket refund
	invoice database query latency deploy rollback schema agent handoff budget token prompt completion section page
	medium high low flagged noted industry obligations notice days party agreement data approved pending region`)

// messages returns JSON Lines: variants of the example message with texts of random words, the
// same in every run.
func messages(t testing.TB, n int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = vocabulary[r.IntN(len(vocabulary))]
		}
		return strings.Join(list, " ")
	}
	example, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for range n {
		var turns []string
		for range 5 {
			turns = append(turns, fmt.Sprintf(`{"role":"user","content":"%s","timestamp":"2026-06-12T09:%02d:00.000Z"}`, words(50), r.IntN(60)))
		}
		var excerpts []string
		for range 6 {
			excerpts = append(excerpts, fmt.Sprintf(`{"source":"Contract PDF","excerpt":"%s","relevanceScore":0.%02d}`, words(40), r.IntN(100)))
		}
		text := example
		for _, change := range [][2]string{
			{"/handoffId", fmt.Sprintf(`"6e7f936b-cafd-4624-8754-%012x"`, r.Uint64N(1<<48))},
			{"/taskDescription", `"` + words(12) + `"`},
			{"/conversationHistorySummary", `"` + words(60) + `"`},
			{"/conversationHistoryVerbatim", "[" + strings.Join(turns, ",") + "]"},
			{"/relevantContext", "[" + strings.Join(excerpts, ",") + "]"},
		} {
			doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if text, err = jsonstream.Set(doc, change[0], []byte(change[1])); err != nil {
				t.Fatal(err)
			}
		}
		out.Write(append(jsonstream.AppendCompact(nil, text), '\n'))
	}
	return out.Bytes()
}

// BenchmarkCommands runs commands over a file of 2000 messages. The program is built with its
// profile: see CONTRIBUTING.md.
func BenchmarkCommands(b *testing.B) {
	dir := b.TempDir()
	many, key, signed := filepath.Join(dir, "many.jsonl"), filepath.Join(dir, "key"), filepath.Join(dir, "signed.jsonl")
	text := messages(b, 2000)
	for path, content := range map[string][]byte{many: text, key: []byte("0123456789abcdefghijklmnopqrstuv")} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	run := func(args ...string) {
		root := New().RootFor(cli.NewGlobals(), args)
		root.SetArgs(args)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.Execute(); err != nil && err != cli.ErrNo {
			b.Fatal(args, err)
		}
	}
	run("sign", "--key-file", key, "-o", signed, many)
	for _, args := range [][]string{
		{"validate", "-q", "--layers", "schema", many},
		{"validate", "-q", many},
		{"validate", many},
		{"canonicalize", many},
		{"sign", "--key-file", key, many},
		{"verify", "-q", "--key-file", key, signed},
		{"scan", "-q", many},
		{"inspect", many},
		{"diff", "-q", many, signed},
		{"chain", many},
	} {
		name := strings.Join(args[:len(args)-1], " ")
		b.Run(strings.ReplaceAll(name, dir+string(filepath.Separator), ""), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				run(args...)
			}
		})
	}
}
