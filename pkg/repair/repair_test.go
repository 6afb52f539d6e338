package repair

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/vectors"
)

// document reads a text. Several objects are read as JSON Lines.
func document(t testing.TB, text []byte) *jsonstream.Document {
	t.Helper()
	raw := jsonstream.NewRaw(text)
	raw.Lines = bytes.Contains(text, []byte("}\n{"))
	doc, damage, err := Parse(raw, jsonstream.Unlimited())
	if err != nil || len(damage.steps) > 0 {
		t.Fatalf("%v, damaged %+v: %s", err, damage.steps, text)
	}
	return doc
}

// repaired repairs a text, and checks that a second repair changes nothing and that the archive
// restores the text.
func repaired(t testing.TB, text []byte, o Options) Result {
	t.Helper()
	r, err := Message(document(t, text), jsonstream.Unlimited(), o)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(r.Steps) == 0 {
		if !bytes.Equal(r.Text, text) || r.Archive != nil {
			t.Fatalf("nothing was done, and it changed: %s", r.Text)
		}
		return r
	}
	archive, err := ReadArchive(bytes.NewReader(append(r.Archive, '\n')))
	if err != nil {
		t.Fatal(err)
	}
	original, err := archive.Restore(r.Text)
	if err != nil || !bytes.Equal(original, text) {
		t.Errorf("restored as %s: %v", original, err)
	}
	again, err := Message(document(t, r.Text), jsonstream.Unlimited(), Options{Format: r.Format, For: r.For})
	if err != nil || len(again.Steps) > 0 {
		t.Errorf("repaired again: %+v, %v", again.Steps, err)
	}
	return r
}

// TestRules checks that the failing example of every provider rule is valid after the repair, except for
// media and members beside the turns, and that the page of the rules shows the repaired example.
func TestRules(t *testing.T) {
	for _, rule := range provider.Rules() {
		if rule.Bad == "" || strings.Contains(rule.ID, "media-") || slices.Contains([]string{"no-turns", "tool-choice", "repeated-tool"}, rule.Name()) {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			p, _, _ := strings.Cut(rule.ID, "/")
			r := repaired(t, []byte(rule.Bad), Options{Format: format.Format(p), For: provider.Provider(p)})
			if len(r.Left) > 0 {
				t.Errorf("left: %+v in %s", r.Left, r.Text)
			}
			if rule.Severity == finding.Error && string(r.Text) != rule.Good {
				t.Errorf("repaired to %s, and the page has %s", r.Text, rule.Good)
			}
		})
	}
}

// TestThreads checks that the histories of real issue threads, in the conformance suite, are valid after the
// repair, and keep their texts.
func TestThreads(t *testing.T) {
	for _, c := range vectors.Cases("histories") {
		if c.Operation != vectors.RepairHistory {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			r := repaired(t, []byte(c.Input.History), Options{Format: format.Format(cmp.Or(c.Input.Format, c.Input.Provider)), For: provider.Provider(c.Input.Provider)})
			if len(r.Left) > 0 {
				t.Errorf("left: %+v in %s", r.Left, r.Text)
			}
			for _, text := range c.Expected.Keep {
				if !slices.ContainsFunc(slices.Collect(document(t, r.Text).Root().All()), func(v jsonstream.Value) bool { return strings.Contains(v.Text(), text) }) {
					t.Errorf("lost %q in %s", text, r.Text)
				}
			}
		})
	}
}

// TestBeside checks that an element that is not a turn stays after its turn, and that the signature is
// removed.
func TestBeside(t *testing.T) {
	const event = `{"id":"s1","author":"agent","invocationId":"i","actions":{"stateDelta":{"a":1}}}`
	other := strings.Replace(event, "s1", "s2", 1)
	text := `{"events":[` + event + `,{"author":"user","content":{"role":"user","parts":[{"text":"a"}]}},
		{"author":"user","content":{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"b":1}}}]}},` + other + `]}`
	r := repaired(t, []byte(text), Options{})
	if len(r.Left) > 0 || !strings.HasPrefix(string(r.Text), `{"events":[`+event) || !strings.HasSuffix(string(r.Text), other+`]}`) {
		t.Errorf("%+v: %s", r.Left, r.Text)
	}
	signed := `{"taskId":"t","signature":"s","signatureKeyId":"k","conversationHistoryVerbatim":[{"role":"tool","tool_call_id":"c","content":"x"}]}`
	r = repaired(t, []byte(signed), Options{})
	if strings.Contains(string(r.Text), "signature") || !strings.Contains(r.Steps[len(r.Steps)-1].Did, "sign the message again") {
		t.Errorf("%+v: %s", r.Steps, r.Text)
	}
}

// TestRolledBack checks that a rollback of a Codex session takes back no turn that a repair adds before it, also if it
// takes back more turns than there are.
func TestRolledBack(t *testing.T) {
	for name, tt := range map[string]struct{ after, want string }{
		"no turn before":    {"", `"num_turns":0`},
		"one turn before":   {`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Undo this."}]}}` + "\n", `"num_turns":1`},
		"a turn that stays": {`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I stay."}]}}` + "\n", `"num_turns":0`},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}` + "\n" +
				`{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"lost"}}` + "\n" + tt.after +
				`{"timestamp":"t","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":2}}` + "\n" +
				`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Go on."}]}}` + "\n"
			r := repaired(t, []byte(text), Options{Format: format.Codex})
			if now := words(t, r.Text, format.Codex); len(r.Left) > 0 || !strings.HasSuffix(now[0], "lost") || !strings.Contains(string(r.Text), tt.want) {
				t.Errorf("%q, left %+v in %s", now, r.Left, r.Text)
			}
		})
	}
}

// TestApprovals checks that each request for an approval of the Responses API keeps its response, and that a response
// without a request becomes a note.
func TestApprovals(t *testing.T) {
	request := func(id, name string) string {
		return `,{"type":"mcp_approval_request","id":"` + id + `","name":"` + name + `","arguments":"{}","server_label":"s"}`
	}
	response := func(id, approve string) string {
		return `,{"type":"mcp_approval_response","approval_request_id":"` + id + `","approve":` + approve + `}`
	}
	const said = `,{"role":"user","content":"On."}`
	note := func(decision string) string {
		return `,{"role":"user","content":"[the response to the approval request \"mcpr_1\", which is not in the history]\n` + decision + `"}`
	}
	fresh := "mcpr_" + digest("mcpr_1")
	for name, tt := range map[string]struct{ in, want string }{
		"before its request":     {response("mcpr_1", "true") + said + request("mcpr_1", "f") + said, said + request("mcpr_1", "f") + response("mcpr_1", "true") + said},
		"no request":             {response("mcpr_1", "true"), note("The call is approved.")},
		"no request, denied":     {response("mcpr_1", `false,"reason":"No."`), note("The call is denied: No.")},
		"one id, one by one":     {request("mcpr_1", "f") + response("mcpr_1", "true") + request("mcpr_1", "g") + response("mcpr_1", "false"), request("mcpr_1", "f") + response("mcpr_1", "true") + request(fresh, "g") + response(fresh, "false")},
		"one id, both together":  {request("mcpr_1", "f") + request("mcpr_1", "g") + response("mcpr_1", "true") + response("mcpr_1", "false"), request("mcpr_1", "f") + request(fresh, "g") + response("mcpr_1", "true") + response(fresh, "false")},
		"the id of another type": {request("fc_1", "f") + response("fc_1", "true"), request("mcpr_"+digest("fc_1"), "f") + response("mcpr_"+digest("fc_1"), "true")},
	} {
		t.Run(name, func(t *testing.T) {
			const first = `[{"role":"user","content":"Go."}`
			r := repaired(t, []byte(first+tt.in+"]"), Options{Format: format.OpenAIResponses})
			if want := first + tt.want + "]"; len(r.Left) > 0 || string(r.Text) != want {
				t.Errorf("left %+v in\n%s, want\n%s", r.Left, r.Text, want)
			}
		})
	}
}

// TestMixedResults checks that a result of an ADK session stays at its call, if a note takes the place of another result in
// its event: ADK then sends the event where it is stored.
func TestMixedResults(t *testing.T) {
	event := func(author, role, parts string) string {
		return `{"author":"` + author + `","invocationId":"i","content":{"role":"` + role + `","parts":[` + parts + `]}}`
	}
	text := "[" + event("user", "user", `{"text":"Go."}`) + "," +
		event("agent", "model", `{"functionCall":{"id":"c","name":"f","args":{}},"thoughtSignature":"CiQB"}`) + "," +
		event("user", "user", `{"text":"On."}`) + "," +
		event("agent", "user", `{"functionResponse":{"id":"lost","name":"g","response":{"output":"L"}}},{"functionResponse":{"id":"c","name":"f","response":{"output":"R"}}}`) + "]"
	r := repaired(t, []byte(text), Options{Format: format.Gemini})
	if len(r.Left) > 0 || strings.Index(string(r.Text), `"output":"R"`) > strings.Index(string(r.Text), "On.") {
		t.Errorf("left %+v in %s", r.Left, r.Text)
	}
}

// TestFirst checks that a history gets a turn of the user before everything that the assistant has made, also before
// the results of hosted tools.
func TestFirst(t *testing.T) {
	const rest = `{"type":"tool_search_output","id":"tso_1","call_id":null,"execution":"server","status":"completed","tools":[]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"R"}`
	const developer, user = `{"role":"developer","content":"Be brief."},`, `{"role":"user","content":"` + begins + `"},`
	for _, before := range []string{"", developer} {
		r := repaired(t, []byte("["+before+rest+"]"), Options{Format: format.OpenAIResponses, For: provider.Gemini})
		if want := "[" + before + user + rest + "]"; len(r.Left) > 0 || string(r.Text) != want {
			t.Errorf("left %+v in\n%s, want\n%s", r.Left, r.Text, want)
		}
	}
}

// TestJoined checks that a turn joined to the one before it keeps all of its content, also beside the list of parts,
// and that two turns stay whose contents have no place in one.
func TestJoined(t *testing.T) {
	const call = `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}`
	const result = `,{"role":"tool","tool_call_id":"c","content":"R"}`
	for name, tt := range map[string]struct {
		in, want string
		left     int
	}{
		"refusal after a text":     {`{"role":"assistant","content":"A"},{"role":"assistant","content":null,"refusal":"No."}`, `{"role":"assistant","content":"A","refusal":"No."}`, 0},
		"refusal before a text":    {`{"role":"assistant","content":null,"refusal":"No."},{"role":"assistant","content":"A"}`, `{"role":"assistant","content":"No.\n\nA"}`, 0},
		"two refusals":             {`{"role":"assistant","refusal":"No."},{"role":"assistant","refusal":"Never."}`, `{"role":"assistant","refusal":"Never.","content":"No."}`, 0},
		"refusal before calls":     {`{"role":"assistant","refusal":"No."},{"role":"assistant","tool_calls":[` + call + `]}` + result, `{"role":"assistant","refusal":"No.","tool_calls":[` + call + `]}` + result, 0},
		"audio after a text":       {`{"role":"assistant","content":"A"},{"role":"assistant","audio":{"id":"a1"}}`, `{"role":"assistant","content":"A","audio":{"id":"a1"}}`, 0},
		"the same audio twice":     {`{"role":"assistant","audio":{"id":"a1"}},{"role":"assistant","audio":{"id":"a1"}}`, `{"role":"assistant","audio":{"id":"a1"}}`, 0},
		"two audios":               {`{"role":"assistant","audio":{"id":"a1"}},{"role":"assistant","audio":{"id":"a2"}}`, `{"role":"assistant","audio":{"id":"a1"}},{"role":"assistant","audio":{"id":"a2"}}`, 1},
		"a call of the first form": {`{"role":"assistant","content":"A"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"R"}`, `{"role":"assistant","content":"A","function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"R"}`, 0},
		// Reasoning beside the parts, of DeepSeek and vLLM, and of OpenRouter.
		"reasoning of both turns":    {`{"role":"assistant","content":"A","reasoning_content":"Hm."},{"role":"assistant","content":"B","reasoning_content":"So."}`, `{"role":"assistant","content":"A\n\nB","reasoning_content":"Hm.\n\nSo."}`, 0},
		"reasoning of the second":    {`{"role":"assistant","content":"A"},{"role":"assistant","content":"B","reasoning":"So."}`, `{"role":"assistant","content":"A\n\nB","reasoning":"So."}`, 0},
		"details of reasoning":       {`{"role":"assistant","content":"A","reasoning_details":[{"text":"Hm."}]},{"role":"assistant","content":"B","reasoning_details":[{"text":"So."}]}`, `{"role":"assistant","content":"A\n\nB","reasoning_details":[{"text":"Hm."},{"text":"So."}]}`, 0},
		"reasoning of another kind":  {`{"role":"assistant","content":"A","reasoning":{"text":"Hm."}},{"role":"assistant","content":"B","reasoning":"So."}`, `{"role":"assistant","content":"A","reasoning":{"text":"Hm."}},{"role":"assistant","content":"B","reasoning":"So."}`, 1},
		"sources of the second":      {`{"role":"assistant","audio":{"id":"a1"}},{"role":"assistant","content":"B","annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":1}}]}`, `{"role":"assistant","audio":{"id":"a1"},"content":"B","annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":1}}]}`, 0},
		"sources after another text": {`{"role":"assistant","content":"A"},{"role":"assistant","content":"B","annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":1}}]}`, `{"role":"assistant","content":"A"},{"role":"assistant","content":"B","annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":1}}]}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			const before, after = `[{"role":"user","content":"Go."},`, `,{"role":"user","content":"On."}]`
			r := repaired(t, []byte(before+tt.in+after), Options{Format: format.OpenAIChat, For: provider.BedrockConverse})
			if want := before + tt.want + after; len(r.Left) != tt.left || string(r.Text) != want {
				t.Errorf("left %+v in\n%s, want\n%s", r.Left, r.Text, want)
			}
		})
	}
}

// TestJoinedBesideApprovals checks that no turn is joined to a turn of the tool with approvals of the AI SDK, which
// no API gets.
func TestJoinedBesideApprovals(t *testing.T) {
	const approvals = `{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"a","approved":true}]},`
	const calls = `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"f","output":{"type":"text","value":"R"}}]}`
	for name, tt := range map[string]struct {
		p        provider.Provider
		in, want string
	}{
		"between turns of the user":  {provider.BedrockConverse, `{"role":"user","content":"Go."},` + approvals + `{"role":"user","content":"On."},` + calls, `{"role":"user","content":"Go."},` + approvals + `{"role":"user","content":"On."},` + calls}, // @ai-sdk/amazon-bedrock joins them
		"before the first assistant": {provider.Gemini, approvals + calls, approvals + `{"role":"user","content":"` + begins + `"},` + calls},
	} {
		t.Run(name, func(t *testing.T) {
			r := repaired(t, []byte("["+tt.in+"]"), Options{Format: format.AISDK, For: tt.p})
			if want := "[" + tt.want + "]"; len(r.Left) > 0 || string(r.Text) != want {
				t.Errorf("left %+v in\n%s, want\n%s", r.Left, r.Text, want)
			}
		})
	}
}

// TestLastApproval checks that a last response to no request, which the AI SDK rejects, goes, and the others of its turn
// stay.
func TestLastApproval(t *testing.T) {
	const asks = `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{}},{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}]}`
	const user, lost, given = `{"role":"user","content":"Go."}`, `{"type":"tool-approval-response","approvalId":"b","approved":true}`, `{"type":"tool-approval-response","approvalId":"a","approved":true}`
	answers := func(parts string) string { return `{"role":"tool","content":[` + parts + `]}` }
	for name, tt := range map[string]struct{ in, want string }{
		"alone in its turn": {user + "," + answers(lost), user},
		"beside another":    {user + "," + asks + "," + answers(lost+","+given), user + "," + asks + "," + answers(given)},
		"no other turn":     {answers(lost), `{"role":"user","content":"[the response to the approval request \"b\", which is not in the history, or has no call]\nThe call is approved."}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := repaired(t, []byte("["+tt.in+"]"), Options{Format: format.AISDK})
			if want := "[" + tt.want + "]"; len(r.Left) > 0 || string(r.Text) != want {
				t.Errorf("left %+v in\n%s, want\n%s", r.Left, r.Text, want)
			}
		})
	}
}

// TestInvalidCallAlone checks that a turn of LangChain with nothing but a call that it could not read, which it does not
// send to Gemini and Bedrock, becomes a note (@langchain/google-genai 2.3.2 and @langchain/aws 1.4.5 send an empty turn).
func TestInvalidCallAlone(t *testing.T) {
	const text = `[{"type":"human","content":"x"},{"type":"ai","content":"","invalid_tool_calls":[{"id":"c","name":"f","args":"{\"a\": 4"}]},{"type":"tool","tool_call_id":"c","content":"1"}]`
	for _, p := range []provider.Provider{provider.Gemini, provider.BedrockConverse} {
		r := repaired(t, []byte(text), Options{For: p})
		for _, said := range []string{`{\"a\": 4`, `\n1"`} {
			if !strings.Contains(string(r.Text), said) || strings.Contains(string(r.Text), "invalid_tool_calls") || len(r.Left) > 0 {
				t.Errorf("%s: repaired to %s, left %+v; want a note with %s", p, r.Text, r.Left, said)
			}
		}
	}
}

// TestRepeatedCallInOneTurn checks that the n-th result of two calls with one id in a turn belongs to
// the n-th call, unless the results name their tools.
func TestRepeatedCallInOneTurn(t *testing.T) {
	const chat = `[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c","type":"function","function":{"name":"g","arguments":"{}"}}]},%s]`
	tests := []struct{ name, in, want string }{
		{"openai-chat", strings.Replace(chat, "%s", `{"role":"tool","tool_call_id":"c","content":"1"},{"role":"tool","tool_call_id":"c","content":"2"}`, 1),
			`{"role":"tool","tool_call_id":"c","content":"1"},{"role":"tool","tool_call_id":"c_2","content":"2"}]`},
		{"openai-chat, named", strings.Replace(chat, "%s", `{"role":"tool","name":"g","tool_call_id":"c","content":"2"},{"role":"tool","name":"f","tool_call_id":"c","content":"1"}`, 1),
			`{"role":"tool","name":"g","tool_call_id":"c_2","content":"2"},{"role":"tool","name":"f","tool_call_id":"c","content":"1"}]`},
		{"anthropic", `[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}},{"type":"tool_use","id":"c","name":"g","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"1"},{"type":"tool_result","tool_use_id":"c","content":"2"}]}]`,
			`[{"type":"tool_result","tool_use_id":"c","content":"1"},{"type":"tool_result","tool_use_id":"c_2","content":"2"}]}]`},
		{"langchain", `[{"type":"human","content":"x"},{"type":"ai","content":"","tool_calls":[{"id":"c","name":"f","args":{}},{"id":"c","name":"g","args":{}}]},` +
			`{"type":"tool","tool_call_id":"c","content":"1"},{"type":"tool","tool_call_id":"c","content":"2"}]`,
			`{"type":"tool","tool_call_id":"c","content":"1"},{"type":"tool","tool_call_id":"c_2","content":"2"}]`},
		{"a later turn", `[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"1"}]},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"n":2}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"2"}]}]`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c_2","content":"2"}]}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := repaired(t, []byte(tt.in), Options{}); !strings.HasSuffix(string(r.Text), tt.want) || len(r.Left) > 0 {
				t.Errorf("repaired to %s, left %+v; want …%s", r.Text, r.Left, tt.want)
			}
		})
	}
}
