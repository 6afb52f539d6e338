package repair

import (
	"bytes"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// begins is the text of a user turn inserted before all other turns.
const begins = "[the history begins with the assistant]"

// mendFirst inserts a user turn before all other turns.
func (r *repairer) mendFirst(f provider.Fault) bool {
	i := r.indexOf(f.At)
	r.step(f, i, "added a turn of the user before the first turn of the assistant: %q", begins)
	r.insert(i, r.layout.Speak(r.items[i].turn.Value, "user", begins))
	return true
}

// mendOrder joins a turn to the previous one of the same side.
func (r *repairer) mendOrder(f provider.Fault) bool {
	i := r.indexOf(f.At)
	if first := r.firstTurn(i); first >= 0 {
		r.step(f, first, "added a turn of the user before the first turn of the assistant: %q", begins)
		r.insert(first, r.layout.Speak(r.items[first].turn.Value, "user", begins))
		return true
	}
	return r.joinBefore(f, i)
}

// joinBefore joins a turn to the previous one, and reports whether it could.
func (r *repairer) joinBefore(f provider.Fault, i int) bool {
	if i == 0 || r.items[i-1].turn.List != r.items[i].turn.List {
		return false
	}
	a, b := r.items[i-1].turn.Item(), r.items[i].turn.Item()
	name := "content"
	if a.Get("parts").Exists() {
		name = "parts"
	}
	if a.Get("parts").Exists() != b.Get("parts").Exists() {
		return false
	}
	joined, ok := joinContents(a.Get(name), b.Get(name))
	if !ok {
		return false
	}
	calls := b.Get("tool_calls")
	r.step(f, i, "joined the turn to the previous turn, which is of the same side")
	pointer := a.Pointer()[len(r.items[i-1].turn.Value.Pointer()):]
	var all []byte
	if calls.Len() > 0 {
		all, _ = joinContents(a.Get("tool_calls"), calls)
	}
	r.drop(i)
	r.editAt(i-1, pointer+"/"+name, joined)
	if all != nil {
		r.editAt(i-1, pointer+"/tool_calls", all)
	}
	return true
}

// firstTurn returns the index of the first turn that is not an instruction, if all turns from it to turn i
// are of the assistant; -1 if the user has a turn before.
func (r *repairer) firstTurn(i int) int {
	first := -1
	for j := 0; j <= i; j++ {
		switch t := r.items[j].turn; {
		case t.IsInstruction():
		case t.Role != "assistant" && !conversation.IsModelOutput(t.Item()):
			return -1
		case first < 0:
			first = j
		}
	}
	if first == i || r.layout.Divided {
		return first
	}
	return -1
}

// joinContents joins the contents of two turns: strings or arrays.
func joinContents(a, b jsonstream.Value) ([]byte, bool) {
	isEmpty := func(v jsonstream.Value) bool {
		return !v.Exists() || v.Kind() == jsonstream.Null || v.Kind() == jsonstream.String && v.Text() == ""
	}
	switch {
	case isEmpty(b) && a.Exists():
		return a.Raw(), true
	case isEmpty(a):
		return b.Raw(), b.Exists()
	case a.Kind() == jsonstream.String && b.Kind() == jsonstream.String:
		return format.Fill("%", a.Text()+"\n\n"+b.Text()), true
	}
	text := []byte{'['}
	for _, v := range []jsonstream.Value{a, b} {
		switch v.Kind() {
		case jsonstream.String:
			text = append(jsonstream.AppendComma(text), format.Fill(`{"type":"text","text":%}`, v.Text())...)
		case jsonstream.Array:
			for _, part := range v.Elements() {
				text = append(jsonstream.AppendComma(text), part.Raw()...)
			}
		default:
			return nil, false
		}
	}
	return append(text, ']'), true
}

// moveSystem moves the text of a system turn: if it is the first turn, to a member outside the turns,
// provided that the message has a place for it; otherwise into a user turn.
func (r *repairer) moveSystem(f provider.Fault) bool {
	i := r.indexOf(f.At)
	turn := r.items[i].turn
	said := turn.Text()
	if i == 0 && r.h.Root.Kind() == jsonstream.Object && !r.h.Carrier().Exists() && len(r.members) == 0 {
		name, value := "", []byte(nil)
		switch r.provider {
		case provider.Anthropic:
			name, value = "system", format.Fill("%", said)
		case provider.BedrockConverse:
			name, value = "system", format.Fill(`[{"text":%}]`, said)
		case provider.Gemini:
			name, value = "systemInstruction", format.Fill(`{"parts":[{"text":%}]}`, said)
		}
		if r.layout.Provider == string(r.provider) && name != "" && !r.h.Root.Get(name).Exists() {
			r.step(f, i, "moved the system turn out of the turns, to %s", name)
			r.members[name] = value
			r.drop(i)
			return true
		}
	}
	like := turn.Value
	if i+1 < len(r.items) {
		like = r.items[i+1].turn.Value
	}
	r.step(f, i, "converted the system turn to a turn of the user")
	r.replace(i, r.layout.Speak(like, "user", "[system] "+said))
	return true
}

// mendRole changes the role of a turn to one of the provider's.
func (r *repairer) mendRole(f provider.Fault) bool {
	i := r.indexOf(f.At)
	at := r.items[i].turn.Item().Get("role")
	role := "user"
	switch strings.ToLower(at.Text()) {
	case "ai", "model", "bot", "assistant", "agent":
		role = "assistant"
	case "tool", "function":
		if id := r.items[i].turn.Item().Get("tool_call_id"); r.provider == provider.OpenAIResponses && id.Exists() { // a turn of the Chat API
			r.step(f, i, "converted the turn to an item with the output of the call %q", id.Text())
			r.replace(i, r.around(r.items[i].turn.Value, format.Fill(`{"type":"function_call_output","call_id":%,"output":%}`, id.Text(), contentOf(r.items[i].turn.Item()))))
			return true
		}
	}
	if role == "assistant" && r.provider == provider.Gemini && r.layout.Provider == string(r.provider) {
		role = "model"
	}
	if !at.Exists() || at.Text() == role {
		return false
	}
	r.step(f, i, "gave the turn the role %s instead of %q", role, at.Text())
	r.edit(i, at, format.Fill("%", role))
	return true
}

// dropReasoning drops reasoning that cannot be sent again.
func (r *repairer) dropReasoning(f provider.Fault) bool {
	i := r.indexOf(f.At)
	p, ok := r.partAt(i, f.At, conversation.Reasoning)
	if !ok {
		return false
	}
	r.step(f, i, "removed reasoning that cannot be sent again")
	r.take(i, p)
	return true
}

// empty is the text of parts that may not be empty and cannot be dropped.
const empty = "[empty]"

// mendEmpty drops an empty part, or inserts a text if it cannot be dropped.
func (r *repairer) mendEmpty(f provider.Fault) bool {
	i := r.indexOf(f.At)
	turn := r.items[i].turn
	if r.provider == provider.OpenAIChat {
		r.step(f, i, "gave the turn an empty text")
		r.editAt(i, turn.Item().Pointer()[len(turn.Value.Pointer()):]+"/content", []byte(`""`))
		return true
	}
	p, ok := r.partAt(i, f.At, conversation.Said)
	n := 0
	for range conversation.Parts(turn.Value) {
		n++
	}
	switch {
	case ok && n > 1 && p.Value != turn.Item().Get("content"):
		r.step(f, i, "removed an empty part")
		r.take(i, p)
	case f.At.Kind() == jsonstream.String:
		r.step(f, i, "replaced an empty text by %q", empty)
		r.edit(i, f.At, format.Fill("%", empty))
	case f.At.Kind() == jsonstream.Object && f.At != turn.Value && n > 1:
		r.step(f, i, "removed an empty part")
		r.edit(i, f.At, nil)
	case saysMore(turn.Value):
		return false
	default:
		r.step(f, i, "gave an empty turn the text %q", empty)
		r.replace(i, r.layout.Speak(turn.Value, turn.Role, empty))
	}
	return true
}

// saysMore reports whether a turn has more than blank texts and step markers.
func saysMore(turn jsonstream.Value) bool {
	for p := range conversation.Parts(turn) {
		switch {
		case p.Value.Get("type").Text() == "step-start", p.Value.Kind() == jsonstream.Object && p.Value.Len() == 0:
		case p.Kind == conversation.Said && strings.TrimSpace(p.Value.Text()+p.Value.Get("text").Text()) == "":
		default:
			return true
		}
	}
	return false
}

// cutSpace removes the white space at the end of a text.
func (r *repairer) cutSpace(f provider.Fault) bool {
	i := r.indexOf(f.At)
	r.step(f, i, "removed the white space at the end")
	r.edit(i, f.At, format.Fill("%", strings.TrimRight(f.At.Text(), " \t\r\n")))
	return true
}

// mendShape changes a member to the type that the API requires.
func (r *repairer) mendShape(f provider.Fault) bool {
	i := r.indexOf(f.At)
	at, turn := f.At, r.items[i].turn
	pointer := at.Pointer()[len(turn.Value.Pointer()):]
	set := func(pointer string, value []byte, did string) bool {
		r.step(f, i, "%s", did)
		r.editAt(i, pointer, value)
		return true
	}
	switch at.Name() {
	case "tool_calls":
		if at.Len() > 0 {
			r.step(f, i, "converted the calls of the turn to separate items")
			for j, call := range at.Elements() {
				function := call.Get("function")
				r.insert(i+1+j, r.around(turn.Value, format.Fill(`{"type":"function_call","call_id":%,"name":%,"arguments":%}`, call.Get("id").Text(), function.Get("name").Text(), function.Get("arguments").Text())))
			}
			r.editAt(i, pointer, nil)
			if content := r.items[i].turn.Item().Get("content"); content.Text() == "" && content.Kind() != jsonstream.Array {
				r.drop(i)
			}
			return true
		}
		return set(pointer, nil, "removed an empty list of calls")
	case "arguments":
		return set(pointer, format.Fill("%", string(jsonstream.AppendCompact(nil, at.Raw()))), "wrote the arguments as a string")
	case "input", "rawInput", "args", "response", "json":
		if call, ok := r.partAt(i, at, conversation.Call); ok && isCut(at) && !r.hasResult(call) {
			r.noteCall(f, i, call, notJSON, at.Text())
			return true
		}
		return set(pointer, asObject(at), "wrote the "+at.Name()+" as an object")
	case "type":
		kind := "text"
		switch {
		case at.Parent().Get("text").Kind() != jsonstream.String:
			return false // an image, for which the API requires other members
		case r.provider == provider.OpenAIResponses && turn.Role == "assistant":
			kind = "output_text"
		case r.provider == provider.OpenAIResponses:
			kind = "input_text"
		}
		return set(pointer, format.Fill("%", kind), "changed the type of the text to "+kind)
	case "output":
		return set(pointer, format.Fill("%", string(jsonstream.AppendCompact(nil, at.Raw()))), "wrote the output as a string")
	}
	if call, ok := r.partAt(i, at, conversation.Call); ok && call.Value == at && at.Get("type").Exists() && !at.Get("input").Exists() && turn.Role != "user" {
		return set(pointer+"/input", []byte("{}"), "gave the call empty arguments")
	}
	if at.Get("type").Text() == "reasoning" {
		return set(pointer+"/summary", []byte("[]"), "gave the reasoning an empty summary")
	}
	if result, ok := r.partAt(i, at, conversation.Result); ok && !result.ID.Exists() {
		r.note(f, i, result, "which names no call")
		return true
	}
	return false
}

// isCut reports whether arguments are a string that is not valid JSON, as after a response was cut off.
func isCut(v jsonstream.Value) bool {
	if v.Kind() != jsonstream.String || v.Text() == "" {
		return false
	}
	_, err := jsonstream.Parse(jsonstream.NewRaw([]byte(v.Text())), jsonstream.Limits{})
	return err != nil
}

// hasResult reports whether the history had a result for a call when it was first asked.
func (r *repairer) hasResult(call conversation.Part) bool {
	if r.answered == nil {
		r.answered = map[string]bool{}
		for _, it := range r.items {
			for p := range conversation.ToolEvents(it.turn.Value) {
				if p.Kind == conversation.Result {
					r.answered[p.ID.Text()] = true
				}
			}
		}
	}
	return r.answered[call.ID.Text()]
}

// asObject returns a value as an object, decoded if it is a string with an object.
func asObject(v jsonstream.Value) []byte {
	if v.Kind() == jsonstream.String {
		if doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(v.Text())), jsonstream.Limits{}); err == nil && doc.Root().Kind() == jsonstream.Object {
			return bytes.Clone(doc.Root().Raw())
		}
	}
	return append(append([]byte(`{"value":`), v.Raw()...), '}')
}
