package diff_test

import (
	"slices"
	"testing"

	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/format"
)

func TestPairing(t *testing.T) {
	var p diff.Pairing[string]
	a, b := diff.Identity{ID: "a"}, diff.Identity{ID: "b"}
	for _, tt := range []struct {
		side    int
		id      diff.Identity
		message string
		want    string // "" if it waits
	}{
		{diff.Old, a, "old a", ""}, {diff.New, b, "new b", ""}, {diff.Old, a, "old a again", ""},
		{diff.New, a, "new a", "old a"}, {diff.New, diff.Identity{Format: format.MACP, ID: "a"}, "a transcript", ""}, {diff.Old, b, "old b", "new b"},
	} {
		other, met := p.Add(tt.side, tt.id, tt.message)
		if other != tt.want || met != (tt.want != "") {
			t.Errorf("%s met %q, want %q", tt.message, other, tt.want)
		}
	}
	if olds, news := p.Alone(diff.Old), p.Alone(diff.New); !slices.Equal(olds, []string{"old a again"}) || !slices.Equal(news, []string{"a transcript"}) {
		t.Errorf("alone are %q and %q", olds, news)
	}
}

func TestIdentityOf(t *testing.T) {
	for text, want := range map[string]diff.Identity{
		`{"schemaVersion":"2.0","handoffId":"x","taskId":"t","fromAgent":{},"toAgent":{}}`: {Format: format.EAAPL, ID: "x"},
		`[]`: {},
	} {
		if got := diff.IdentityOf(parse(t, text).Root(), ""); got != want {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}
