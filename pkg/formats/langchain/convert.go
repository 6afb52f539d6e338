package langchain

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts messages. New messages are flat and in a state, which a graph's invoke accepts
// in Python and in JavaScript.
var codec = (&chat.Form{
	At:      []string{"/messages", "/update/messages", "/values/messages"},
	Short:   true,
	Known:   known,
	InOrder: func(messages []tree.Node) bool { return !slices.ContainsFunc(messages, isRemovalNode) },
	Style:   func(message tree.Node) string { return styleOf(message).String() },
	Read:    read,
	Write: func(turns []tree.Node, w *chat.Writing) []tree.Node {
		s := parseStyle(w.Style)
		messages := make([]tree.Node, 0, len(turns))
		for turn, joined := range chat.Joined(chat.PairServerTools(chat.PlaceResults(turns))) {
			messages = append(messages, write(turn, joined, s))
		}
		return messages
	},
}).Codec()

// fieldsOf returns the fields of a message in any form, and its type, or the role in its place.
func fieldsOf(message tree.Node) (fields tree.Node, kind string) {
	switch message.Kind() {
	case jsonstream.String:
		return chat.Object("content", message), "human"
	case jsonstream.Array: // a role and a content
		return chat.Object("content", message.Element("1")), message.Element("0").Text()
	}
	if message.Get("lc") != tree.None {
		path := tree.Elements(message.Get("id"))
		if len(path) == 0 {
			return message.Get("kwargs"), ""
		}
		return message.Get("kwargs"), strings.TrimSuffix(strings.TrimSuffix(path[len(path)-1].Text(), "Chunk"), "Message")
	}
	if role := message.Get("role"); role != tree.None {
		return message, role.Text()
	}
	kind = message.Get("type").Text()
	if data := message.Get("data"); data.Is(jsonstream.Object) && message.Get("content") == tree.None {
		return data, kind
	}
	return message, kind
}

// openAIRole is the member of additional_kwargs that marks a system message as a developer
// message.
const openAIRole = "__openai_role__"

// roleOf returns the role of a message's turn, "" if it has none.
func roleOf(kind string, fields tree.Node) string {
	switch kind = strings.TrimSuffix(strings.ToLower(kind), "messagechunk"); kind {
	case "human":
		return "user"
	case "ai":
		return "assistant"
	case "system":
		if fields.Get("additional_kwargs").Get(openAIRole).Text() == "developer" {
			return "developer"
		}
	case "chat", "generic":
		return fields.Get("role").Text()
	case "remove":
		return ""
	}
	return kind
}

// read appends the turns of a message. A message that removes others from a state has none.
func read(dst []tree.Node, message tree.Node) []tree.Node {
	fields, kind := fieldsOf(message)
	t := chat.Turn{Role: roleOf(kind, fields)}
	if t.Role == "" {
		return dst
	}
	name, content := fields.Get("name"), contentIn(fields)
	if _, ok := plainTypes[t.Role]; ok && tree.IsString(content) && !tree.IsString(name) && (t.Role != "assistant" || saysOnly(fields)) {
		return append(dst, tree.Object(tree.Member{Name: "role", Value: constants[t.Role]}, tree.Member{Name: "content", Value: content}))
	}
	switch id := fields.Get("tool_call_id"); {
	case t.Role == "tool" && tree.IsString(id):
		p := chat.Part{Kind: chat.Result, ID: id, Failed: fields.Get("status").Text() == "error"}
		if tree.IsString(name) {
			p.Name = name
		}
		p.Output, p.Plain = readContent(content, nil)
		t.Parts = []chat.Part{p}
		return append(dst, t.Canonical()...)
	case t.Role == "assistant":
		readAI(&t, fields)
	default:
		t.Parts, t.Plain = readContent(content, nil)
	}
	if tree.IsString(name) {
		t.Further = []tree.Member{{Name: "name", Value: name}}
	}
	return append(dst, t.Canonical()...)
}

// contentIn returns the content of a message. A message that was made from content blocks is stored with
// the blocks in place of the content.
func contentIn(fields tree.Node) tree.Node {
	if content := fields.Get("content"); content != tree.None {
		return content
	}
	return fields.Get("content_blocks")
}

// constants are the roles and types of nearly all messages. Messages can share them because their
// digests are computed in advance, so that they never change.
var constants = func() map[string]tree.Node {
	all := map[string]tree.Node{}
	for _, text := range []string{"user", "assistant", "system", "human", "ai", "tool"} {
		n := tree.String(text)
		n.Digest()
		all[text] = n
	}
	return all
}()

// saysOnly reports whether a message of a model has neither calls nor reasoning.
func saysOnly(fields tree.Node) bool {
	for _, name := range []string{"tool_calls", "invalid_tool_calls", "tool_call_chunks", "additional_kwargs"} {
		if v := fields.Get(name); v != tree.None && !v.Empty() {
			return false
		}
	}
	return true
}

// readAI reads the texts, reasoning and calls of a model. A call is in tool_calls, and possibly
// also in the content, in its provider's form.
func readAI(t *chat.Turn, fields tree.Node) {
	calls := append(readCalls(fields.Get("tool_calls")), readCalls(fields.Get("invalid_tool_calls"))...)
	calls = received(calls, fields.Get("tool_call_chunks"))
	kwargs := fields.Get("additional_kwargs")
	if len(calls) == 0 {
		calls = oldCalls(kwargs)
	}
	listed := make(map[string]*chat.Part, len(calls))
	for i := range calls {
		listed[calls[i].ID.Text()] = &calls[i]
	}
	if signatures := kwargs.Get(geminiSignatures); signatures != tree.None {
		for i, c := range calls {
			calls[i].Signature = first(signatures, c.ID.Text())
		}
	}
	t.Parts = readThoughts(kwargs)
	content, plain := readContent(contentIn(fields), listed)
	if strings.HasPrefix(fields.At("/response_metadata/model_provider").Text(), "google") {
		unsign(content)
	}
	if plain && content[0].Text.Empty() && len(calls)+len(t.Parts) > 0 {
		content = nil
	}
	if refusal := kwargs.Get("refusal"); tree.IsString(refusal) && !refusal.Empty() {
		if plain && content != nil && content[0].Text.Empty() {
			content = nil
		}
		content, plain = append(content, chat.Part{Kind: chat.Text, Text: refusal, Value: chat.Object("type", tree.String("refusal"), "refusal", refusal)}), false
	}
	t.Plain = plain && len(t.Parts) == 0
	t.Parts = append(append(t.Parts, content...), calls...)
}

// unsign removes the signatures of other providers, which readReasoning attributes to Anthropic.
func unsign(parts []chat.Part) {
	for i, p := range parts {
		if p.Kind == chat.Reasoning && p.Provider.Text() == "anthropic" {
			parts[i].Signature, parts[i].Provider = tree.None, tree.None
		}
	}
}

// oldCalls reads the calls of a message without tool_calls, as the first versions of LangChain stored them: in the
// forms of OpenAI's Chat API, which LangChain reads, too.
func oldCalls(kwargs tree.Node) []chat.Part {
	calls := readCalls(kwargs.Get("tool_calls"))
	if call, ok := chat.FunctionCall(kwargs.Get("function_call")); ok && len(calls) == 0 {
		calls = []chat.Part{call}
	}
	return calls
}

// readCalls reads calls in LangChain's form, whose arguments are an object or, in invalid calls, a
// text. In the form of OpenAI's Chat API the arguments are a text, too.
func readCalls(list tree.Node) (calls []chat.Part) {
	if !list.Is(jsonstream.Array) {
		return nil
	}
	for c := list.Children(); c.Next(); {
		id, name, args := c.Value.Get("id"), c.Value.Get("name"), c.Value.Get("args")
		if function := c.Value.Get("function"); function.Is(jsonstream.Object) {
			name, args = function.Get("name"), function.Get("arguments")
		}
		if !tree.IsString(id) {
			id = tree.String("")
		}
		if !tree.IsString(name) {
			name = tree.String("")
		}
		switch {
		case args == tree.None || args.Is(jsonstream.Null):
			args = tree.String("{}")
		case !tree.IsString(args):
			args = chat.TextOf(args)
		}
		calls = append(calls, chat.Part{Kind: chat.Call, ID: id, Name: name, Arguments: args})
	}
	return calls
}

// received returns the calls of a stream as they were received: LangChain completes arguments that were cut
// off, and the chunks have them as they came.
func received(calls []chat.Part, chunks tree.Node) []chat.Part {
	for _, chunk := range readCalls(chunks) {
		i := slices.IndexFunc(calls, func(c chat.Part) bool { return c.ID.Text() == chunk.ID.Text() })
		switch {
		case len(calls) == 0 || i < 0 && !chunk.ID.Empty():
			calls = append(calls, chunk)
		case i >= 0 && isCut(chunk.Arguments):
			calls[i].Arguments = chunk.Arguments
		}
	}
	return calls
}

// isCut reports whether the arguments of a call are not complete JSON.
func isCut(arguments tree.Node) bool {
	_, ok := tree.Parse([]byte(arguments.Text()))
	return !ok && !arguments.Empty()
}

// plainTypes maps the roles of plain turns to message types.
var plainTypes = map[string]string{"user": "human", "assistant": "ai", "system": "system"}

// write returns the message of a turn, as joined by [chat.Joined].
func write(turn tree.Node, joined *chat.Turn, s style) tree.Node {
	if kind, ok := plainTypes[turn.Get("role").Text()]; ok && joined == nil && turn.Length() == 2 && tree.IsString(turn.Get("content")) {
		return s.wrap(kind, []tree.Member{{Name: "content", Value: turn.Get("content")}})
	}
	if joined == nil {
		t := chat.Of(turn)
		joined = &t
	}
	t := *joined
	var fields tree.Node
	kind := "human"
	switch {
	case len(t.Parts) > 0 && t.Parts[0].Kind == chat.Result:
		kind, fields = "tool", writeTool(t.Parts[0])
	case t.Role == "assistant":
		kind, fields = "ai", writeAI(t)
	case t.Role == "system":
		kind, fields = "system", contentOf(t)
	case t.Role == "developer":
		kind, fields = "system", contentOf(t).With("additional_kwargs", chat.Object(openAIRole, tree.String("developer")))
	default:
		fields = contentOf(t)
	}
	if kind == "human" && slices.ContainsFunc(tree.Elements(fields.Get("content")), isStandard) { // ChatOpenAI reads these blocks only then
		fields = fields.With("response_metadata", chat.Object("output_version", tree.String("v1")))
	}
	for _, m := range t.Further {
		if m.Name == "name" && tree.IsString(m.Value) && kind != "tool" {
			fields = fields.With("name", m.Value)
		}
	}
	return s.wrap(kind, fields.Without())
}

func contentOf(t chat.Turn) tree.Node {
	return chat.Object("content", writeContent(t.Parts, t.Plain))
}

func writeTool(p chat.Part) tree.Node {
	fields := chat.Object("content", writeContent(p.Output, p.Plain), "tool_call_id", p.ID, "name", p.Name)
	if p.Failed {
		fields = fields.With("status", tree.String("error"))
	}
	return fields
}

// geminiSignatures is the member of additional_kwargs with the signatures of calls by Gemini: base64, by the
// ids of the calls (langchain-ai/langchain-google#1358).
const geminiSignatures = "__gemini_function_call_thought_signatures__"

// writeAI writes the texts, reasoning and calls of a model. Anthropic's models require their reasoning in
// the content, and then the calls as well; they also require the caller of a call, which only the content
// has. They reject content with the reasoning of other models.
func writeAI(t chat.Turn) tree.Node {
	var parts, thoughts []chat.Part
	var calls, invalid []tree.Node
	var signatures tree.Node
	inContent := false
	for _, p := range t.Parts {
		inContent = inContent || isSigned(p) || p.Caller != tree.None
	}
	for _, p := range t.Parts {
		switch {
		case p.Kind == chat.Call:
			args := chat.Value(p.Arguments)
			if p.Arguments.Empty() {
				args = tree.Object()
			}
			if !args.Is(jsonstream.Object) {
				invalid = append(invalid, chat.Object("name", p.Name, "args", p.Arguments, "id", p.ID, "error", tree.Null(), "type", tree.String("invalid_tool_call")))
				continue
			}
			if p.Signature != tree.None {
				signatures = signatures.With(p.ID.Text(), p.Signature)
			}
			calls = append(calls, chat.Object("name", p.Name, "args", args, "id", p.ID, "type", tree.String("tool_call")))
			if inContent {
				p.Value = args
				parts = append(parts, p)
			}
		case p.Kind == chat.Reasoning && !isSigned(p):
			thoughts = append(thoughts, p)
		default:
			parts = append(parts, p)
		}
	}
	plain := len(parts) == 1 && parts[0].Kind == chat.Text && (t.Plain || len(thoughts) > 0)
	fields := chat.Object("content", writeContent(parts, plain))
	kwargs := writeThoughts(thoughts)
	if signatures != tree.None {
		kwargs = kwargs.With(geminiSignatures, signatures)
	}
	if kwargs != tree.None {
		fields = fields.With("additional_kwargs", kwargs)
	}
	if len(calls) > 0 {
		fields = fields.With("tool_calls", tree.Array(calls...))
	}
	if len(invalid) > 0 {
		fields = fields.With("invalid_tool_calls", tree.Array(invalid...))
	}
	return fields
}

// isSigned reports whether a part is signed reasoning of an Anthropic model.
func isSigned(p chat.Part) bool {
	return p.Kind == chat.Reasoning && p.Provider.Text() == "anthropic" && p.Signature != tree.None
}
