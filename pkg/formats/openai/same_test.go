package openai

import (
	"crypto/sha256"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestFirstEqual compares what is equal with what has one digest.
func TestFirstEqual(t *testing.T) {
	value := rapid.SampledFrom([]string{
		`{"role":"user","content":"a"}`, `{"content":"\u0061","role":"user"}`, `{"role":"user","content":"b"}`, `{"role":"user","content":["a"]}`,
		`{"n":1}`, `{"n":1.0}`, `{"n":10e-1}`, `{"n":"1"}`, `{"n":9007199254740993}`, `{"n":9007199254740992}`, `{"n":null}`, `{"n":false}`, `{}`, `{"":{}}`,
	})
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(value).Draw(t, "values")
		values := slices.Collect(func(yield func(jsonstream.Value) bool) {
			for _, v := range mustParse([]byte("[" + strings.Join(texts, ",") + "]")).Elements() {
				if !yield(v) {
					return
				}
			}
		})
		want := make([]int, len(values))
		seen := map[[sha256.Size]byte]int{}
		for i, v := range values {
			digest := conversation.Digest(v)
			if _, again := seen[digest]; !again {
				seen[digest] = i
			}
			want[i] = seen[digest]
		}
		if diff := cmp.Diff(want, firstEqual(values)); diff != "" {
			t.Errorf("%s: %s", texts, diff)
		}
	})
}
