package repair

import (
	"bytes"
	"slices"
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

// joinBefore joins a turn to the previous one that is sent, and reports whether it could.
func (r *repairer) joinBefore(f provider.Fault, i int) bool {
	to := i - 1
	for to >= 0 && r.isUnsent(to) {
		to--
	}
	if to < 0 || r.items[to].turn.List != r.items[i].turn.List || r.items[to].turn.Role != r.items[i].turn.Role {
		return false
	}
	changes, ok := joinTurns(r.items[to].turn.Item(), r.items[i].turn.Item())
	if !ok {
		return false
	}
	r.step(f, i, "joined the turn to the previous turn, which is of the same side")
	r.drop(i)
	pointer := r.items[to].turn.Item().Pointer()[len(r.items[to].turn.Value.Pointer()):]
	for _, c := range changes {
		r.editAt(to, pointer+"/"+c.name, c.value)
	}
	return true
}

// isHosted reports whether an item is the result of a tool that the provider runs.
func (r *repairer) isHosted(i int) bool {
	for p := range conversation.Parts(r.items[i].turn.Value) {
		return p.Kind == conversation.Result && p.Hosted && r.isWhole(i, p)
	}
	return false
}

// isUnsent reports whether an item consists of approvals, which only the Responses API receives.
func (r *repairer) isUnsent(i int) bool {
	unsent := false
	for p := range conversation.Parts(r.items[i].turn.Value) {
		if unsent = p.Kind == conversation.ApprovalRequest || p.Kind == conversation.ApprovalResponse; !unsent {
			break
		}
	}
	return unsent && r.provider != provider.OpenAIResponses
}

// A member is a member of a turn and its new value, nil if it is removed.
type member struct {
	name  string
	value []byte
}

// joinTurns returns the changes of turn a by which it also has the parts and the reasoning of turn b. It returns false
// if a part of b, or its reasoning or sources, have no place in a.
func joinTurns(a, b jsonstream.Value) (changes []member, ok bool) {
	name := "content"
	for _, other := range []string{"parts", "contents"} {
		if a.Get(other).Exists() {
			name = other
		}
	}
	lists := []string{"tool_calls", "invalid_tool_calls", "tool_call_chunks"}
	single := []string{"audio", "function_call"}
	if !hasOnly(b, slices.Concat([]string{name, "refusal"}, lists, single)) {
		return nil, false
	}
	said, refused, refusal := []jsonstream.Value{a.Get(name)}, a.Get("refusal"), b.Get("refusal")
	if !isEmpty(refused) && (!isEmpty(b.Get(name)) || !isEmpty(refusal)) { // it stays before them, as a text
		said = append(said, refused)
		changes = append(changes, member{"refusal", nil})
	}
	if !isEmpty(refusal) {
		changes = append(changes, member{"refusal", refusal.Raw()})
	}
	joined, ok := joinContents(append(said, b.Get(name))...)
	if joined != nil {
		changes = append(changes, member{name, joined})
	}
	for _, list := range lists {
		if calls := b.Get(list); calls.Len() > 0 {
			all, isList := joinContents(a.Get(list), calls)
			changes, ok = append(changes, member{list, all}), ok && isList
		}
	}
	besides, kept := joinBesides(a, b, len(said) > 1 || !isEmpty(said[0]))
	changes, ok = append(changes, besides...), ok && kept
	for _, name := range single {
		switch before, value := a.Get(name), b.Get(name); {
		case isEmpty(value):
		case isEmpty(before):
			changes = append(changes, member{name, value.Raw()})
		default:
			ok = ok && same(before, value)
		}
	}
	return changes, ok
}

// joinBesides returns the changes of turn a by which it also has the reasoning and sources that turn b has beside its
// parts: in members of OpenRouter, DeepSeek and vLLM, of OpenAI's search models, and of LangChain. A source
// refers to a place in the text of its own turn. says is set if a has a text.
func joinBesides(a, b jsonstream.Value, says bool) (changes []member, ok bool) {
	ok = true
	for _, name := range []string{"reasoning_content", "reasoning", "reasoning_details", "annotations"} {
		before, value := a.Get(name), b.Get(name)
		if isEmpty(value) || value.Kind() == jsonstream.Array && value.Len() == 0 {
			continue
		}
		joined, all := joinContents(before, value)
		ok = ok && all && (isEmpty(before) || before.Kind() == value.Kind()) && (name != "annotations" || !says)
		changes = append(changes, member{name, joined})
	}
	before, value := a.Get("additional_kwargs"), b.Get("additional_kwargs").Get("reasoning_content")
	switch joined, all := joinContents(before.Get("reasoning_content"), value); {
	case isEmpty(value):
	case !before.Exists():
		changes = append(changes, member{"additional_kwargs", format.Fill(`{"reasoning_content":%}`, value.Text())})
	default:
		changes, ok = append(changes, member{"additional_kwargs/reasoning_content", joined}), ok && all
	}
	return changes, ok
}

// hasOnly reports whether all parts of a turn are in some of its members.
func hasOnly(turn jsonstream.Value, members []string) bool {
	for p := range conversation.Parts(turn) {
		v := p.Value
		for v.Exists() && v.Parent() != turn {
			v = v.Parent()
		}
		if !slices.Contains(members, v.Name()) {
			return false
		}
	}
	return true
}

// firstTurn returns the index of the first turn that is sent and not an instruction, if all such turns from
// it to turn i are of the assistant; -1 if the user has a turn before.
func (r *repairer) firstTurn(i int) int {
	first := -1
	for j := 0; j <= i; j++ {
		switch t := r.items[j].turn; {
		case t.IsInstruction(), r.isUnsent(j):
		case t.Role != "assistant" && !conversation.IsModelOutput(t.Item()) && !r.isHosted(j):
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

// isEmpty reports whether a content is absent, null or an empty text.
func isEmpty(v jsonstream.Value) bool {
	return !v.Exists() || v.Kind() == jsonstream.Null || v.Kind() == jsonstream.String && v.Text() == ""
}

// joinContents joins contents that are strings or arrays. It returns nil if all are empty, and false if one is of
// another kind.
func joinContents(contents ...jsonstream.Value) (joined []byte, ok bool) {
	contents = slices.DeleteFunc(contents, isEmpty)
	if len(contents) < 2 {
		for _, v := range contents {
			joined = v.Raw()
		}
		return joined, true
	}
	var texts []string
	joined = []byte{'['}
	for _, v := range contents {
		switch v.Kind() {
		case jsonstream.String:
			texts = append(texts, v.Text())
			joined = append(jsonstream.AppendComma(joined), format.Fill(`{"type":"text","text":%}`, v.Text())...)
		case jsonstream.Array:
			for _, part := range v.Elements() {
				joined = append(jsonstream.AppendComma(joined), part.Raw()...)
			}
		default:
			return nil, false
		}
	}
	if len(texts) == len(contents) {
		return format.Fill("%", strings.Join(texts, "\n\n")), true
	}
	return append(joined, ']'), true
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
		for p := range conversation.Parts(turn.Value) {
			if p.Kind == conversation.Call && p.Value.Parent().Name() == "invalid_tool_calls" { // LangChain does not send it
				r.noteCall(f, i, p, notJSON, p.Value.Get("args").Text())
				return true
			}
		}
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
