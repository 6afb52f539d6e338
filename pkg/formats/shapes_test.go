package formats_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// TestShapes checks that the documents of libraries are detected, valid by the schema of their format,
// and read. The documents of testdata/chat are constructed, one for each form.
func TestShapes(t *testing.T) {
	withoutTurns := []string{"task-no-history", "task-no-context", "request-get", "http-response", "stream-rpc", "old-status"}
	for _, f := range []format.Format{format.LangChain, format.AISDK, format.Gemini, format.A2A} {
		files, err := filepath.Glob("../../testdata/chat/" + string(f) + "/*.json")
		if err != nil || len(files) < 20 {
			t.Fatalf("%s: %d files, %v", f, len(files), err)
		}
		v := validate.New(validate.Options{Formats: []format.Format{f}, Layers: []finding.Layer{finding.Schema}, All: true})
		for _, file := range files {
			t.Run(string(f)+"/"+filepath.Base(file), func(t *testing.T) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				m, err := message.Parse(text, message.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if got := formats.Examine(m.Root()); got.Format != f {
					t.Errorf("detected as %q", got.Format)
				}
				r, err := v.Validate(t.Context(), m)
				if err != nil || !r.Valid {
					t.Errorf("%v: %+v", err, r.Findings)
				}
				h, err := history.Of(m.Document(), f, jsonstream.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				none := false
				for _, name := range withoutTurns {
					none = none || filepath.Base(file) == name+".json"
				}
				if none != (len(h.Turns) == 0) {
					t.Errorf("%d turns", len(h.Turns))
				}
				for i, pointer := range h.Pointers() {
					if turn := h.Turns[i]; h.Root.At(pointer) != turn.Value {
						t.Errorf("%q is not turn %d", pointer, i)
					}
				}
			})
		}
	}
}

// TestWholeHistories checks that complete generated histories and the examples break no rule.
func TestWholeHistories(t *testing.T) {
	for _, f := range []format.Format{format.LangChain, format.AISDK, format.Gemini, format.A2A} {
		v := validate.New(validate.Options{Layers: []finding.Layer{finding.Schema, finding.Protocol}, Formats: []format.Format{f}, All: true, Strict: true})
		example, err := schemas.Example(string(f))
		if err != nil {
			t.Fatal(err)
		}
		docs := [][]byte{example}
		for _, form := range chatgen.Forms(f) {
			for seed := range uint64(200) {
				docs = append(docs, chatgen.HistoryIn(rand.New(rand.NewPCG(seed, 3)), f, form))
			}
		}
		for _, text := range docs {
			m, err := message.Parse(text, message.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := v.Validate(t.Context(), m); err != nil || len(r.Findings) > 0 {
				t.Errorf("%s: %v %+v in %s", f, err, r.Findings, text)
				break
			}
		}
	}
}
