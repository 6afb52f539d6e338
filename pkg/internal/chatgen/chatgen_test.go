package chatgen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

var chatFormats = []format.Format{format.OpenAIChat, format.OpenAIResponses, format.OpenAIJS, format.Anthropic, format.LangChain, format.AISDK, format.Gemini, format.BedrockConverse, format.A2A}

// Histories are detected with their format, in all forms.
func TestHistoriesAreDetected(t *testing.T) {
	for _, f := range chatFormats {
		for _, form := range chatgen.Forms(f) {
			t.Run(string(f)+"/"+form, func(t *testing.T) {
				for seed := range uint64(500) {
					text := chatgen.HistoryIn(rand.New(rand.NewPCG(seed, 0)), f, form)
					if got, _ := formats.Detect(parse(t, text).Root()); got != f {
						t.Fatalf("seed %d: detected as %q: %s", seed, got, text)
					}
				}
			})
		}
	}
}

// Every call is followed by one result, no id occurs twice, and all features of conversations
// occur.
func TestHistoriesAreWhole(t *testing.T) {
	for _, f := range chatFormats {
		seen := map[conversation.PartKind]int{}
		for seed := range uint64(1000) {
			text := chatgen.History(rand.New(rand.NewPCG(seed, 1)), f)
			doc := parse(t, text)
			var open, all []string
			h, err := history.Of(doc, f, jsonstream.Limits{})
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			for _, turn := range h.Turns {
				for p := range conversation.Parts(turn.Value) {
					seen[p.Kind]++
					id := p.ID.Text()
					switch {
					case p.Hosted: // its result may be in the item, be late, or be several
					case p.Kind == conversation.Call && id != "" && slices.Contains(all, id):
						t.Fatalf("%s: %q is called twice: %s", f, id, text)
					case p.Kind == conversation.Call:
						open, all = append(open, id), append(all, id)
					case p.Kind == conversation.Result:
						i := slices.Index(open, id)
						if i < 0 {
							t.Fatalf("%s: %q answers no call: %s", f, id, text)
						}
						open = slices.Delete(open, i, i+1)
					}
				}
			}
			if len(open) > 0 {
				t.Fatalf("%s: without a result: %q: %s", f, open, text)
			}
		}
		for kind := conversation.Said; kind <= conversation.Media; kind++ {
			hidden := f == format.A2A && kind != conversation.Said && kind != conversation.Media || f == format.OpenAIChat && kind == conversation.Reasoning
			if seen[kind] == 0 != hidden {
				t.Errorf("%s: %d parts of kind %d", f, seen[kind], kind)
			}
		}
	}
}

func parse(t *testing.T, text []byte) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return doc
}
