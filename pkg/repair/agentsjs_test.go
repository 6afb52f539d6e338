package repair

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/provider"
)

// TestHostedApprovals checks requests for approvals of MCP tools and their responses as the OpenAI Agents SDK for
// JavaScript 0.20 writes them: as hosted_tool_call, with the data of the Responses API in providerData. A response
// has no type there. Each request needs a response, each response a request, and an id is used once.
func TestHostedApprovals(t *testing.T) {
	const (
		user     = `{"type":"message","role":"user","content":"Ship it."}`
		request  = `{"type":"hosted_tool_call","id":"mcpr_1","name":"mcp_approval_request","status":"completed","providerData":{"id":"mcpr_1","type":"mcp_approval_request","server_label":"shop","name":"ship","arguments":"{}"}}`
		response = `{"type":"hosted_tool_call","name":"mcp_approval_response","providerData":{"approve":true,"approval_request_id":"mcpr_1"}}`
		denied   = `{"type":"hosted_tool_call","name":"mcp_approval_response","providerData":{"approve":false,"approval_request_id":"mcpr_1","reason":"` + NoResult + `"}}`
		run      = `{"type":"tool_call_item","rawItem":`
	)
	other := strings.Replace(request, `"arguments":"{}"`, `"arguments":"{\"n\":1}"`, 1)
	for _, tt := range []struct{ name, text, rule, want string }{
		{"answered", `[` + user + `,` + request + `,` + response + `]`, "", ""},
		{"without a response", `[` + user + `,` + request + `,` + user + `]`, "openai-responses/call-without-result", `[` + user + `,` + request + `,` + denied + `,` + user + `]`},
		{"without a request", `[` + user + `,` + response + `]`, "openai-responses/result-without-call", `[` + user + `,{"type":"message","role":"user","content":"[the response to the approval request \"mcpr_1\", which is not in the history]\nThe call is approved."}]`},
		{"two requests with one id", `{"inputHistory":"Ship it.","preHandoffItems":[],"newItems":[` + run + request + `},` + run + response + `},` + run + other + `},` + run + response + `}]}`, "openai/repeated-id",
			`{"inputHistory":"Ship it.","preHandoffItems":[],"newItems":[` + run + request + `},` + run + response + `},` + run + strings.ReplaceAll(other, "mcpr_1", "mcpr_"+digest("mcpr_1")) + `},` + run + strings.ReplaceAll(response, "mcpr_1", "mcpr_"+digest("mcpr_1")) + `}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := repaired(t, []byte(tt.text), Options{Format: format.OpenAIJS, For: provider.OpenAIResponses})
			if tt.rule == "" {
				if len(r.Steps) > 0 || len(r.Left) > 0 {
					t.Errorf("found %+v, left %+v", r.Steps, r.Left)
				}
				return
			}
			if len(r.Steps) == 0 || r.Steps[0].Rule != tt.rule {
				t.Errorf("the steps are %+v, want one for %s", r.Steps, tt.rule)
			}
			for _, left := range r.Left {
				if left.Severity == finding.Error {
					t.Errorf("left: %+v", left)
				}
			}
			if string(r.Text) != tt.want {
				t.Errorf("repaired to\n%s\nwant\n%s", r.Text, tt.want)
			}
		})
	}
}
