package main

import (
	"math"
	"slices"

	"github.com/eaapl/handoff/internal/gram"
)

// A bag is a text as used in training. An injection has at least one injected window, and a clean
// text only clean windows.
type bag struct {
	*row
	windows []window
}

type window struct {
	features []int32 // numbers in the vocabulary, each once
	value    float64 // of each feature
	slots    []int32 // of its words and pairs in the gate
}

// A vocabulary numbers the features of all texts.
type vocabulary struct {
	number map[uint64]int32
	keys   []uint64
}

func (v *vocabulary) add(key uint64) int32 {
	n, ok := v.number[key]
	if !ok {
		n = int32(len(v.keys))
		v.number[key] = n
		v.keys = append(v.keys, key)
	}
	return n
}

// readBags splits all rows into features.
func readBags(rows []row) ([]bag, *vocabulary) {
	words := &vocabulary{number: make(map[uint64]int32)}
	bags := make([]bag, len(rows))
	for i := range rows {
		bags[i].row = &rows[i]
		bags[i].windows = readWindows(rows[i].Text, words)
	}
	return bags, words
}

func readWindows(text string, words *vocabulary) []window {
	var windows []window
	var last block
	var r gram.Reader
	r.Reset(text, nil)
	for r.Next() {
		if r.First {
			last = block{}
		}
		this := readBlock(text, &r, words)
		windows = append(windows, window{
			features: union(last.features, this.features),
			slots:    union(last.slots, this.slots),
			value:    gram.Value(last.tokens + this.tokens),
		})
		last = this
	}
	return windows
}

// A block is half a window.
type block struct {
	features, slots []int32
	tokens          int
}

func readBlock(text string, r *gram.Reader, words *vocabulary) block {
	var keys [gram.PerToken]uint64
	b := block{tokens: len(r.Tokens)}
	stream := r.Before
	var gate gram.GateStream
	for i := range r.Tokens {
		t := &r.Tokens[i]
		for _, key := range keys[:stream.Add(t, &keys)] {
			b.features = append(b.features, words.add(key))
		}
		if single, pair, ok := gate.Add(text[t.Start:t.End]); ok {
			b.slots = append(b.slots, int32(single), int32(pair))
		}
	}
	return b
}

// union returns the elements of a and b in order, each once.
func union(a, b []int32) []int32 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// A linear model has a weight for each feature by its number; dropped features have none.
type linear struct {
	weights []float64
	bias    float64
	gate    gram.Gate
}

// best returns the highest margin of the bag's windows, and its window.
func (m *linear) best(b *bag) (margin float64, at int) {
	margin = math.Inf(-1)
	for i := range b.windows {
		if s := m.margin(&b.windows[i]); s > margin {
			margin, at = s, i
		}
	}
	return margin, at
}

func (m *linear) margin(w *window) float64 {
	sum := 0.0
	for _, f := range w.features {
		sum += m.weights[f]
	}
	return sum*w.value + m.bias
}

// score returns the margin of a bag of features, or -∞ if the gate rejects the bag.
func (m *linear) score(b *bag) float64 {
	if !m.gate.Opens(b.Text) {
		return math.Inf(-1)
	}
	margin, _ := m.best(b)
	return margin
}
