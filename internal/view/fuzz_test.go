package view

import (
	"testing"
)

// FuzzOf checks for any bytes that nothing panics, that all places are inside the text and in the
// order of the reading, and that the length of readings is bounded by that of the text.
func FuzzOf(f *testing.F) {
	for _, text := range honestTexts {
		f.Add(text)
	}
	for _, text := range ordinaryTexts {
		f.Add(text)
	}
	for _, h := range hostileTexts {
		f.Add(h(300))
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := Plain(text)
		odd := Oddities(text)
		last := 0
		for _, o := range odd {
			if o.Offset < last || o.Length <= 0 || o.Offset+o.Length > len(text) {
				t.Fatalf("oddity %v in %d bytes after %d", o, len(text), last)
			}
			last = o.Offset
		}
		total := 0
		for r := range Of(text) {
			total += len(r.Text)
			checkOrigins(t, text, r)
		}
		if plain && (total > 0 || len(odd) > 0) {
			t.Fatalf("plain, but has readings %q and oddities %v", readings(text), odd)
		}
		if most := (maxGrowth+2)*(len(text)+1) + minGrowth; total > most {
			t.Fatalf("%d bytes of readings of %d", total, len(text))
		}
	})
}

func checkOrigins(t *testing.T, text string, r Reading) {
	t.Helper()
	offset, length := r.Origin(0, len(r.Text))
	if offset < 0 || length < 0 || offset+length > len(text) {
		t.Fatalf("%s: all comes from %d, %d of %d", r.Kind, offset, length, len(text))
	}
	for i := range len(r.Text) {
		o, n := r.Origin(i, i+1)
		if o < offset || o+n > offset+length {
			t.Fatalf("%s: byte %d comes from %d, %d outside of %d, %d", r.Kind, i, o, n, offset, length)
		}
	}
	// A reading of a reversed text runs backwards, and so may the readings derived from it.
	before := 0
	for i := range len(r.Text) {
		o, _ := r.Origin(i, i+1)
		if o < before && !isReversed(r) {
			t.Fatalf("%s: byte %d comes from %d, before %d", r.Kind, i, o, before)
		}
		before = o
	}
}

// isReversed reports whether any step to r reversed the text.
func isReversed(r Reading) bool {
	for s := r.from; s != nil; s = s.parent {
		for _, span := range s.spans {
			if span.in < 0 {
				return true
			}
		}
	}
	return false
}
