package aisdk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// toolPrefix is the prefix of the types of tool parts.
const toolPrefix = "tool-"

// ui appends the turns of a UIMessage, as convertToModelMessages does: each step of an assistant
// is a turn, followed by the results of its calls. Parts that the SDK does not send to models, such
// as sources and data, belong to the application.
func (r *reader) ui(dst []tree.Node, message tree.Node) []tree.Node {
	t := chat.Turn{Role: message.Get("role").Text()}
	if t.Role == "" {
		t.Role = "user"
	}
	var results []chat.Turn
	flush := func() {
		if len(t.Parts) > 0 {
			t.Plain = t.Parts[0].Kind == chat.Text && (len(t.Parts) == 1 || t.Parts[1].Kind == chat.Call)
			dst = append(dst, t.Canonical()...)
		}
		for _, r := range results {
			dst = append(dst, r.Canonical()...)
		}
		t.Parts, results = nil, nil
	}
	for c := message.Get("parts").Children(); c.Next(); {
		part := c.Value
		switch kind := part.Get("type").Text(); {
		case kind == "step-start":
			flush()
		case kind == "steering-message": // of the user, while the assistant worked
			flush()
			dst = r.ui(dst, chat.Object("role", tree.String("user"), "parts", part.Get("parts")))
		case kind == "text":
			if p, ok := readText(part, "providerMetadata"); ok {
				t.Parts = append(t.Parts, p)
			}
		case kind == "file":
			p := readFile(part.Get("url"), part.Get("mediaType"), part.Get("filename"))
			t.Parts = append(t.Parts, p)
		case kind == "reasoning" && t.Role == "assistant":
			t.Parts = append(t.Parts, readReasoning(part, "providerMetadata"))
		case (kind == "dynamic-tool" || strings.HasPrefix(kind, toolPrefix)) && t.Role == "assistant":
			call, result := readTool(part)
			if len(call) > 0 && part.Get("state").Text() == "approval-requested" {
				r.request(part.At("/approval/id"), call[0].ID)
			}
			t.Parts = append(t.Parts, call...)
			results = append(results, result...)
		}
	}
	flush()
	return dst
}

// readTool returns the call in a tool part, and the turn of its result. A part whose input was
// still being streamed has no call.
func readTool(part tree.Node) (call []chat.Part, result []chat.Turn) {
	name := part.Get("toolName")
	if kind, ok := strings.CutPrefix(part.Get("type").Text(), toolPrefix); ok {
		name = tree.String(kind)
	}
	id, state := part.Get("toolCallId"), part.Get("state").Text()
	if !tree.IsString(id) || !tree.IsString(name) || state == "input-streaming" {
		return nil, nil
	}
	if part.Get("providerExecuted").Is(jsonstream.True) {
		switch {
		case part.Get("approval") == tree.None, state == "output-available", state == "output-error":
			return hostedParts(part, id, name), nil
		case state == "approval-responded" && part.At("/approval/approved").Is(jsonstream.True): // the provider runs it later
			return nil, nil
		}
	}
	input := part.Get("input")
	if input == tree.None {
		input = part.Get("rawInput") // input that could not be parsed
	}
	call = []chat.Part{withProof(chat.Part{Kind: chat.Call, ID: id, Name: name, Arguments: argumentsOf(input)}, part.Get("callProviderMetadata"))}
	p := chat.Part{Kind: chat.Result, ID: id, Name: name}
	switch state {
	case "output-available":
		if output := part.Get("output"); p.TakeMCPResult(output) {
			result = []chat.Turn{{Parts: []chat.Part{p}}}
		} else {
			result = []chat.Turn{toolResult(p, text(output), output)}
		}
	case "output-error":
		p.Failed = true
		result = []chat.Turn{toolResult(p, text(part.Get("errorText")), tree.None)}
	case "output-denied", "approval-responded":
		if state == "output-denied" || part.At("/approval/approved").Is(jsonstream.False) {
			result = []chat.Turn{denial(p, part.At("/approval/reason"))}
		}
	}
	return call, result
}

// A uiWriter writes UIMessages.
type uiWriter struct {
	*chat.Writing
	messages []tree.Node
	// The pending message of the assistant: its first turn, its parts, and the indices of tool
	// parts without a result, by call id.
	first tree.Node
	parts []tree.Node
	open  map[string]int
	calls bool // the last step has calls, so the message continues

	hosted hostedWriter
}

// writeUI writes UIMessages. The steps of an assistant up to one without calls form one message, and
// each result is in the part of its call.
func writeUI(turns []tree.Node, w *chat.Writing) []tree.Node {
	u := &uiWriter{Writing: w, hosted: hostedWriter{}}
	for turn, joined := range chat.Joined(turns) {
		t := turnOf(turn, joined)
		switch {
		case len(t.Parts) > 0 && t.Parts[0].Kind == chat.Result:
			u.result(turn, t)
		case t.Role == "assistant":
			u.step(turn, t)
		default:
			u.flush()
			u.add(turn, messageRole(t.Role), uiParts(t))
		}
	}
	u.flush()
	return u.messages
}

func (u *uiWriter) add(turn tree.Node, role string, parts []tree.Node) {
	id := u.ID(turn, len(u.messages), "id")
	u.messages = append(u.messages, chat.Object("id", id, "role", tree.String(role), "parts", tree.Array(parts...)))
}

// flush completes the pending message of the assistant.
func (u *uiWriter) flush() {
	if len(u.parts) > 0 {
		u.add(u.first, "assistant", u.parts)
	}
	u.first, u.parts, u.open, u.calls = tree.None, nil, nil, false
}

// step writes a turn of the assistant.
func (u *uiWriter) step(turn tree.Node, t chat.Turn) {
	if !u.calls {
		u.flush()
		u.first, u.open = turn, map[string]int{}
	}
	u.calls = false
	u.parts = append(u.parts, chat.Object("type", tree.String("step-start")))
	for _, p := range t.Parts {
		switch p.Kind {
		case chat.Call:
			u.calls = true
			u.open[p.ID.Text()] = len(u.parts)
			u.parts = append(u.parts, toolPart(p.ID, p.Name, inputOf(p.Arguments)).With("callProviderMetadata", proofOf(p)))
		case chat.Reasoning:
			u.parts = append(u.parts, done(writeReasoning(p, "providerMetadata")))
		case chat.File:
			u.parts = append(u.parts, uiFile(p.Media))
		default:
			if p.Kind != chat.Other || !u.host(u.hosted.write(p.Value)) {
				u.parts = append(u.parts, done(said(p)).With("providerMetadata", proofOf(p)))
			}
		}
	}
}

// host writes a hosted call as a tool part, or a result into the part of its call, and reports whether it
// could.
func (u *uiWriter) host(part tree.Node) bool {
	id := part.Get("toolCallId")
	if part.Get("type").Text() == "tool-call" {
		call := toolPart(id, part.Get("toolName"), part.Get("input")).With("providerExecuted", tree.Bool(true))
		if options := part.Get("providerOptions"); options != tree.None {
			call = call.With("callProviderMetadata", options)
		}
		u.parts = append(u.parts, call)
		return true
	}
	for i, call := range slices.Backward(u.parts) {
		if part == tree.None || !tree.Same(call.Get("toolCallId"), id) {
			continue
		}
		state, member, value := "output-available", "output", part.At("/output/value")
		if strings.HasPrefix(part.At("/output/type").Text(), "error-") {
			state, member, value = "output-error", "errorText", chat.TextOf(value)
		}
		u.parts[i] = call.Changed([]tree.Member{{Name: "state", Value: tree.String(state)}, {Name: member, Value: value}})
		return true
	}
	return false
}

// toolPart returns the part of a call without a result.
func toolPart(id, name, input tree.Node) tree.Node {
	return chat.Object("type", tree.String(toolPrefix+name.Text()), "toolCallId", id, "state", tree.String("input-available"), "input", input)
}

// done returns a part of the assistant in the state of a completed stream.
func done(part tree.Node) tree.Node { return part.With("state", tree.String("done")) }

// result writes the result of a call into its part. A result without a call gets its own part.
func (u *uiWriter) result(turn tree.Node, t chat.Turn) {
	p := t.Parts[0]
	i, ok := u.open[p.ID.Text()]
	if ok {
		delete(u.open, p.ID.Text())
	} else {
		if u.open == nil {
			u.first, u.open = turn, map[string]int{}
		}
		name := p.Name
		if name == tree.None || name.Empty() {
			name = tree.String(unknownTool)
		}
		i = len(u.parts)
		u.parts = append(u.parts, toolPart(p.ID, name, tree.Object()))
		u.Up(len(u.messages), fmt.Sprintf("parts/%d/input", i), tree.Object(), "the call is not known")
	}
	state, member, value := "output-available", "output", outputText(p)
	switch v := chat.Value(value); {
	case p.Failed:
		state, member = "output-error", "errorText"
	case t.IsJSON() && p.Plain:
		value = v
	}
	u.parts[i] = u.parts[i].Changed([]tree.Member{{Name: "state", Value: tree.String(state)}, {Name: member, Value: value}})
	u.calls = true
}

// uiParts returns the parts of a message whose role is not the assistant; there is at least one.
func uiParts(t chat.Turn) (parts []tree.Node) {
	for _, p := range t.Parts {
		if p.Kind == chat.File {
			parts = append(parts, uiFile(p.Media))
		} else {
			parts = append(parts, said(p))
		}
	}
	if len(parts) == 0 {
		parts = []tree.Node{textPart(tree.String(""))}
	}
	return parts
}

// uiFile writes a file as a part with a URL.
func uiFile(m chat.Media) tree.Node {
	url := m.URL
	if m.Data != tree.None {
		m.MediaType = mediaTypeOf(m)
		url = m.DataURL()
	}
	if url == tree.None {
		return said(chat.Part{Kind: chat.File, Media: m})
	}
	return chat.Object("type", tree.String("file"), "mediaType", mediaTypeOf(m), "url", url, "filename", m.Name)
}
