package history

import (
	"testing"

	"github.com/eaapl/handoff/pkg/format"
)

func TestID(t *testing.T) {
	for _, tt := range []struct {
		in     string
		format format.Format
		want   string
	}{
		{`{"request_id":"r","handoff_id":"s","handoffId":"h"}`, format.EAAPL, "h"},
		{`{"request_id":"r","handoff_id":"s","handoffId":"h"}`, format.SW4RMRequest, "s"},
		{`{"request_id":"r","handoff_id":""}`, format.SW4RMResponse, "r"},
		{`{"sessionId":"s","request_id":"r"}`, format.MACP, "s"},
		{`{"sessionId":"s","request_id":"r"}`, "", "r"},
		{`{"session_id":"s"}`, format.OpenAI, ""},
		{`{"handoffId":7}`, "", ""},
		{`[]`, "", ""},
	} {
		if got := ID(parse(t, tt.in).Root(), tt.format); got != tt.want {
			t.Errorf("%s as %q: got %q, want %q", tt.in, tt.format, got, tt.want)
		}
	}
	if got := read(t, `{"handoff_id":"s","context_snapshot":{"handoffId":"of the context"}}`).ID(); got != "s" {
		t.Errorf("got %q", got)
	}
}

func TestHasID(t *testing.T) {
	const masked = `{"handoffId":"h","session_id":"s"}` // looks canonical, and may be read as MACP
	for id, want := range map[string]bool{"h": true, "s": true, "": true, "x": false} {
		if got := HasID(parse(t, masked).Root(), id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}
