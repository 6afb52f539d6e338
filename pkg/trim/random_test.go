package trim

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// A writer makes random conversations. Every turn has a unique number.
type writer struct {
	*rapid.T
	turns []string
	next  int
}

// Draws of a choice, of a number up to n, and of a coin toss.
func (w *writer) choose(of ...string) string { return rapid.SampledFrom(of).Draw(w.T, "choice") }
func (w *writer) upTo(n int) int             { return rapid.IntRange(0, n).Draw(w.T, "number") }
func (w *writer) maybe() bool                { return rapid.Bool().Draw(w.T, "coin") }

// add writes a turn with the given members and a number.
func (w *writer) add(members string) {
	w.next++
	if members != "" {
		members += ","
	}
	w.turns = append(w.turns, fmt.Sprintf(`{%s"n":%d}`, members, w.next))
}

func (w *writer) text() string {
	return w.choose(`""`, `"ok"`, `"é😀\u0000\u2028\"\\"`, `"We decided to pay 4,200 EUR by 2026-03-01 because clause 7 demands it."`,
		`"`+strings.Repeat("Nothing much happened today. ", 1+w.upTo(10))+`"`)
}

func (w *writer) content() string {
	return w.choose(w.text(), w.text(), w.text(), "null", "[]", `{"odd":1e400}`, `[{"type":"text","text":`+w.text()+`},{"type":"image","source":{"data":"AAAA"}}]`)
}

func (w *writer) id() string {
	return w.choose("call_0", "call_0", "call_1", "c"+strconv.Itoa(w.next))
}

// block writes some turns that belong together, or seem to.
func (w *writer) block() {
	kinds := []func(){w.said, w.said, w.chat, w.responses, w.hosted, w.approval, w.program, w.anthropic, w.unlisted, w.odd}
	kinds[w.upTo(len(kinds)-1)]()
}

func (w *writer) said() {
	w.add(`"role":"` + w.choose("user", "user", "assistant", "assistant", "system", "developer", " User", "critic") + `","content":` + w.content() +
		w.choose("", "", `,"timestamp":"2026-01-01T00:00:00Z","x":9007199254740993`, `,"name":"ann"`))
}

func (w *writer) chat() {
	var calls, ids []string
	for range 1 + w.upTo(2) {
		ids = append(ids, w.id())
		calls = append(calls, `{"id":"`+ids[len(ids)-1]+`","type":"function","function":{"name":"f","arguments":"{}"}}`)
	}
	w.add(`"role":"assistant","content":` + w.content() + `,"tool_calls":[` + strings.Join(calls, ",") + `]`)
	w.answers(ids, func(id string) { w.add(`"role":"tool","tool_call_id":"` + id + `","content":` + w.text()) })
}

// answers answers some of the calls, in some order.
func (w *writer) answers(ids []string, answer func(id string)) {
	if len(ids) == 0 {
		return
	}
	for _, id := range rapid.Permutation(ids).Draw(w.T, "order")[w.upTo(3)/3:] {
		if w.upTo(5) == 0 {
			w.said()
		}
		answer(id)
	}
}

func (w *writer) responses() {
	for range w.upTo(2) {
		w.add(`"type":"reasoning","summary":[{"type":"summary_text","text":` + w.text() + `}],"encrypted_content":"zzz"`)
	}
	kind := w.choose("function_call", "computer_call", "custom_tool_call", "apply_patch_call", "shell_call")
	var ids []string
	for range w.upTo(3) {
		ids = append(ids, w.id())
		w.add(`"type":"` + kind + `","call_id":"` + ids[len(ids)-1] + `","name":"f","arguments":` + w.text())
	}
	if len(ids) == 0 {
		w.add(`"type":"message","role":"assistant","content":[{"type":"output_text","text":` + w.text() + `}]`)
	}
	w.answers(ids, func(id string) {
		w.add(`"type":"` + kind + `_output","call_id":"` + id + `","output":` + w.text())
	})
}

func (w *writer) hosted() {
	id := w.id()
	if w.maybe() {
		w.add(`"type":"reasoning","summary":[]`)
	}
	w.add(w.choose(`"type":"web_search_call","id":"ws"`, `"type":"image_generation_call","id":"ig"`, `"type":"mcp_list_tools","id":"ml","tools":[]`, `"type":"future_item"`))
	w.add(`"type":"local_shell_call","id":"x","call_id":"` + id + `","action":{}`)
	w.add(`"type":"local_shell_call_output","id":"` + id + `","output":` + w.text())
}

func (w *writer) approval() {
	id := w.id()
	w.add(`"type":"mcp_approval_request","id":"` + w.choose(id, id, "") + `","name":"f","arguments":"{}"`)
	w.add(`"type":"mcp_approval_response","approval_request_id":"` + id + `","approve":true`)
	w.add(`"type":"mcp_call","id":"m","approval_request_id":"` + id + `","name":"f","arguments":"{}","output":` + w.text())
}

func (w *writer) program() {
	id := "p" + w.id()
	w.add(`"type":"program","id":"prog","call_id":"` + id + `","code":"f()"`)
	w.add(`"type":"function_call","call_id":"` + id + `f","name":"f","arguments":"{}","caller":{"type":"program","caller_id":"` + id + `"}`)
	w.add(`"type":"function_call_output","call_id":"` + id + `f","output":` + w.text() + `,"caller":{"type":"program","caller_id":"` + id + `"}`)
	w.add(`"type":"program_output","call_id":"` + id + `","result":"1"`)
}

func (w *writer) anthropic() {
	id, other := w.id(), w.id()
	w.add(`"role":"assistant","content":[` + w.choose("", `{"type":"text","text":`+w.text()+`},`, `{"type":"thinking","thinking":"hm","signature":"s"},`) +
		`{"type":"tool_use","id":"` + id + `","name":"f","input":{}},{"type":"server_tool_use","id":"` + other + `","name":"web_search","input":{}},` +
		`{"type":"web_search_tool_result","tool_use_id":"` + other + `","content":[]}]`)
	w.add(`"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":` + w.text() + `}` +
		w.choose("", `,{"type":"text","text":`+w.text()+`}`) + `]`)
}

// unlisted is the form of SW4RM: the turn with the calls does not list them.
func (w *writer) unlisted() {
	w.add(`"role":"assistant","content":` + w.text())
	for range w.upTo(3) {
		w.add(`"role":"tool","tool_call_id":"u` + strconv.Itoa(w.next) + `","content":` + w.text())
	}
}

func (w *writer) odd() {
	w.next++
	n := strconv.Itoa(w.next)
	w.turns = append(w.turns, w.choose(n, `"turn `+n+`"`, `[`+n+`]`, `{"n":`+n+`}`, `{"role":`+n+`}`, `{"role":"tool","n":`+n+`}`,
		`{"type":"function_call_output","call_id":"late`+n+`","output":"before its call"},{"type":"function_call","call_id":"late`+n+`"}`,
		`{"role":"assistant","content":"`+strings.TrimSuffix(preamble, "\n")+`\n`+n+`"}`,
		`{"role":"assistant","content":[{"type":"tool_use","id":"`+w.id()+`"}],"tool_calls":5,"n":`+n+`}`))
}

// history writes a conversation, as the elements of an array.
func (w *writer) history(blocks int) string {
	w.turns = nil
	for range w.upTo(blocks) {
		w.block()
	}
	return strings.Join(w.turns, ",")
}

// message writes a message of any format.
func (w *writer) message() []byte {
	odd := w.choose("", `"😀":[1e400,9007199254740993,0.10],`, `"a/b~":{"":null},`)
	switch w.upTo(6) {
	case 0, 1:
		return []byte(w.canonical(odd))
	case 2:
		return []byte(w.context(odd))
	case 3:
		snapshot := w.choose("null", w.context(odd), w.encoded(w.context(odd)),
			strings.ReplaceAll(w.encoded(" "+w.context(odd)+"\n"), "/", `\/`))
		return []byte(`{"from_agent":"a",` + odd + `"context_snapshot": ` + snapshot + `,"reason":"r"}`)
	case 4:
		return []byte(w.transcript(odd))
	default:
		return []byte(w.openAI(odd))
	}
}

func (w *writer) canonical(odd string) string {
	return `{"handoffId":"h",` + odd + w.choose("", `"signature":"hmac-sha256:00",`, `"signature":"x","signatureKeyId":"k",`) +
		w.choose("", `"conversationHistorySummary":null,`, `"conversationHistorySummary":"",`, `"conversationHistorySummary":"Earlier, clause 4 was agreed at 100 EUR.",`) +
		`"relevantContext":[` + w.elements(`{"excerpt":"some text","relevanceScore":0.%d}`) + `],` +
		`"currentState":{"phase":"x","cachedResults":{` + w.elements(`"k%d":"some cached text"`) + `}},` +
		`"conversationHistoryVerbatim":[` + w.history(12) + `]` +
		w.choose("", `,"extensions":{"other":1}`, `,"extensions":null`, `, "toolCallHistory": [`+w.elements(`{"tool":"f","n":%d}`)+`]`) + `}`
}

// transcript writes a session whose last context is a message of another format.
func (w *writer) transcript(odd string) string {
	payload := func(contentType, context string) string {
		return w.choose(`{"message_type":"HandoffContext","payload":{"content_type":"`+contentType+`","context": `+context+`}},`,
			`{"messageType":"HandoffContext","payload":{"contentType":"`+contentType+`","context": `+context+`}},`)
	}
	text := payload("application/json", w.encoded(`{"conversation_history":[{"role":"user","content":"of the offer before"}]}`))
	switch w.upTo(3) {
	case 0:
		text += payload("application/json; charset=utf-8", w.encoded(w.canonical(odd)))
	case 1:
		text += payload("application/json", w.encoded(w.context(odd)))
	case 2:
		text += payload("application/vnd.openai+json", w.encoded(w.openAI(odd)))
	}
	text += payload("text/plain", w.encoded("a note")) + payload("application/json", w.encoded(`{"repository":"acme"}`))
	return `{"protocol_version":"1.0",` + odd + `"messages": [ {"message_type":"SessionStart"},` + text + `{"message_type":"HandoffAccept"}]}`
}

func (w *writer) encoded(text string) string {
	return `"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"`
}

func (w *writer) openAI(odd string) string {
	input := w.choose(w.text(), `[`+w.history(8)+`]`)
	before, items := w.history(4), w.history(4)
	return `{"input_history":` + input + `,` + odd + `"pre_handoff_items":[` + before + `],"new_items":[` + items + `]` +
		w.choose("", `,"input_items":null`, `,"input_items":[`+w.history(2)+`]`) + `}`
}

func (w *writer) context(odd string) string {
	return `{ "conversation_history" : [` + w.history(12) + `],` + odd + `"tool_state":{"active_calls":[{"id":"a"}],"cached_results":{` +
		w.elements(`"k%d": "some cached text"`) + `},"pending_approvals":[{"id":"b"}]}` +
		w.choose("", `,"metadata":{}`, `,"metadata":{"original_history_length":7,"trimmed":false,"x":1}`) + `}`
}

func (w *writer) elements(form string) string {
	var list []string
	for i := range w.upTo(10) {
		list = append(list, fmt.Sprintf(form, i*7%10+10))
	}
	return strings.Join(list, ",")
}

// quarters counts four bytes as a token, the usual estimate.
var quarters = history.Meter{Count: func(s string) int { return (len(s) + 3) / 4 }, PerTurn: 3, PerName: 1, PerReply: 3}

// options draws options for a message of this size.
func (w *writer) options(before size, turns int) Options {
	share := func(n int) int { return n*rapid.IntRange(5, 110).Draw(w.T, "percent")/100 + 1 }
	o := Options{KeepTurns: w.upTo(6), Meter: quarters, Tokenizer: "quarters"}
	for o.MaxTokens+o.MaxBytes+o.Last == 0 && o.Roles == nil && !o.DropTools {
		if w.maybe() {
			o.MaxTokens = share(before.tokens)
		}
		if w.upTo(2) == 0 {
			o.MaxBytes = share(before.bytes)
		}
		if w.upTo(2) == 0 {
			o.Last = share(turns)
		}
		if w.upTo(5) == 0 {
			o.Roles = [][]string{{"user", "assistant"}, {"user"}, {"tool"}, {}, {"assistant", "tool", "system"}}[w.upTo(4)]
		}
		o.DropTools = w.upTo(5) == 0
	}
	o.Also = rapid.Permutation(Extras()).Draw(w.T, "also")[:w.upTo(3)]
	if w.maybe() {
		o.SummaryTokens = 1 + w.upTo(60)
	}
	switch w.upTo(4) {
	case 0, 1:
		o.Summarizer, o.Method = summarize.Extractive{}, Extractive
	case 2:
		o.Summarizer, o.Method = says("\x00\"\xff<\u2028é\\"), "odd"
	}
	return o
}

// says summarizes everything as the same few characters, repeated to fill the space.
type says string

func (s says) Summarize(_ context.Context, r summarize.Request) (summarize.Summary, error) {
	text := ""
	for s != "" && r.Count(text+string(s)) <= r.MaxTokens {
		text += string(s)
	}
	return summarize.Summary{Text: text}, nil
}

// plain returns a message as compact JSON, with its carried context decoded in place, as
// compact JSON.
func plain(text []byte) string {
	doc, err := parse(text)
	if err != nil {
		panic(err)
	}
	if h, err := history.Of(doc, "", jsonstream.Unlimited()); err == nil && h.Carrier().Exists() {
		if text, err = jsonstream.Set(doc, h.Carrier().Pointer(), h.Context().Raw().Bytes); err != nil {
			panic(err)
		}
	}
	return string(jsonstream.AppendCompact(nil, text))
}
