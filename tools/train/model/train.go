package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/eaapl/handoff/internal/gram"
)

// The weights of errors. A source counts by the square root of its rows, so that a large one does
// not dominate.
const (
	totalCost     = 0.2 // of clean texts, on average
	injectionCost = 0.4 // of all injections, relative to the cost of all clean texts

	// The cost of a template's text, relative to any other text. It is added to the costs above, so
	// that more templates do not reduce the weight of other texts.
	ownCost      = 0.3
	languageCost = 2 // in languages other than English, for which other sources have hardly any texts

	minSources = 2 // minimum number of sources of a feature that generalises, unless it is in our templates
	minRows    = 3
	rounds     = 3 // of choosing the injected window of each injection
)

// train fits a model to bags.
func train(bags []*bag, features int) *linear {
	keep := selectFeatures(bags, features)
	cost := costs(bags)
	m := &linear{}
	var examples []example
	for round := range rounds {
		examples = examples[:0]
		for i, b := range bags {
			from, to, each := 0, len(b.windows), cost[i]
			switch {
			case !b.injection():
				each /= math.Sqrt(float64(to))
			case round == 0:
				each /= float64(to)
			default:
				_, from = m.best(b)
				to = from + 1
			}
			for j := from; j < to; j++ {
				examples = append(examples, example{&b.windows[j], b.injection(), each})
			}
		}
		m.weights, m.bias = fit(examples, keep)
	}
	m.gate = trainGate(examples, bags, m)
	return m
}

// selectFeatures returns the features that occur in enough sources and rows.
func selectFeatures(bags []*bag, features int) []bool {
	type count struct {
		sources, rows, lastSource, lastRow int32
		own                                bool
	}
	counts := make([]count, features)
	source, sources := int32(0), make(map[string][]*bag)
	var origins []string
	for _, b := range bags {
		if sources[b.origin()] == nil {
			origins = append(origins, b.origin())
		}
		sources[b.origin()] = append(sources[b.origin()], b)
	}
	row := int32(0)
	for _, origin := range origins {
		source++
		for _, b := range sources[origin] {
			row++
			for _, w := range b.windows {
				for _, f := range w.features {
					c := &counts[f]
					if c.lastSource != source {
						c.lastSource = source
						c.sources++
					}
					if c.lastRow != row {
						c.lastRow = row
						c.rows++
					}
					c.own = c.own || b.own
				}
			}
		}
	}
	keep := make([]bool, features)
	for f, c := range counts {
		keep[f] = (c.own || c.sources >= minSources) && c.rows >= minRows
	}
	return keep
}

// costs returns the cost of an error on each bag.
func costs(bags []*bag) []float64 {
	type group struct {
		origin    string
		injection bool
	}
	size := make(map[group]float64)
	for _, b := range bags {
		size[group{b.origin(), b.injection()}]++
	}
	cost := make([]float64, len(bags))
	total, others := make(map[bool]float64), 0.0
	for i, b := range bags {
		cost[i] = 1 / math.Sqrt(size[group{b.origin(), b.injection()}])
		switch {
		case b.own && b.multilingual():
			cost[i] *= languageCost
		case b.own:
			cost[i] *= ownCost
		case b.conversation: // also added on top
		default:
			total[b.injection()] += cost[i]
			others++
		}
	}
	for i, b := range bags {
		cost[i] *= totalCost * others / total[b.injection()]
		if b.injection() {
			cost[i] *= injectionCost
		}
	}
	return cost
}

// gateRecall is the share of the injections in training that the gate must let through. The others
// are short texts, for which the model is rarely certain when they are held back; leaving them out
// saves much time.
const gateRecall = 0.97

// gateCleanCost is the cost of letting clean text through, as a multiple of its cost for the model:
// most text is clean, and the gate is meant to stop it.
const gateCleanCost = 4

// trainGate fits a model of words and pairs to the windows that m selects.
func trainGate(examples []example, bags []*bag, m *linear) gram.Gate {
	gate := gram.Gate{Words: new(gram.Entries)}
	keep := make([]bool, len(gate.Words))
	for i := range keep {
		keep[i] = true
	}
	words := make([]example, len(examples))
	for i, e := range examples {
		cost := e.cost
		if !e.positive {
			cost *= gateCleanCost
		}
		words[i] = example{&window{features: e.slots, value: e.value}, e.positive, cost}
	}
	weights, _ := fit(words, keep)
	heaviest := slices.MaxFunc(weights, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	for s, w := range weights {
		gate.Words[s] = uint8(int8(math.Round(math.MaxInt8 * w / math.Abs(heaviest))))
	}
	var sure []*bag
	for _, b := range bags {
		if margin, _ := m.best(b); b.injection() && margin > 0 {
			sure = append(sure, b)
		}
	}
	var peaks []float64
	for _, b := range sure {
		peaks = append(peaks, -float64(gate.Peak(b.Text)))
	}
	gate.Limit = int(-exceeded(peaks, 1-gateRecall))
	return gate
}
