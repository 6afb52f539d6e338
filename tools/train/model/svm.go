package main

import "math/rand/v2"

// An example is a window with its label.
type example struct {
	*window
	positive bool
	cost     float64 // the cost of an error on it
}

const (
	passes    = 25  // over the examples; the weights change little after these
	biasValue = 0.5 // of the feature shared by all examples
)

// fit trains a linear support vector machine with squared hinge loss by coordinate descent on the
// dual problem (Hsieh et al., ICML 2008). Dropped features get no weight.
func fit(examples []example, keep []bool) (weights []float64, bias float64) {
	weights = make([]float64, len(keep))
	alpha := make([]float64, len(examples))
	norm := make([]float64, len(examples))
	order := make([]int, len(examples))
	for i, e := range examples {
		order[i] = i
		for _, f := range e.features {
			if keep[f] {
				norm[i] += e.value * e.value
			}
		}
		norm[i] += biasValue * biasValue
	}

	random := rand.New(rand.NewPCG(1, 2))
	for range passes {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			e := &examples[i]
			sign := -1.0
			if e.positive {
				sign = 1
			}
			sum := 0.0
			for _, f := range e.features {
				sum += weights[f]
			}
			damping := 1 / (2 * e.cost)
			gradient := sign*(sum*e.value+bias*biasValue) - 1 + alpha[i]*damping
			next := max(0, alpha[i]-gradient/(norm[i]+damping))
			step := (next - alpha[i]) * sign
			if step == 0 {
				continue
			}
			alpha[i] = next
			bias += step * biasValue
			for _, f := range e.features {
				if keep[f] {
					weights[f] += step * e.value
				}
			}
		}
	}
	return weights, bias * biasValue
}
