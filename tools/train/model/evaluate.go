package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
)

// heldBack returns the margin of each bag by a model trained without its source, for bags that are
// neither derived nor our own; the others get NaN.
func heldBack(bags []bag, features int) []float64 {
	margins := make([]float64, len(bags))
	members := make(map[string][]int)
	for i := range bags {
		margins[i] = math.NaN()
		if !bags[i].own && !bags[i].derived() {
			members[bags[i].origin()] = append(members[bags[i].origin()], i)
		}
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for _, origins := range folds(members) {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			m := train(trainable(bags, origins), features)
			for _, origin := range origins {
				for _, i := range members[origin] {
					margins[i] = m.score(&bags[i])
				}
			}
		})
	}
	wait.Wait()
	return margins
}

// maxFolds is the number of models trained to measure all sources: each leaves out several.
const maxFolds = 10

// folds distributes the sources, the largest first, so that all folds have about the same number of
// rows.
func folds(members map[string][]int) [][]string {
	origins := slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(members[b]), len(members[a])), cmp.Compare(a, b))
	})
	list, rows := make([][]string, min(maxFolds, len(origins))), make([]int, maxFolds)
	for _, origin := range origins {
		least := 0
		for i := range list {
			if rows[i] < rows[least] {
				least = i
			}
		}
		list[least] = append(list[least], origin)
		rows[least] += len(members[origin])
	}
	return list
}

// trainable returns the bags that may shape weights, without the given sources.
func trainable(bags []bag, except []string) []*bag {
	var list []*bag
	for i := range bags {
		if b := &bags[i]; b.trains() && len(b.windows) > 0 && !slices.Contains(except, b.origin()) {
			list = append(list, b)
		}
	}
	return list
}

// A calibration turns margins into log-odds.
type calibration struct{ slope, offset float64 }

// calibrate fits a calibration to held-back margins by Newton's method.
func calibrate(bags []bag, margins []float64) calibration {
	c := calibration{slope: 1}
	for range 50 {
		var g0, g1, h00, h01, h11 float64
		for i, x := range margins {
			if math.IsNaN(x) || math.IsInf(x, 0) || bags[i].injection() && bags[i].Tier == "B" {
				continue
			}
			p := 1 / (1 + math.Exp(-c.slope*x-c.offset))
			e, v := -p, p*(1-p)
			if bags[i].injection() {
				e++
			}
			g0, g1 = g0+e, g1+e*x
			h00, h01, h11 = h00+v, h01+v*x, h11+v*x*x
		}
		det := h00*h11 - h01*h01
		c.offset += (h11*g0 - h01*g1) / det
		c.slope += (h00*g1 - h01*g0) / det
	}
	return c
}

// rates are the false-positive rates on clean text for which thresholds are chosen; on text that
// looks dangerous, the rate is at most hardRate.
var rates = []float64{0.001, 0.003, 0.005}

const hardRate = 0.02

// report prints, for each rate, the threshold and the shares of texts above it.
func report(w io.Writer, bags []bag, scores []float64) {
	kinds := make(map[string][]float64)
	sources := make(map[string][]float64)
	for i, s := range scores {
		b := &bags[i]
		if math.IsNaN(s) {
			continue
		}
		name := b.Kind
		if b.injection() {
			name = "tier " + b.Tier + " " + b.Kind
			kinds["tier "+b.Tier] = append(kinds["tier "+b.Tier], s)
			if b.Tier == "A" {
				sources["tier A from "+b.origin()] = append(sources["tier A from "+b.origin()], s)
			}
		}
		kinds[name] = append(kinds[name], s)
	}
	var thresholds []float64
	fmt.Fprintf(w, "%-60s %6s", "threshold", "rows")
	for _, rate := range rates {
		t := max(exceeded(kinds["benign"], rate), exceeded(kinds["benign-hard"], hardRate))
		thresholds = append(thresholds, t)
		fmt.Fprintf(w, " %7.3f", t)
	}
	fmt.Fprintln(w)
	for _, groups := range []map[string][]float64{kinds, sources} {
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			fmt.Fprintf(w, "%-60s %6d", name, len(groups[name]))
			for _, t := range thresholds {
				fmt.Fprintf(w, " %6.2f%%", 100*above(groups[name], t))
			}
			fmt.Fprintln(w)
		}
	}
}

// exceeded returns the lowest score that at most the given share of scores exceeds.
func exceeded(scores []float64, part float64) float64 {
	s := slices.Sorted(slices.Values(scores))
	return s[len(s)-1-int(part*float64(len(s)))]
}

func above(scores []float64, threshold float64) float64 {
	n := 0
	for _, s := range scores {
		if s > threshold {
			n++
		}
	}
	return float64(n) / float64(len(scores))
}
