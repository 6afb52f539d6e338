package deliver

import "testing"

// TestNewsOfSettled checks that a late report of an answer does not replace the state after it was settled, and that
// every other report replaces the one before it.
func TestNewsOfSettled(t *testing.T) {
	answered, settled := &Handoff{HandoffID: "h", settle: true}, &Handoff{HandoffID: "h", State: RolledBack}
	for _, tt := range []struct {
		name   string
		told   []*Handoff
		latest *Handoff
	}{
		{"in order", []*Handoff{answered, settled}, settled},
		{"the answer late", []*Handoff{settled, answered}, settled},
	} {
		var news News
		for _, h := range tt.told {
			news.add(News{Handoffs: []*Handoff{h}})
		}
		if len(news.Handoffs) != 1 || news.Handoffs[0] != tt.latest {
			t.Errorf("%s: the news are %+v", tt.name, news.Handoffs)
		}
	}
}
