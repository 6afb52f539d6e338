package repair

import (
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/provider"
)

// TestAskedCalls checks that a call in a request for an approval of Agent Framework, which has no answer, gets a result in
// the form of Agent Framework: of Python, of .NET, and of version 1 for .NET.
func TestAskedCalls(t *testing.T) {
	for _, tt := range []struct{ kind, asked, result string }{
		{"type", `{"type":"function_approval_request","id":"r1","function_call":{"type":"function_call","call_id":"c1","name":"rm","arguments":"{}"}}`, `{"type":"function_result","call_id":"c1","result":"` + NoResult + `","exception":"` + NoResult + `"}`},
		{"$type", `{"$type":"functionApprovalRequest","id":"r1","functionCall":{"callId":"c1","name":"rm","arguments":{}}}`, `{"$type":"functionResult","callId":"c1","result":"` + NoResult + `"}`},
		{"$type", `{"$type":"toolApprovalRequest","requestId":"r1","toolCall":{"$type":"functionCall","callId":"c1","name":"rm","arguments":{}}}`, `{"$type":"functionResult","callId":"c1","result":"` + NoResult + `"}`},
	} {
		said := `{"role":"user","contents":[{"` + tt.kind + `":"text","text":"Go."}]}`
		begin := `{"messages":[` + said + `,{"role":"assistant","contents":[` + tt.asked + `]},`
		r := repaired(t, []byte(begin+said+`]}`), Options{Format: format.AgentFramework, For: provider.Anthropic})
		if want := begin + `{"role":"tool","contents":[` + tt.result + `]},` + said + `]}`; string(r.Text) != want || len(r.Left) > 0 {
			t.Errorf("left %+v in\n%s, want\n%s", r.Left, r.Text, want)
		}
	}
}
