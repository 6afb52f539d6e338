package openai

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// bareLists are members with the items of a run outside a HandoffInputData: the SDK for JavaScript returns
// them as arrays, which programs store as they are or in an object.
var bareLists = []string{"history", "input"}

// javaScriptLists are the members with items, in all documents of the SDK for JavaScript.
var javaScriptLists = slices.Concat(javaScriptSpelling.lists, bareLists)

// isInputData reports whether a document has a list of a HandoffInputData.
func isInputData(root jsonstream.Value) bool {
	for name := range root.Members() {
		if placeOf(name) >= 0 {
			return true
		}
	}
	return false
}

// itemsIn returns the items of a document that is not a HandoffInputData.
func itemsIn(root jsonstream.Value) jsonstream.Value {
	if isInputData(root) {
		return jsonstream.Value{}
	}
	return format.ListIn(bareLists...)(root)
}

// fitItem classifies a value as an item of the SDK for JavaScript.
func fitItem(v jsonstream.Value) format.Fit {
	kind, role := v.Get("type").Text(), v.Get("role")
	best := format.Possible
	for name := range v.Members() {
		switch name {
		case "callId", "rawItem", "providerData":
			best = format.Typical
		case "call_id", "raw_item", "tool_calls", "tool_call_id", "parts", "lc", "kwargs", "payload", "uuid", "messageId":
			return format.Foreign
		}
	}
	switch {
	case kind == "function_call_result", kind == "computer_call_result", kind == "hosted_tool_call":
		return format.Typical
	case kind == "reasoning":
		if v.Get("content").Kind() == jsonstream.Array && !v.Get("summary").Exists() && !v.Get("encrypted_content").Exists() {
			return format.Typical
		}
		return format.Foreign
	case kind == "" || kind == "message":
		return fitMessage(role.Text(), v.Get("content"), best)
	case best == format.Typical, kind == "compaction", kind == "tool_search_call", kind == "tool_search_output":
		return best
	default:
		return format.Foreign
	}
}

// fitMessage classifies a message with a role and content.
func fitMessage(role string, content jsonstream.Value, best format.Fit) format.Fit {
	if role != "user" && role != "assistant" && role != "system" || content.Kind() != jsonstream.String && content.Kind() != jsonstream.Array {
		return format.Foreign
	}
	for _, part := range content.Elements() {
		switch part.Get("type").Text() {
		case "input_text", "output_text", "refusal":
		case "input_image", "input_file":
			if part.Get("image").Exists() || part.Get("file").Exists() {
				best = format.Typical
			}
		case "audio":
			best = format.Typical
		default:
			return format.Foreign
		}
	}
	return best
}

// javaScriptCodec converts items of the SDK for JavaScript, as a HandoffInputData or as a list. An item
// has the turn of the Responses API item that the SDK sends for it.
var javaScriptCodec = func() *exchange.Codec {
	codec := (&chat.Form{
		At:    []string{"/inputHistory", "/preHandoffItems", "/newItems", "/history", "/input"},
		Text:  "/inputHistory",
		Items: true,
		Read: func(dst []tree.Node, item tree.Node) []tree.Node {
			if turn := plainTurn(item); turn != tree.None {
				return append(dst, turn)
			}
			return chat.AppendItemTurn(dst, readItem(item))
		},
		Write: writeItems,
		Rest: func(exchange.Meaning, *exchange.Maker) tree.Node {
			return chat.Object("preHandoffItems", tree.Array(), "newItems", tree.Array())
		},
	}).Codec()
	codec.Bare = bareLists[0]
	return codec
}()

// names are the names of members in the two spellings: of the SDK for JavaScript, and of the Responses API.
var names = []struct{ javaScript, api string }{
	{"callId", "call_id"}, {"callerId", "caller_id"}, {"exitCode", "exit_code"}, {"maxOutputLength", "max_output_length"},
	{"moveTo", "move_to"}, {"timeoutMs", "timeout_ms"},
}

// respelled returns a value with the names of the API, or of JavaScript, in it and in its objects.
func respelled(n tree.Node, toAPI bool) tree.Node {
	switch n.Kind() {
	case jsonstream.Array:
		list := slices.Clone(tree.Elements(n))
		for i, e := range list {
			list[i] = respelled(e, toAPI)
		}
		return tree.Array(list...)
	case jsonstream.Object:
		var members []tree.Member
		for c := n.Children(); c.Next(); {
			name := c.Name
			for _, pair := range names {
				switch {
				case toAPI && name == pair.javaScript:
					name = pair.api
				case !toAPI && name == pair.api:
					name = pair.javaScript
				}
			}
			members = append(members, tree.Member{Name: name, Value: respelled(c.Value, toAPI)})
		}
		return tree.Object(members...)
	default:
		return n
	}
}

// hosted are the tools that OpenAI runs: the types of their items in the Responses API.
var hosted = []string{
	"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call",
	"mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response",
}

// readItem returns the item of the Responses API for an item or run item of the SDK.
func readItem(item tree.Node) tree.Node {
	if raw := item.Get("rawItem"); conversation.IsRunItem(item.Get("type").Text()) && raw.Is(jsonstream.Object) {
		item = raw
	}
	data := item.Get("providerData")
	switch kind := item.Get("type").Text(); kind {
	case "message", "":
		if content := item.Get("content"); content.Is(jsonstream.Array) {
			item = item.With("content", readParts(content))
		}
		return item.With("providerData", tree.None)
	case "function_call_result":
		return chat.Object("type", tree.String("function_call_output"), "id", item.Get("id"), "call_id", item.Get("callId"),
			"output", readOutput(item.Get("output")), "name", item.Get("name"), "status", item.Get("status"))
	case "computer_call_result":
		output := item.Get("output")
		if image := output.Get("data"); image != tree.None {
			output = output.With("data", tree.None).With("image_url", image)
		}
		return chat.Object("type", tree.String("computer_call_output"), "id", item.Get("id"), "call_id", item.Get("callId"), "output", output)
	case "reasoning":
		var summary []tree.Node
		for _, part := range tree.Elements(item.Get("content")) {
			summary = append(summary, chat.Object("type", tree.String("summary_text"), "text", part.Get("text")))
		}
		encrypted := data.Get("encryptedContent")
		if encrypted == tree.None {
			encrypted = data.Get("encrypted_content")
		}
		return chat.Object("type", tree.String(kind), "id", item.Get("id"), "summary", tree.Array(summary...), "encrypted_content", encrypted)
	case "hosted_tool_call":
		return readHosted(item, data)
	case "unknown":
		if tree.IsString(data.Get("type")) {
			return data
		}
	case "program_output":
		item = item.With("result", item.Get("output")).With("output", tree.None)
	}
	return respelled(item.With("providerData", tree.None), true)
}

// readHosted returns the item of a tool that OpenAI runs.
func readHosted(item, data tree.Node) tree.Node {
	kind := item.Get("name").Text()
	if k := data.Get("type").Text(); k != "" {
		kind = k
	}
	for _, name := range hosted { // web_search, in earlier versions
		if name == kind+"_call" {
			kind = name
		}
	}
	if !slices.Contains(hosted, kind) {
		return respelled(item, true)
	}
	if data == tree.None {
		data = tree.Object()
	}
	read := data.With("type", tree.String(kind))
	for _, name := range []string{"id", "status"} {
		if v := item.Get(name); v != tree.None && read.Get(name) == tree.None && (name != "status" || !strings.HasPrefix(kind, "mcp_")) {
			read = read.With(name, v)
		}
	}
	switch output := item.Get("output"); {
	case output == tree.None:
	case kind == "mcp_call":
		read = read.With("output", output)
	case kind == "image_generation_call":
		read = read.With("result", output)
	}
	return respelled(read, true)
}

// readOutput returns the output of a function: a text or parts.
func readOutput(output tree.Node) tree.Node {
	switch {
	case tree.IsString(output):
		return output
	case output.Is(jsonstream.Array):
		return readParts(output)
	case output.Get("type").Text() == "text" && tree.IsString(output.Get("text")):
		return output.Get("text")
	case output.Is(jsonstream.Object):
		return readParts(tree.Array(output))
	default:
		return output
	}
}

// readParts returns parts of content as parts of the Responses API.
func readParts(content tree.Node) tree.Node {
	parts := slices.Clone(tree.Elements(content))
	for i, p := range parts {
		parts[i] = readPart(p)
	}
	return tree.Array(parts...)
}

func readPart(p tree.Node) tree.Node {
	switch kind := p.Get("type").Text(); kind {
	case "text":
		return chat.Object("type", tree.String("input_text"), "text", p.Get("text"))
	case "image", "input_image":
		part := chat.Object("type", tree.String("input_image"), "detail", p.Get("detail"))
		return withSource(part, p.Get("image"), "image_url", "file_id", "image_url", p.Get("mediaType"))
	case "file", "input_file":
		part := chat.Object("type", tree.String("input_file"), "filename", firstOf(p.Get("filename"), p.At("/file/filename")))
		return withSource(part, p.Get("file"), "file_data", "file_id", "file_url", p.Get("mediaType"))
	case "output_text":
		if annotations := p.At("/providerData/annotations"); annotations.Is(jsonstream.Array) && p.Get("annotations") == tree.None {
			p = p.With("annotations", annotations) // as the SDK sends them
		}
	case "audio":
		data := p.Get("audio")
		if transcript := p.Get("transcript"); tree.IsString(transcript) && !transcript.Empty() { // of an answer
			return chat.Object("type", tree.String("output_text"), "text", transcript)
		}
		if kind := p.Get("format"); tree.IsString(data) && tree.IsString(kind) {
			return chat.Object("type", tree.String("input_audio"), "input_audio", chat.Object("data", data, "format", kind))
		}
	}
	return p.With("providerData", tree.None)
}

func firstOf(nodes ...tree.Node) tree.Node {
	for _, n := range nodes {
		if tree.IsString(n) {
			return n
		}
	}
	return tree.None
}

// withSource adds the data, id or URL of an image or a file to its part, under these names. A text is data or a
// URL; in an object, each has its own member.
func withSource(part, source tree.Node, data, id, url string, mediaType tree.Node) tree.Node {
	if tree.IsString(source) {
		if text := source.Text(); strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
			return part.With(url, source)
		}
		return part.With(data, source)
	}
	for _, member := range []string{"id", "fileId"} {
		if v := source.Get(member); tree.IsString(v) {
			return part.With(id, v)
		}
	}
	if v := source.Get("url"); tree.IsString(v) {
		return part.With(url, v)
	}
	if v := source.Get("data"); tree.IsString(v) {
		return part.With(data, chat.Media{Data: v, MediaType: firstOf(source.Get("mediaType"), mediaType)}.DataURL())
	}
	return part
}

// writeItems returns the items of the SDK for turns.
func writeItems(turns []tree.Node, w *chat.Writing) []tree.Node {
	items := make([]tree.Node, 0, len(turns))
	called := map[string]tree.Node{} // tool names by call id
	var made []tree.Node
	for _, turn := range turns {
		if item := plainItem(turn); item != tree.None {
			items = append(items, item)
			continue
		}
		made = w.Items(made[:0], turn, chat.ResponsesKinds)
		for _, item := range made {
			name := turn.Get("name")
			switch kind := item.Get("type").Text(); {
			case kind == "function_call":
				called[item.Get("call_id").Text()] = item.Get("name")
			case kind == "function_call_output" && !tree.IsString(name):
				if name = called[item.Get("call_id").Text()]; name == tree.None {
					name = w.Up(len(items), "name", tree.String("unknown"), "the tool is not known")
				}
			}
			items = append(items, writeItem(item, name))
		}
	}
	return items
}

// constants are the values of nearly all messages. Messages can share them because their digests are computed
// in advance, so that they never change.
var constants = func() map[string]tree.Node {
	all := map[string]tree.Node{}
	for _, text := range []string{"message", "completed", "output_text"} {
		n := tree.String(text)
		n.Digest()
		all[text] = n
	}
	return all
}()

// plainTurn is the inverse of plainItem.
func plainTurn(item tree.Node) tree.Node {
	role, content := item.Get("role"), item.Get("content")
	if item.Get("type").Text() != "message" {
		return tree.None
	}
	switch role.Text() {
	case "user", "system":
		if item.Length() == 3 && tree.IsString(content) {
			return tree.Object(tree.Member{Name: "role", Value: role}, tree.Member{Name: "content", Value: content})
		}
	case "assistant":
		part := content.Element("0")
		if item.Length() == 4 && item.Get("status").Text() == "completed" && content.Length() == 1 &&
			part.Length() == 2 && part.Get("type").Text() == "output_text" && tree.IsString(part.Get("text")) {
			return tree.Object(tree.Member{Name: "role", Value: role}, tree.Member{Name: "content", Value: part.Get("text")})
		}
	}
	return tree.None
}

// plainItem returns the message of a turn that is only a text, None for others. Most turns are.
func plainItem(turn tree.Node) tree.Node {
	role, content := turn.Get("role"), turn.Get("content")
	if turn.Length() != 2 || !tree.IsString(content) {
		return tree.None
	}
	switch role.Text() {
	case "user", "system":
		return tree.Object(tree.Member{Name: "type", Value: constants["message"]}, tree.Member{Name: "role", Value: role}, tree.Member{Name: "content", Value: content})
	case "assistant":
		part := tree.Object(tree.Member{Name: "type", Value: constants["output_text"]}, tree.Member{Name: "text", Value: content})
		return tree.Object(tree.Member{Name: "type", Value: constants["message"]}, tree.Member{Name: "role", Value: role},
			tree.Member{Name: "status", Value: constants["completed"]}, tree.Member{Name: "content", Value: tree.Array(part)})
	}
	return tree.None
}

// writeItem returns the item of the SDK for an item of the Responses API. name is that of the tool of a
// result.
func writeItem(item, name tree.Node) tree.Node {
	kind := item.Get("type").Text()
	id, status := item.Get("id"), item.Get("status")
	if !tree.IsString(id) {
		id = tree.None
	}
	if !tree.IsString(status) { // the SDK takes no null, either
		status = tree.String("completed")
	}
	switch kind {
	case "message", "":
		return writeItemMessage(item, id, status)
	case "function_call":
		return chat.Object("type", tree.String(kind), "id", id, "callId", item.Get("call_id"), "name", item.Get("name"), "arguments", item.Get("arguments"), "status", status)
	case "function_call_output":
		output := item.Get("output")
		if tree.IsString(output) {
			output = chat.Object("type", tree.String("text"), "text", output)
		} else {
			output = writeParts(output)
		}
		return chat.Object("type", tree.String("function_call_result"), "id", id, "callId", item.Get("call_id"), "name", name, "status", status, "output", output)
	case "computer_call_output":
		output := item.Get("output")
		if image := output.Get("image_url"); image != tree.None {
			output = output.With("image_url", tree.None).With("data", image)
		}
		return chat.Object("type", tree.String("computer_call_result"), "id", id, "callId", item.Get("call_id"), "output", output)
	case "reasoning":
		var content []tree.Node
		for _, part := range tree.Elements(item.Get("summary")) {
			content = append(content, chat.Object("type", tree.String("input_text"), "text", part.Get("text")))
		}
		written := chat.Object("type", tree.String(kind), "id", id, "content", tree.Array(content...))
		if encrypted := item.Get("encrypted_content"); tree.IsString(encrypted) {
			written = written.With("providerData", chat.Object("encryptedContent", encrypted))
		}
		return written
	case "program_output":
		item = item.With("output", item.Get("result")).With("result", tree.None)
	}
	if t := conversation.TypeNamed(kind); t != nil && t.Is("openai-js") {
		return respelled(item, false)
	}
	if !slices.Contains(hosted, kind) {
		return chat.Object("type", tree.String("unknown"), "id", id, "providerData", item)
	}
	output := tree.None
	for _, member := range []string{"output", "result"} {
		if v := item.Get(member); tree.IsString(v) {
			output, item = v, item.With(member, tree.None)
		}
	}
	return chat.Object("type", tree.String("hosted_tool_call"), "id", id, "name", tree.String(kind), "status", status, "output", output, "providerData", item)
}

// writeItemMessage returns a message. The assistant has parts and a status, and the system a text.
func writeItemMessage(item, id, status tree.Node) tree.Node {
	role, content := item.Get("role"), item.Get("content")
	switch role.Text() {
	case "system", "developer":
		role, status = tree.String("system"), tree.None
		if !tree.IsString(content) {
			content = tree.String(content.Flat())
		}
	case "assistant":
		if tree.IsString(content) {
			content = tree.Array(chat.Object("type", tree.String("output_text"), "text", content))
		}
		content = writeParts(content)
	default:
		status = tree.None
		if !tree.IsString(content) {
			content = writeParts(content)
		}
	}
	return chat.Object("type", tree.String("message"), "id", id, "role", role, "status", status, "content", content)
}

// writeParts is the inverse of readParts.
func writeParts(content tree.Node) tree.Node {
	parts := slices.Clone(tree.Elements(content))
	for i, p := range parts {
		source := func(data, url string) tree.Node {
			if id := p.Get("file_id"); tree.IsString(id) {
				return chat.Object("id", id)
			}
			if v := p.Get(url); url != data && tree.IsString(v) {
				return chat.Object("url", v)
			}
			return p.Get(data)
		}
		switch kind := p.Get("type").Text(); kind {
		case "output_text":
			parts[i] = chat.Object("type", tree.String(kind), "text", p.Get("text"))
		case "input_image":
			parts[i] = chat.Object("type", tree.String(kind), "image", source("image_url", "image_url"), "detail", p.Get("detail"))
		case "input_file":
			parts[i] = chat.Object("type", tree.String(kind), "file", source("file_data", "file_url"), "filename", p.Get("filename"))
		case "input_audio":
			parts[i] = chat.Object("type", tree.String("audio"), "audio", p.At("/input_audio/data"), "format", p.At("/input_audio/format"))
		}
	}
	return tree.Array(parts...)
}
