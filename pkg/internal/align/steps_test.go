package align

import (
	"math/rand/v2"
	"testing"
)

func TestStepsAreBounded(t *testing.T) {
	for _, n := range []int{1000, 20_000, 200_000} {
		for _, symbols := range []int32{2, 100} {
			r := rand.New(rand.NewPCG(1, 2))
			a, b := make([]int32, n), make([]int32, n)
			for i := range a {
				a[i], b[i] = r.Int32N(symbols), r.Int32N(symbols)
			}
			s := newSearch(a, b)
			limit := s.steps
			s.solve(box{0, n, 0, n}, 0)
			if s.steps < -limit/8 {
				t.Errorf("%d elements of %d symbols: %d steps, want about %d at most", n, symbols, limit-s.steps, limit)
			}
			if s.rest != 0 {
				t.Errorf("%d elements of %d symbols: %d are undecided", n, symbols, s.rest)
			}
		}
	}
}
