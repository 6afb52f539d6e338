package repair

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// partAt returns the part of an item that has a kind and contains a value.
func (r *repairer) partAt(i int, at jsonstream.Value, kind conversation.PartKind) (conversation.Part, bool) {
	for v := at; v.Exists(); v = v.Parent() {
		for p := range conversation.Parts(r.items[i].turn.Value) {
			if p.Kind == kind && p.Value == v {
				return p, true
			}
		}
	}
	return conversation.Part{}, false
}

// answerAt returns the result of an item that contains a value, or the response to a request for an approval.
func (r *repairer) answerAt(i int, at jsonstream.Value) (conversation.Part, bool) {
	if p, ok := r.partAt(i, at, conversation.Result); ok {
		return p, true
	}
	return r.partAt(i, at, conversation.ApprovalResponse)
}

// isWhole reports whether a part is the entire turn.
func (r *repairer) isWhole(i int, p conversation.Part) bool { return p.Value == r.items[i].turn.Item() }

// take removes a part from an item, and the item if nothing else is left. It reports whether the item was
// removed.
func (r *repairer) take(i int, p conversation.Part) (gone bool) {
	n := 0
	for other := range conversation.Parts(r.items[i].turn.Value) {
		if other.Value != p.Value {
			n++
		}
	}
	if n == 0 || r.isWhole(i, p) {
		r.drop(i)
		return true
	}
	list := p.Value.Parent()
	if list.Len() == 1 && (list.Name() == "tool_calls" || list.Name() == "invalid_tool_calls" || list.Name() == "toolCalls" || list.Name() == "toolRequests") {
		r.edit(i, list, nil)
	} else {
		r.edit(i, p.Value, nil)
	}
	return false
}

// answerCall adds a result to a call; its text states that there is none.
func (r *repairer) answerCall(f provider.Fault) bool {
	i := r.indexOf(f.At)
	if ask, ok := r.partAt(i, f.At, conversation.ApprovalRequest); ok {
		r.step(f, i, "denied the approval request %q, which has no response", ask.ID.Text())
		denied := format.Fill(`{"type":"mcp_approval_response","approval_request_id":%,"approve":false,"reason":%}`, ask.ID.Text(), NoResult)
		if ask.Value.Get("type").Text() == conversation.HostedToolCall { // of the Agents SDK for JavaScript
			denied = format.Fill(`{"type":"hosted_tool_call","name":"mcp_approval_response","providerData":{"approve":false,"approval_request_id":%,"reason":%}}`, ask.ID.Text(), NoResult)
		}
		r.insert(i+1, r.around(r.items[i].turn.Value, denied))
		return true
	}
	call, ok := r.partAt(i, f.At, conversation.Call)
	switch {
	case !ok:
		return false
	case r.provider == provider.Gemini && r.isRepeated(call): // no rule of its own, but one result answers only one of them
		return r.mendRepeatedCall(f)
	case call.Hosted:
		r.step(f, i, "removed the call %s, which the provider did not finish", nameOf(call))
		r.take(i, call)
		return true
	case call.Value.Parent().Name() == "invalid_tool_calls":
		r.noteCall(f, i, call, notJSON, call.Value.Get("args").Text())
		return true
	}
	if chunk := cutChunk(r.items[i].turn.Item(), call); chunk.Exists() {
		copies := append(r.listedIDs(i, call), chunk.Get("id").Pointer()[len(r.items[i].turn.Value.Pointer()):])
		if left := r.noteCall(f, i, call, notJSON, chunk.Get("args").Text()); left {
			for _, pointer := range copies {
				r.editAt(i, strings.TrimSuffix(pointer, "/id"), nil)
			}
		}
		return true
	}
	if name := call.Name.Name(); name == "type" || call.Value.Get("type").Text() == "dynamic-tool" { // a part of a UIMessage
		pointer := call.Value.Pointer()[len(r.items[i].turn.Value.Pointer()):]
		r.editAt(i, pointer+"/state", []byte(`"output-error"`))
		r.editAt(i, pointer+"/errorText", format.Fill("%", NoResult))
		r.step(f, i, "gave the call the error %q", NoResult)
		return true
	}
	if call.Value.Parent().Name() == "toolCalls" { // the Gemini CLI
		pointer := call.Value.Pointer()[len(r.items[i].turn.Value.Pointer()):]
		r.editAt(i, pointer+"/status", []byte(`"cancelled"`))
		r.editAt(i, pointer+"/result", append(append([]byte{'['}, format.Fill(`{"functionResponse":{"id":%,"name":%,"response":{"error":%}}}`, call.ID.Text(), call.Tool(), NoResult)...), ']'))
		r.step(f, i, "gave the call %s the result %q", nameOf(call), NoResult)
		return true
	}
	if call.Value.Get("type").Text() == "tool" { // OpenCode
		pointer := call.Value.Pointer()[len(r.items[i].turn.Value.Pointer()):] + "/state"
		state := append([]byte(`{"status":"error","input":`), inputOf(call.Value.Get("state"))...)
		r.editAt(i, pointer, append(state, format.Fill(`,"error":%,"time":{"start":0,"end":0}}`, NoResult)...))
		r.step(f, i, "gave the call %s the result %q", nameOf(call), NoResult)
		return true
	}
	answer, parts := r.resultOf(r.items[i].turn.Value, call, NoResult)
	if answer == nil { // no text can be its result
		r.noteCall(f, i, call, "which has no result", string(jsonstream.AppendCompact(nil, call.Value.Raw())))
		return true
	}
	r.step(f, i, "gave the call %s the result %q", nameOf(call), NoResult)
	r.put(i, answer, parts)
	return true
}

// inputOf returns the input of a call of OpenCode.
func inputOf(state jsonstream.Value) []byte {
	if input := state.Get("input"); input.Exists() {
		return input.Raw()
	}
	return []byte("{}")
}

// notJSON is the reason for a note about a call that cannot be sent.
const notJSON = "whose arguments are not valid JSON"

// noteCall converts a call to a note in a turn of the user, and reports whether the turn of the call has other
// content.
func (r *repairer) noteCall(f provider.Fault, i int, call conversation.Part, why, arguments string) (left bool) {
	tool := ""
	if name := call.Tool(); name != "" {
		tool = " of the tool " + name
	}
	said := fmt.Sprintf("[the tool call %s%s, %s]\n%s", call.ID.Text(), tool, why, arguments)
	r.step(f, i, "converted the call %s, %s, to a note in a turn of the user", nameOf(call), why)
	like := r.items[i].turn.Value
	gone := r.take(i, call)
	to := i + 1
	if gone {
		to = i
	}
	r.insert(to, r.layout.Speak(like, "user", said))
	return !gone
}

// cutChunk returns the chunk of a streamed call of LangChain whose arguments were cut off, and which LangChain
// completed; absent if there is none.
func cutChunk(item jsonstream.Value, call conversation.Part) jsonstream.Value {
	for _, chunk := range item.Get("tool_call_chunks").Elements() {
		args := chunk.Get("args").Text()
		if id := chunk.Get("id").Text(); id == "" || id != call.ID.Text() || args == "" {
			continue
		}
		if _, err := jsonstream.Parse(jsonstream.NewRaw([]byte(args)), jsonstream.Limits{}); err != nil {
			return chunk
		}
	}
	return jsonstream.Value{}
}

func nameOf(p conversation.Part) string {
	if id := p.ID.Text(); id != "" {
		return fmt.Sprintf("%q", id)
	}
	if tool := p.Tool(); tool != "" {
		return fmt.Sprintf("of the tool %q", tool)
	}
	return "without an id"
}

func resultName(p conversation.Part) string {
	switch {
	case p.Kind == conversation.ApprovalResponse:
		return "the response to the approval request " + nameOf(p)
	case p.ID.Text() != "":
		return "the result of " + nameOf(p)
	case p.Tool() == "":
		return "the result without an id"
	}
	return "the result " + nameOf(p)
}

// put inserts a result after the turn with its call: into the turn with the results of other calls or, as a
// part, before the user's text there.
func (r *repairer) put(call int, answer []byte, parts *form) {
	like := r.items[call].turn.Value
	to := r.afterCalls(call)
	if parts == nil {
		for to < len(r.items) && r.isResult(to) {
			to++
		}
		r.insert(to, r.around(like, answer))
		return
	}
	if r.isLines() { // each result is a line of its own
		for to < len(r.items) && r.isResult(to) {
			to++
		}
	} else if to < len(r.items) && r.takesParts(to, parts) {
		list := r.listOf(to, parts)
		at := 0
		for p := range conversation.Parts(r.items[to].turn.Value) {
			if p.Kind != conversation.Result || p.Value.Parent() != list {
				break
			}
			at = p.Value.Index() + 1
		}
		r.insertPart(to, list, at, answer)
		return
	}
	r.insert(to, r.around(like, parts.turnOf(answer)))
}

// afterCalls returns the index of the first item after those sent in one message with a call.
func (r *repairer) afterCalls(call int) int {
	to := call + 1
	if !r.layout.Divided || r.provider == provider.OpenAIResponses {
		return to
	}
	for to < len(r.items) && conversation.IsModelOutput(r.items[to].turn.Item()) {
		to++
	}
	return to
}

// isResult reports whether an item is only a result of the client, or a line of results.
func (r *repairer) isResult(i int) bool {
	found := false
	for p := range conversation.Parts(r.items[i].turn.Value) {
		if found = p.Kind == conversation.Result && !p.Hosted && (r.isWhole(i, p) || r.isLines()); !found {
			break
		}
	}
	return found
}

// isAlone reports whether a result is moved with its turn.
func (r *repairer) isAlone(i int, p conversation.Part) bool {
	return r.isWhole(i, p) || r.isLines() && r.isResult(i) && p.Value.Parent().Len() == 1
}

// takesParts reports whether results may be inserted into an item.
func (r *repairer) takesParts(i int, parts *form) bool {
	list := r.listOf(i, parts)
	return conversation.Role(r.items[i].turn.Value) == parts.role && (list.Kind() == jsonstream.Array || parts.role == "user" && list.Kind() == jsonstream.String)
}

func (r *repairer) listOf(i int, parts *form) jsonstream.Value {
	return r.items[i].turn.Item().Get(parts.list)
}

// insertPart inserts a part into the list of a turn, or before the text that the turn has instead of a
// list.
func (r *repairer) insertPart(i int, list jsonstream.Value, at int, part []byte) {
	var elements [][]byte
	if list.Kind() == jsonstream.String {
		elements = append(elements, format.Fill(`{"type":"text","text":%}`, list.Text()))
		if r.provider == provider.Anthropic && strings.TrimSpace(list.Text()) == "" {
			elements = nil // APIs reject an empty text with other parts
		}
	}
	for _, v := range list.Elements() {
		elements = append(elements, v.Raw())
	}
	text := []byte{'['}
	for j := range len(elements) + 1 {
		if j == at {
			text = append(jsonstream.AppendComma(text), part...)
		}
		if j < len(elements) {
			text = append(jsonstream.AppendComma(text), elements[j]...)
		}
	}
	r.edit(i, list, append(text, ']'))
}

// moveResult moves a result to the place that the provider requires.
func (r *repairer) moveResult(f provider.Fault) bool {
	i := r.indexOf(f.At)
	result, ok := r.answerAt(i, f.At)
	if !ok {
		return r.moveText(f)
	}
	call := r.indexOf(f.Of)
	switch {
	case call < 0:
		return true // its turn was changed: the next round moves it
	case f.Of == result.Value: // call and result are one part
		return false
	case r.isParallel(call + 1):
		return r.joinBefore(f, call+1)
	}
	if result.Kind == conversation.ApprovalResponse {
		r.step(f, i, "moved %s to that request", resultName(result))
	} else {
		r.step(f, i, "moved %s to its call", resultName(result))
	}
	if r.isAlone(i, result) {
		to := r.afterCalls(call)
		for to < len(r.items) && to != i && r.isResult(to) {
			to++
		}
		r.move(i, to)
		return true
	}
	list := result.Value.Parent()
	answer := bytes.Clone(result.Value.Raw())
	parts := &form{list: list.Name(), role: r.items[i].turn.Item().Get("role").Text()}
	if result.Value.Get("part_kind").Exists() {
		parts = &pydanticResults
	}
	if r.take(i, result) && i < call {
		call--
	}
	r.put(call, answer, parts)
	return true
}

// isParallel reports whether the calls of an item of Gemini were made together with those of the item before
// it: the first of them has no signature, which Gemini gives the first call of a step.
func (r *repairer) isParallel(i int) bool {
	if r.provider != provider.Gemini || r.layout.Provider != string(provider.Gemini) {
		return false
	}
	for ; i < len(r.items) && r.items[i].turn.Role == "assistant"; i++ { // texts may be between the calls
		for p := range conversation.ToolEvents(r.items[i].turn.Value) {
			return p.Kind == conversation.Call && !p.Hosted && p.Value.Get("thoughtSignature").Text() == "" && p.Value.Get("thought_signature").Text() == ""
		}
	}
	return false
}

// moveText moves a text that the assistant has after its calls before them.
func (r *repairer) moveText(f provider.Fault) bool {
	i, call := r.indexOf(f.At), r.indexOf(f.Of)
	said, ok := r.partAt(i, f.At, conversation.Said)
	if !ok || call < 0 {
		return ok // the turn of the call was changed: the next round moves the text
	}
	if i != call && r.isAlone(i, said) {
		r.step(f, i, "moved a text of the assistant before its tool calls")
		r.move(i, call)
		return true
	}
	first := jsonstream.Value{}
	for p := range conversation.Parts(r.items[call].turn.Value) {
		if p.Kind == conversation.Call && !p.Hosted {
			first = p.Value
			break
		}
	}
	at, list := first.Index(), first.Parent()
	if list.Name() == "tool_calls" { // beside the content, so that they follow all of it
		return r.joinBefore(f, i)
	}
	text := bytes.Clone(said.Value.Raw())
	if said.Value.Kind() == jsonstream.String {
		text = format.Fill(`{"type":"text","text":%}`, said.Value.Text())
	}
	name := list.Name()
	r.step(f, i, "moved a text of the assistant before its tool calls")
	r.take(i, said)
	r.insertPart(call, r.items[call].turn.Item().Get(name), at, text)
	return true
}

// noteResult replaces a result without a call with a note in a user turn.
func (r *repairer) noteResult(f provider.Fault) bool {
	i := r.indexOf(f.At)
	result, ok := r.answerAt(i, f.At)
	if !ok {
		return false
	}
	why := "whose call is not in the history"
	if result.Kind == conversation.ApprovalResponse {
		why = "which is not in the history"
	}
	r.note(f, i, result, why)
	return true
}

// note replaces a result with a note, after the results next to it.
func (r *repairer) note(f provider.Fault, i int, result conversation.Part, why string) {
	like := r.items[i].turn.Value
	said := noteText(result, why)
	r.step(f, i, "converted %s, %s, to a note in a turn of the user", resultName(result), why)
	if role := r.items[i].turn.Role; !r.isWhole(i, result) && role == "user" {
		// In the same turn, since some APIs reject two user turns in a row.
		list := result.Value.Parent()
		text := textPart(list, said)
		r.edit(i, result.Value, nil)
		list = r.items[i].turn.Item().Get(list.Name())
		r.insertPart(i, list, list.Len(), text)
		return
	}
	to := i + 1
	if r.take(i, result) {
		to = i
	}
	for to < len(r.items) && r.isResult(to) {
		to++
	}
	r.insert(to, r.layout.Speak(like, "user", said))
}

// textPart returns a part with a text, in the form of a list of parts.
func textPart(list jsonstream.Value, text string) []byte {
	for _, v := range list.Elements() {
		switch {
		case v.Get("part_kind").Exists(): // Pydantic AI
			return format.Fill(`{"part_kind":"user-prompt","content":%}`, text)
		case v.Get("$type").Exists(): // Agent Framework for .NET
			return format.Fill(`{"$type":"text","text":%}`, text)
		case v.Get("type").Text() != "":
			return format.Fill(`{"type":"text","text":%}`, text)
		}
	}
	return format.Fill(`{"text":%}`, text)
}

// noteText returns the text of a note about a result: its id, its tool and its content.
func noteText(result conversation.Part, why string) string {
	if result.Kind == conversation.ApprovalResponse {
		return "[" + resultName(result) + ", " + why + "]\n" + decisionOf(result.Value)
	}
	text := "[the result"
	if id := result.ID.Text(); id != "" {
		text += " of the tool call " + id
	}
	if tool := result.Tool(); tool != "" {
		text += " of the tool " + tool
	}
	return text + ", " + why + "]\n" + contentOf(result.Value)
}

// decisionOf returns the text of a response to a request for an approval.
func decisionOf(response jsonstream.Value) string {
	response = conversation.Decision(response)
	switch reason := response.Get("reason").Text(); {
	case response.Get("approve").Kind() == jsonstream.True, response.Get("approved").Kind() == jsonstream.True: // of the AI SDK
		return "The call is approved."
	case reason != "":
		return "The call is denied: " + reason
	default:
		return "The call is denied."
	}
}

// contentOf returns the content of a result, as its text or as JSON.
func contentOf(v jsonstream.Value) string {
	for _, path := range []string{"/content", "/output/value", "/output", "/functionResponse/response", "/function_response/response", "/toolResult/content"} {
		at := v.At(path)
		switch {
		case at.Kind() == jsonstream.String:
			return at.Text()
		case at.Exists() && at.Kind() != jsonstream.Null:
			if text := at.At("/0/text"); at.Len() == 1 && text.Kind() == jsonstream.String && at.First().Len() <= 2 {
				return text.Text()
			}
			return string(jsonstream.AppendCompact(nil, at.Raw()))
		}
	}
	return string(jsonstream.AppendCompact(nil, v.Raw()))
}

// mendRepeatedResult drops a second result equal to the first, and replaces any other with a note.
func (r *repairer) mendRepeatedResult(f provider.Fault) bool {
	i := r.indexOf(f.At)
	result, ok := r.partAt(i, f.At, conversation.Result)
	if !ok {
		return false
	}
	for _, it := range r.withID(result.ID.Text()) {
		if r.placeOf(it) > i {
			break
		}
		for p := range conversation.ToolEvents(it.turn.Value) {
			if p.Kind != conversation.Result || p.Value == result.Value || p.ID.Text() != result.ID.Text() || p.ID.Text() == "" && p.Tool() != result.Tool() {
				continue
			}
			if same(p.Value, result.Value) {
				r.step(f, i, "removed %s, which is repeated", resultName(result))
				r.take(i, result)
				return true
			}
		}
	}
	r.note(f, i, result, "which has another result already")
	return true
}

func same(a, b jsonstream.Value) bool {
	return bytes.Equal(jsonstream.AppendCompact(nil, a.Raw()), jsonstream.AppendCompact(nil, b.Raw()))
}
