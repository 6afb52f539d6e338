// Package model estimates whether a text was written to steer the agent that reads it. It is a
// linear model over words and their neighbours, trained by the program in the directory train.
package model

import (
	_ "embed"
	"math"
	"slices"
	"sync"

	"github.com/eaapl/handoff/internal/gram"
)

//go:embed weights.bin
var weights []byte

var trained = sync.OnceValue(func() *gram.Model {
	m, err := gram.Decode(weights)
	if err != nil {
		panic("model: " + err.Error())
	}
	return m
})

// Score returns the probability, from 0 to 1, that text was written to steer the agent that reads
// it. The score of a long text is the score of its worst few dozen words. Score takes time linear
// in len(text), does not allocate, and is safe for concurrent use.
func Score(text string) float64 {
	margin, ok := trained().Best(text)
	if !ok {
		return 0
	}
	return 1 / (1 + math.Exp(-margin))
}

// Threshold is a limit for [Score]. In sources not used for training, the score exceeded it for one
// clean text in 1000, one conversation turn in 2000, and three in 200 texts that look dangerous.
const Threshold = 0.57

// A Feature is a weighted part of a text.
type Feature struct {
	// Text is the part as written.
	Text string
	// Offset and Length locate the part, in bytes of the text.
	Offset, Length int
	// Weight is the contribution to the score, relative to the other features of the same text.
	Weight float64
}

// Explain returns at most n features that contribute most to the score of text, strongest first and
// without overlaps. They are in the part of text that determines [Score]. It is safe for concurrent
// use.
func Explain(text string, n int) []Feature {
	var list []Feature
	for _, f := range trained().Features(text) {
		if len(list) >= n || f.Weight <= 0 {
			break
		}
		if slices.ContainsFunc(list, func(o Feature) bool {
			return f.Start < o.Offset+o.Length && o.Offset < f.End
		}) {
			continue
		}
		list = append(list, Feature{text[f.Start:f.End], f.Start, f.End - f.Start, f.Weight})
	}
	return list
}
