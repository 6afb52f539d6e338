package summarize_test

import (
	"testing"

	"github.com/eaapl/handoff/pkg/summarize"
)

func TestSays(t *testing.T) {
	for _, tt := range []struct {
		text, value string
		want        bool
	}{
		{"We meet at 7pm.", "7 PM", true},
		{"We meet at 17 pm.", "7 pm", false},
		{"It is 1,200 EUR.", "1200", true},
		{"It is 12000 EUR.", "1200", false},
		{"共１２元", "12", true},
		{"常熟长江路亚朵酒店你可以去", "常熟 长江路 亚朵 酒店", true},
		{"the curry_prince is full", "curry prince", true},
		{"a place in the northern part", "north", false},
		{"nothing", "", false},
	} {
		if got := summarize.Fold(tt.text).Says(summarize.Fold(tt.value)); got != tt.want {
			t.Errorf("%q says %q: %v, want %v", tt.text, tt.value, got, tt.want)
		}
	}
}
