// Package model gives a second opinion on whether a text was written to steer the agent
// that reads it: a linear model over the words of a text and their neighbours, trained
// by the program in the directory train.
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

// Score returns how sure the model is, from 0 to 1, that text was written to steer the
// agent that reads it. A long text scores as its worst few dozen words do. Score takes
// time linear in len(text), allocates nothing, and is safe for concurrent use.
func Score(text string) float64 {
	margin, ok := trained().Best(text)
	if !ok {
		return 0
	}
	return 1 / (1 + math.Exp(-margin))
}

// Threshold is a score. Of sources that the model had not seen, it was exceeded by one clean text
// in a thousand, by one turn of a conversation in two thousand, and by three in two hundred of the
// texts that look dangerous.
const Threshold = 0.57

// A Feature is a part of a text that the model weighs.
type Feature struct {
	// Text is the part as written.
	Text string
	// Offset and Length give its place, in bytes of the text.
	Offset, Length int
	// Weight is how much it speaks for an injection, beside the other features of the
	// same text.
	Weight float64
}

// Explain returns the at most n features that speak most for text being an injection, the
// strongest first, none overlapping a stronger one. They are in the part of text that
// [Score] is about. It is safe for concurrent use.
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
