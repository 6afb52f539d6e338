package repair

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/provider"
)

// LangChain has a call in the content and in tool_calls: a repair changes both.
func TestCallsTwice(t *testing.T) {
	const call = `{"type":"ai","content":[{"type":"text","text":"I look%s."},{"type":"tool_use","id":"c1","name":"find","input":{"room":%s}}],"tool_calls":[{"name":"find","args":{"room":%s},"id":"c1","type":"tool_call"}]}`
	twice := func(said, room string) string {
		return strings.Replace(strings.ReplaceAll(strings.Replace(call, "%s", said, 1), "%s", room), "%s", room, 1)
	}
	const free = `{"type":"tool","content":"free","tool_call_id":"c1"}`
	for name, tt := range map[string]struct {
		in, want string
		gone     string
	}{
		"another call with its own result": {
			in:   `[{"type":"human","content":"Rooms?"},` + twice("", "8") + "," + free + "," + twice(" again", "9") + "," + free + `]`,
			want: `"tool_calls":[{"name":"find","args":{"room":9},"id":"c1_2","type":"tool_call"}]`,
		},
		"the same call again": {
			in:   `[{"type":"human","content":"Rooms?"},` + twice("", "8") + "," + twice(" again", "8") + "," + free + `]`,
			want: `{"type":"ai","content":[{"type":"text","text":"I look again."}]`,
		},
		"a call that was cut off": {
			in: `[{"type":"human","content":"Rooms?"},{"type":"AIMessageChunk","content":[{"type":"text","text":"I look."}],"tool_calls":[{"name":"find","args":{"room":9},"id":"c1","type":"tool_call"}],
				"tool_call_chunks":[{"name":"find","args":"{\"room\": 9","id":"c1","index":0,"type":"tool_call_chunk"}]},{"type":"human","content":"Go on."}]`,
			want: `[the tool call c1 of the tool find, whose arguments are not valid JSON]\n{\"room\": 9`,
			gone: `"id":"c1"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := repaired(t, []byte(tt.in), Options{For: provider.OpenAIChat})
			if len(r.Left) > 0 || !strings.Contains(string(r.Text), tt.want) || tt.gone != "" && strings.Contains(string(r.Text), tt.gone) {
				t.Errorf("left %+v in %s", r.Left, r.Text)
			}
			if again := repaired(t, r.Text, Options{For: provider.OpenAIChat}); len(again.Steps) > 0 {
				t.Errorf("repaired again: %+v", again.Steps)
			}
		})
	}
}
