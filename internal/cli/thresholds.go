package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/safety"
)

// thresholds are the value of --threshold: a score for all texts, scores by speaker, or both, as in
// 0.6,tool=0.5.
type thresholds struct {
	all     float64
	byField map[safety.Field]float64
}

// Set implements [pflag.Value].
func (t *thresholds) Set(text string) error {
	set := thresholds{all: safety.DefaultThreshold}
	for part := range strings.SplitSeq(text, ",") {
		name, number, named := strings.Cut(strings.TrimSpace(part), "=")
		if !named {
			name, number = "", name
		}
		field := safety.Field(name)
		if named && !slices.Contains(safety.Fields(), field) {
			return fmt.Errorf("%q is not a speaker: use tool, data, user, agent or system", name)
		}
		score, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", number)
		}
		if !named {
			set.all = score
			continue
		}
		if set.byField == nil {
			set.byField = make(map[safety.Field]float64)
		}
		set.byField[field] = score
	}
	*t = set
	return nil
}

// check returns an error for a threshold that no text reaches, or that every text does.
func (t *thresholds) check() error {
	for _, score := range append(slices.Collect(maps.Values(t.byField)), t.all) {
		if !(score > 0 && score <= 1) {
			return fmt.Errorf("--threshold %v: use a number above 0 and up to 1", score)
		}
	}
	return nil
}

// String implements [pflag.Value].
func (t *thresholds) String() string {
	if t.all == 0 {
		return ""
	}
	parts := []string{strconv.FormatFloat(t.all, 'g', -1, 64)}
	for _, field := range safety.Fields() {
		if score, ok := t.byField[field]; ok {
			parts = append(parts, string(field)+"="+strconv.FormatFloat(score, 'g', -1, 64))
		}
	}
	return strings.Join(parts, ",")
}

// Type implements [pflag.Value].
func (t *thresholds) Type() string { return "SCORE" }
