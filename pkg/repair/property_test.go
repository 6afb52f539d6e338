package repair

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// generated are the formats of generated histories.
var generated = []format.Format{format.OpenAIChat, format.OpenAIResponses, format.Anthropic, format.LangChain, format.AISDK, format.Gemini}

// mutate removes, repeats or exchanges turns of a history, or parts of a turn.
func mutate(t *testing.T, rng *rand.Rand, text []byte, f format.Format) []byte {
	doc := document(t, text)
	h, err := history.Of(doc, f, jsonstream.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Turns) == 0 || h.Carrier().Exists() {
		return text
	}
	list := h.Lists[0].Value
	if turn := h.Turns[rng.IntN(len(h.Turns))]; rng.IntN(3) == 0 {
		for _, name := range []string{"content", "parts", "tool_calls"} {
			if parts := turn.Item().Get(name); parts.Kind() == jsonstream.Array && parts.Len() > 1 {
				list = parts
			}
		}
	}
	var elements [][]byte
	for _, v := range list.Elements() {
		elements = append(elements, v.Raw())
	}
	if len(elements) == 0 {
		return text
	}
	i, j := rng.IntN(len(elements)), rng.IntN(len(elements))
	switch rng.IntN(3) {
	case 0:
		if len(elements) > 1 {
			elements = append(elements[:i:i], elements[i+1:]...)
		}
	case 1:
		elements = append(elements[:i:i], append([][]byte{elements[i]}, elements[i:]...)...)
	case 2:
		elements[i], elements[j] = elements[j], elements[i]
	}
	changed, err := jsonstream.Set(doc, list.Pointer(), join(list, elements))
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// words returns the texts, calls and results of a history.
func words(t *testing.T, text []byte, f format.Format) []string {
	h, err := history.Of(document(t, text), f, jsonstream.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, turn := range h.Turns {
		for p := range conversation.Parts(turn.Value) {
			if p.Kind == conversation.Said || p.Kind == conversation.Result {
				said := contentOf(p.Value)
				if p.Kind == conversation.Said {
					if said = p.Value.Text(); said == "" {
						said = p.Value.Get("text").Text()
					}
				}
				if strings.TrimSpace(said) != "" {
					all = append(all, strings.TrimSpace(said))
				}
			}
		}
	}
	return all
}

// TestMutated repairs histories with removed, repeated and exchanged turns and parts for every provider,
// and checks that no text is lost.
func TestMutated(t *testing.T) {
	for _, f := range generated {
		for _, p := range provider.All() {
			t.Run(string(f)+" for "+string(p), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(tier.Count(25, 150)) {
					rng := rand.New(rand.NewPCG(seed, 7))
					text := chatgen.History(rng, f)
					for range 1 + rng.IntN(3) {
						text = mutate(t, rng, text, f)
					}
					r := repaired(t, text, Options{Format: f, For: p})
					for _, left := range r.Left {
						if !strings.Contains(left.Rule, "media-") {
							t.Errorf("seed %d: left %s at %s: %s\n%+v", seed, left.Rule, left.Pointer, left.Message, r.Steps)
						}
					}
					now := strings.Join(words(t, r.Text, f), "\n")
					for _, said := range words(t, text, f) {
						if !strings.Contains(now, said) {
							t.Errorf("seed %d: %q is lost\n%+v", seed, said, r.Steps)
						}
					}
				}
			})
		}
	}
}

// TestValid checks that a history that the provider accepts is not changed.
func TestValid(t *testing.T) {
	for _, f := range generated {
		for seed := range uint64(200) {
			rng := rand.New(rand.NewPCG(seed, 8))
			text := chatgen.History(rng, f)
			h, err := history.Of(document(t, text), f, jsonstream.Unlimited())
			if err != nil {
				t.Fatal(err)
			}
			p := provider.Of(h)
			if p == "" {
				p = provider.OpenAIChat
			}
			for _, fault := range provider.Check(p, h) {
				if fault.Severity == finding.Error {
					t.Fatalf("seed %d: %s at %s: %s\n%s", seed, fault.Rule, fault.Pointer, fault.Message, text)
				}
			}
			if r := repaired(t, text, Options{Format: f}); len(r.Steps) > 0 {
				t.Fatalf("seed %d: %+v\n%s", seed, r.Steps, text)
			}
		}
	}
}

// TestHostile checks that values of any kind in any place do not cause a panic, and that a repaired
// history is not repaired again.
func TestHostile(t *testing.T) {
	values := []string{`null`, `1`, `"x"`, `""`, `" "`, `[]`, `{}`, `[{}]`, `[""]`, `{"type":"tool_result"}`, `{"role":"tool","content":[]}`, `true`, `[[]]`}
	var texts [][]byte
	for _, r := range provider.Rules() {
		if r.Bad != "" {
			texts = append(texts, []byte(r.Bad), []byte(r.Good))
		}
	}
	for _, f := range append([]format.Format{format.A2A}, generated...) {
		for seed := range uint64(10) {
			texts = append(texts, chatgen.History(rand.New(rand.NewPCG(seed, 11)), f))
		}
	}
	for i, text := range texts {
		rng := rand.New(rand.NewPCG(uint64(i), 12))
		for range tier.Count(3, 25) {
			changed := text
			for range 1 + rng.IntN(3) {
				doc := document(t, changed)
				var all []string
				for v := range doc.Root().All() {
					all = append(all, v.Pointer())
				}
				var err error
				if changed, err = jsonstream.Set(doc, all[rng.IntN(len(all))], []byte(values[rng.IntN(len(values))])); err != nil {
					t.Fatal(err)
				}
			}
			p := provider.All()[rng.IntN(len(provider.All()))]
			doc := document(t, changed)
			r, err := Message(doc, jsonstream.Unlimited(), Options{For: p})
			if err != nil || len(r.Left) > 0 {
				continue
			}
			again, err := Message(document(t, r.Text), jsonstream.Unlimited(), Options{Format: r.Format, For: p})
			if err != nil || len(again.Steps) > 0 {
				t.Errorf("%s for %s: repaired again: %+v, %v\nfrom %s\nby %+v", r.Text, p, again.Steps, err, changed, r.Steps)
			}
		}
	}
}
