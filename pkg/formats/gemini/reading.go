package gemini

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// skipText stands for the signature of a call by another model:
// https://ai.google.dev/gemini-api/docs/thought-signatures, FAQs. A signature is bytes, and skipSignature
// is their base64: Google's clients for Go and Python do not read the text itself, which has "_".
const (
	skipText      = "skip_thought_signature_validator"
	skipSignature = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
)

// isSkipped reports whether a signature is only a placeholder.
func isSkipped(signature string) bool {
	signature = strings.ReplaceAll(strings.TrimRight(signature, "="), "/", "_")
	return signature == skipText || signature == strings.TrimRight(skipSignature, "=")
}

const (
	// madePrefix is the prefix of ids made for calls without one. They are removed when written
	// back.
	madePrefix = "gemini_call_"
	// partType is the type of a canonical part with a Gemini part.
	partType = "gemini_part"
	// eventMember is the member of a canonical turn with the other members of its event.
	eventMember = "adk"
)

// isMadeID reports whether an id was made for a call without one.
func isMadeID(id string) bool {
	digits, ok := strings.CutPrefix(id, madePrefix)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// A reader reads the elements of one message. A response without an id answers the first unanswered
// call of the same name without an id. The responses of a function that gives several (willContinue) are one
// result, at the place of the first.
type reader struct {
	made     int
	waiting  map[string][]tree.Node // made ids by function name
	answered map[string]bool        // ids of calls with a result in an event
	goesOn   map[string]bool        // ids of calls that get more responses
}

// id makes an id for a call or response without one.
func (r *reader) id() tree.Node {
	r.made++
	return tree.String(madePrefix + strconv.Itoa(r.made))
}

// read appends the canonical turns of a content or event; none for an event without content.
func (r *reader) read(dst []tree.Node, element tree.Node) []tree.Node {
	content, ofADK := element, isEvent(element)
	if ofADK {
		if text := summaryOf(element); text != tree.None {
			return append(dst, chat.Turn{Role: "user", Parts: []chat.Part{{Kind: chat.Text, Text: text}}, Plain: true, Further: aboutEvent(element, "", false)}.Canonical()...)
		}
		content = element.Get("content")
	}
	if text := onlyText(content); text != tree.None && content == element {
		if role := content.Get("role").Text(); role == "user" {
			r.stopWaiting()
			return append(dst, exchange.UserMessage(text))
		} else if role == "model" {
			return append(dst, tree.Object(tree.Member{Name: "role", Value: assistant}, tree.Member{Name: "content", Value: text}))
		}
	}
	t := chat.Turn{Role: roleOf(content)}
	results := false
	for _, n := range tree.Elements(content.Get("parts")) {
		p := r.part(n)
		if transcript := transcriptIn(n); p.Kind == chat.File && t.Role == "assistant" && transcript != tree.None { // spoken by the model
			p = chat.Part{Kind: chat.Text, Text: transcript}
		}
		if p.Kind == chat.Call && content.Get("role") == tree.None {
			t.Role = "assistant"
		}
		results = results || p.Kind == chat.Result
		if p.Kind != chat.Result || !r.joinResponse(dst, t.Parts, p, willContinue(n), ofADK) {
			t.Parts = append(t.Parts, p)
		}
	}
	if len(t.Parts) == 0 {
		return dst
	}
	if !results && t.Role == "user" {
		r.stopWaiting()
	}
	t.Plain = len(t.Parts) == 1 && t.Parts[0].Kind == chat.Text && t.Parts[0].Signature == tree.None
	if ofADK {
		t.Further = aboutEvent(element, t.Role, results)
		return r.withResults(dst, t.Canonical())
	}
	return append(dst, t.Canonical()...)
}

// stopWaiting forgets the calls without an id that have no response. A function that goes on still answers.
func (r *reader) stopWaiting() {
	for name, ids := range r.waiting {
		r.waiting[name] = slices.DeleteFunc(ids, func(id tree.Node) bool { return !r.goesOn[id.Text()] })
	}
}

// joinResponse adds a response to the earlier ones of a function that goes on, in the same content or in a turn
// before it, and reports whether it could. more is set if yet another response follows. ADK sends only the last
// of several events with a result.
func (r *reader) joinResponse(turns []tree.Node, parts []chat.Part, p chat.Part, more, ofADK bool) bool {
	id := p.ID.Text()
	further := r.goesOn[id]
	if r.goesOn == nil {
		r.goesOn = map[string]bool{}
	}
	if r.goesOn[id] = more; !further {
		return false
	}
	same := func(before chat.Part) bool { return before.Kind == chat.Result && before.ID.Text() == id }
	if at := slices.IndexFunc(parts, same); at >= 0 {
		parts[at].Output, parts[at].Plain, parts[at].Failed = append(parts[at].Output, p.Output...), false, p.Failed
		return true
	}
	at := answerOf(turns, id)
	if at < 0 || ofADK {
		return false
	}
	turn := chat.Of(turns[at])
	first := &turn.Parts[0]
	first.Output, first.Plain, first.Failed = append(first.Output, p.Output...), false, p.Failed
	turns[at] = turn.Canonical()[0]
	return true
}

// willContinue reports whether the function of a response gives more responses to its call.
func willContinue(part tree.Node) bool {
	response := eitherNode(part, "functionResponse", "function_response")
	return eitherNode(response, "willContinue", "will_continue").Is(jsonstream.True)
}

// withResults appends the turns of an event. A result takes the place of an earlier one of the same call.
func (r *reader) withResults(dst, turns []tree.Node) []tree.Node {
	if r.answered == nil {
		r.answered = map[string]bool{}
	}
	for _, turn := range turns {
		id := turn.Get("tool_call_id").Text()
		if id != "" && r.answered[id] { // else there is nothing to look for
			if at := answerOf(dst, id); at >= 0 {
				dst[at] = turn
				continue
			}
		}
		r.answered[id] = true
		dst = append(dst, turn)
	}
	return dst
}

// answerOf returns the index of the result of the last call with an id, -1 if it has none.
func answerOf(turns []tree.Node, id string) int {
	for i, turn := range slices.Backward(turns) {
		switch {
		case turn.Get("tool_call_id").Text() == id:
			return i
		case slices.ContainsFunc(tree.Elements(turn.Get("tool_calls")), func(call tree.Node) bool { return call.Get("id").Text() == id }):
			return -1
		}
	}
	return -1
}

// summaryPrefix is the line before the summary of earlier events, as ADK for JavaScript sends it.
const summaryPrefix = "[Previous Context Summary]:\n"

// summaryOf returns the text of a summary that replaces earlier events, None for any other event.
func summaryOf(event tree.Node) tree.Node {
	if text := event.Get("compactedContent"); tree.IsString(text) && event.Get("isCompacted").Is(jsonstream.True) {
		return tree.String(summaryPrefix + text.Text())
	}
	content := eitherNode(event.At("/actions/compaction"), "compactedContent", "compacted_content")
	if !content.Is(jsonstream.Object) {
		return tree.None
	}
	return tree.String(content.Get("parts").Flat())
}

// assistant is the role shared by the assistant's turns.
var assistant = tree.String("assistant")

// onlyText returns the text of a content that has nothing else, the common case.
func onlyText(content tree.Node) tree.Node {
	parts := content.Get("parts")
	if !parts.Is(jsonstream.Array) {
		return tree.None
	}
	c := parts.Children()
	if !c.Next() || c.Value.Length() != 1 {
		return tree.None
	}
	text := stringOf(c.Value.Get("text"))
	if c.Next() {
		return tree.None
	}
	return text
}

func roleOf(content tree.Node) string {
	switch role := content.Get("role").Text(); role {
	case "model":
		return "assistant"
	case "function", "":
		return "user"
	default:
		return role
	}
}

// part reads a part.
func (r *reader) part(n tree.Node) chat.Part {
	signature := stringOf(eitherNode(n, "thoughtSignature", "thought_signature"))
	if isSkipped(signature.Text()) {
		signature = tree.None
	}
	if c := eitherNode(n, "functionCall", "function_call"); tree.IsString(c.Get("name")) {
		p := chat.Part{Kind: chat.Call, ID: stringOf(c.Get("id")), Name: c.Get("name"), Arguments: tree.String("{}"), Signature: signature}
		if args := c.Get("args"); args != tree.None && !args.Is(jsonstream.Null) {
			p.Arguments = tree.String(string(args.AppendPlain(nil)))
		}
		delete(r.goesOn, p.ID.Text())
		if p.ID.Text() == "" {
			p.ID = r.id()
			if r.waiting == nil {
				r.waiting = map[string][]tree.Node{}
			}
			r.waiting[p.Name.Text()] = append(r.waiting[p.Name.Text()], p.ID)
		}
		return p
	}
	if f := eitherNode(n, "functionResponse", "function_response"); f.Is(jsonstream.Object) {
		return r.result(f)
	}
	if text := n.Get("text"); tree.IsString(text) {
		return chat.GeminiText(text, signature, n.Get("thought").Is(jsonstream.True))
	}
	if m, ok := mediaIn(n); ok {
		return chat.Part{Kind: chat.File, Media: m}
	}
	if !n.Is(jsonstream.Object) {
		return chat.Part{Kind: chat.Text, Text: tree.String(n.Flat())}
	}
	return chat.Part{Kind: chat.Other, Value: chat.Object("type", tree.String(partType), "text", textOf(n), "part", n)}
}

// textOf returns the text of a part that only this format has: a call or result of a tool that the API runs, the
// transcript of audio, or else the name of its content in brackets.
func textOf(n tree.Node) tree.Node {
	if h, ok := chat.HostedOf(n); ok {
		return tree.String(h.Text())
	}
	if transcript := transcriptIn(n); transcript != tree.None {
		return transcript
	}
	name := "" // whatever the order of the members: a part that is restored may have another one
	for c := n.Children(); c.Next(); {
		if !strings.HasPrefix(c.Name, "thought") && (name == "" || c.Name < name) {
			name = c.Name
		}
	}
	if name == "" && !n.Empty() {
		name = "thought"
	}
	if name == "" {
		return tree.None
	}
	return tree.String("[" + name + "]")
}

// transcriptIn returns the transcript of the audio of a part, None if there is none.
func transcriptIn(n tree.Node) tree.Node {
	if text := stringOf(eitherNode(n, "audioTranscription", "audio_transcription").Get("text")); text != tree.None && !text.Empty() {
		return text
	}
	return tree.None
}

func stringOf(n tree.Node) tree.Node {
	if tree.IsString(n) {
		return n
	}
	return tree.None
}

// result reads a function response.
func (r *reader) result(f tree.Node) chat.Part {
	p := chat.Part{Kind: chat.Result, ID: stringOf(f.Get("id")), Name: stringOf(f.Get("name")), Plain: true}
	if p.ID.Text() == "" {
		if ids := r.waiting[p.Name.Text()]; len(ids) > 0 {
			p.ID = ids[0]
			if !eitherNode(f, "willContinue", "will_continue").Is(jsonstream.True) {
				r.waiting[p.Name.Text()] = ids[1:]
			}
		} else {
			p.ID = r.id()
		}
	}
	p.TakeResponse(f.Get("response"))
	for _, n := range tree.Elements(f.Get("parts")) {
		if m, ok := mediaIn(n); ok {
			p.Output, p.Plain = append(p.Output, chat.Part{Kind: chat.File, Media: m}), false
		}
	}
	return p
}

// mediaIn reads inline data or file data.
func mediaIn(n tree.Node) (chat.Media, bool) {
	blob := eitherNode(n, "inlineData", "inline_data")
	m := chat.Media{Type: "file", Data: stringOf(blob.Get("data"))}
	if m.Data == tree.None {
		blob = eitherNode(n, "fileData", "file_data")
		if m.URL = stringOf(eitherNode(blob, "fileUri", "file_uri")); m.URL == tree.None {
			return m, false
		}
	}
	m.MediaType = stringOf(eitherNode(blob, "mimeType", "mime_type"))
	m.Name = stringOf(eitherNode(blob, "displayName", "display_name"))
	m.TakeType()
	return m, true
}

// aboutEvent returns the members of a canonical turn from its event: the agent's name, the time,
// and the members that cannot be derived from the turn.
func aboutEvent(event tree.Node, role string, results bool) []tree.Member {
	var further []tree.Member
	left := event.With("content", tree.None)
	author := event.Get("author")
	switch {
	case role == "assistant" && !results && author.Text() != "" && author.Text() != "user":
		further = append(further, tree.Member{Name: "name", Value: author})
		left = left.With("author", tree.None)
	case author.Text() == "user" && role == "user":
		left = left.With("author", tree.None)
	}
	at := event.Get("timestamp")
	sent, ok := exchange.UnixTime(at)
	if isMillis(at) {
		sent, ok = exchange.UnixMillis(at)
	}
	if ok {
		further = append(further, tree.Member{Name: "timestamp", Value: sent})
		if tree.Same(unix(sent, isMillis(at)), at) {
			left = left.With("timestamp", tree.None)
		}
	}
	return append(further, tree.Member{Name: eventMember, Value: left})
}

// isMillis reports whether the time of an event is in milliseconds: seconds have fewer digits.
func isMillis(at tree.Node) bool {
	n, ok := at.Integer()
	return ok && n >= 1e11
}

// isOther reports whether a part of a canonical turn has the form of a Gemini part: one content, of a
// kind that other formats lack.
func isOther(n tree.Node) bool {
	for _, name := range []string{"thoughtSignature", "thought_signature"} {
		if signature := n.Get(name); tree.IsString(signature) {
			n = n.With(name, tree.None)
		}
	}
	code, result := eitherNode(n, "executableCode", "executable_code"), eitherNode(n, "codeExecutionResult", "code_execution_result")
	switch {
	case n.Length() != 1:
		return false
	case code != tree.None:
		return tree.IsString(code.Get("code")) && tree.IsString(code.Get("language"))
	case result != tree.None:
		output := result.Get("output")
		return tree.IsString(result.Get("outcome")) && (output == tree.None || tree.IsString(output))
	default:
		return eitherNode(n, "toolCall", "tool_call").Is(jsonstream.Object) || eitherNode(n, "toolResponse", "tool_response").Is(jsonstream.Object)
	}
}
