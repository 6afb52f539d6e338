package provider

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// inStretches checks a history in stretches with a minimum weight of least, and returns the findings and the
// number of stretches.
func inStretches(p Provider, h *history.History, least int64) (all []finding.Finding, stretches int) {
	o := NewOutline(h.Layout())
	o.Add(o.Read(h.Root.Elements()))
	path := h.Layout().Known.Path(h.Root.Elements())
	list := o.Stretches(path, func(int) int64 { return 1 }, least)
	for _, s := range list {
		for _, f := range s.Faults(p, h.Layout(), h.Turns[s.Begin:s.End]) {
			all = append(all, f.Finding)
		}
	}
	slices.SortStableFunc(all, func(a, b finding.Finding) int { return int(a.Offset - b.Offset) })
	return all, len(list)
}

// TestStretches checks that the findings of a history do not depend on its division into stretches.
func TestStretches(t *testing.T) {
	count, stretches, found := tier.Count(800, 4000), 0, map[string]bool{}
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 31))
		f := []format.Format{format.ClaudeCode, format.Codex}[seed%2]
		text := chatgen.Session(rng, f, 1+rng.IntN(5), seed%4 > 0)
		doc, err := jsonstream.ParseLines(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Of(doc, f, jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range All() {
			want := Check(p, h)
			got, n := inStretches(p, h, 1+rng.Int64N(5))
			stretches += n
			if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d for %s: found\n%+v\nwant\n%+v\nin\n%s", seed, p, got, want, text)
			}
			for _, f := range want {
				found[f.Rule] = true
			}
		}
	}
	if stretches < 25*count || len(found) < 40 {
		t.Errorf("found only %d stretches and %d rules", stretches, len(found))
	}
}

// TestStretchesMedia checks that the rules about all images count the images of all stretches, and are applied once.
func TestStretchesMedia(t *testing.T) {
	var text []byte
	const n = 130
	for range n {
		text = append(text, `{"type":"user","uuid":"","sessionId":"s","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aaaa"}}]}}
{"type":"assistant","uuid":"","sessionId":"s","message":{"role":"assistant","content":"x"}}
`...)
	}
	doc, err := jsonstream.ParseLines(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	o := NewOutline(&format.Descriptor{Provider: "anthropic"})
	o.Add(o.Read(doc.Root().Elements()))
	var path []format.Spot
	for i := range int32(2 * n) {
		path = append(path, format.Spot{Index: i})
	}
	count := 0
	for _, s := range o.Stretches(path, func(int) int64 { return 1 }, 1) {
		count += s.total.images
		if s.lastMedium != (s.Begin <= 2*n-2 && s.End > 2*n-2) {
			t.Errorf("the last image is at %d: %+v", 2*n-2, s)
		}
	}
	if count != 2*n*n {
		t.Errorf("%d images", count)
	}
}
