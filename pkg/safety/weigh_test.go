package safety

import (
	"math"
	"testing"
)

func TestWeigh(t *testing.T) {
	at := func(offset int, category Category, score float64) Finding {
		return Finding{Category: category, Score: score, Offset: offset, Length: 10}
	}
	tests := []struct {
		name  string
		found []Finding
		want  float64
	}{
		{name: "nothing"},
		{name: "one", found: []Finding{at(0, Override, 0.4)}, want: 0.4},
		{name: "two categories", found: []Finding{at(0, Override, 0.4), at(50, Jailbreak, 0.5)}, want: 0.7},
		{name: "one category", found: []Finding{at(0, Override, 0.4), at(50, Override, 0.4)}, want: 0.52},
		{name: "the stronger counts in full", found: []Finding{at(0, Override, 0.2), at(50, Override, 0.5)}, want: 0.55},
		{name: "far apart", found: []Finding{at(0, Override, 0.4), at(5000, Jailbreak, 0.5)}, want: 0.5},
		{name: "a chain", found: []Finding{at(0, Override, 0.5), at(300, Jailbreak, 0.5), at(600, ToolAbuse, 0.5)}, want: 0.875},
		{name: "a long chain is cut", found: []Finding{at(0, Override, 0.5), at(400, Jailbreak, 0.2), at(800, ToolAbuse, 0.2), at(1200, Exfiltration, 0.2), at(1611, Obfuscation, 0.5)}, want: 0.744},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Weigh(tt.found); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestOpinionNeedsCertainty(t *testing.T) {
	if s := opinionScore(Data, 0.8); s >= DefaultThreshold {
		t.Errorf("a probability of 0.8 flags alone: %v", s)
	}
	if s := opinionScore(Data, 0.95); s < DefaultThreshold {
		t.Errorf("a probability of 0.95 does not flag: %v", s)
	}
	if doubt(0) != 0.5 || doubt(1) != 1 {
		t.Errorf("doubt is %v to %v", doubt(0), doubt(1))
	}
}

// TestConsultStaysNear checks that the model answers for the segment of a signal.
func TestConsultStaysNear(t *testing.T) {
	text := string(make([]byte, 5*segmentStep))
	sure := func(segment string) float64 { return float64(len(segment)) / segmentLen }
	found := []Finding{{Rule: "r", Category: Override, Score: 0.4, Offset: 2 * segmentStep, Length: 5}}
	got := consult(sure, found, Data, text, &effort{segments: []int{2, 2}})
	if len(got) != 2 || got[0].Score != 0.4 || got[1].Rule != modelRule.ID || got[1].Offset < 2*segmentStep {
		t.Errorf("got %+v", got)
	}
}
