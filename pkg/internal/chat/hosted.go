package chat

import (
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Hosted is a call to a tool that the provider runs, or the result of one.
type Hosted struct {
	Result   bool
	ID, Name tree.Node // strings; None if unknown
	Value    tree.Node // the input of a call, the content of a result
}

// HostedOf reads a hosted call or result in the form of Anthropic, LangChain, the AI SDK, Bedrock or Gemini.
func HostedOf(part tree.Node) (Hosted, bool) {
	kind := part.Get("type").Text()
	if kind == "" {
		return untyped(part)
	}
	t := conversation.TypeNamed(kind)
	if t == nil || !t.Hosted && kind != "tool-call" && kind != "tool-result" {
		return Hosted{}, false
	}
	h := Hosted{Result: t.Kind == conversation.Result, Name: stringOr(part.Get("name"))}
	for _, name := range []string{"id", "tool_use_id", "toolCallId", "tool_call_id"} {
		if id := part.Get(name); tree.IsString(id) && (name != "id" || !h.Result) {
			h.ID = id
		}
	}
	if name := part.Get("toolName"); tree.IsString(name) {
		h.Name = name
	}
	for _, name := range []string{"input", "args", "content", "output"} {
		if v := part.Get(name); v != tree.None {
			h.Value = v
		}
	}
	if kind == "tool-result" {
		h.Value = part.At("/output/value")
	}
	return h, h.ID != tree.None && h.Value != tree.None
}

// untyped is HostedOf for parts of Bedrock and Gemini, which have no type.
func untyped(part tree.Node) (h Hosted, ok bool) {
	for c := part.Children(); c.Next(); {
		v := c.Value
		switch c.Name {
		case "toolUse":
			return Hosted{ID: stringOr(v.Get("toolUseId")), Name: stringOr(v.Get("name")), Value: v.Get("input")}, v.Get("type") != tree.None
		case "toolResult":
			return Hosted{Result: true, ID: stringOr(v.Get("toolUseId")), Value: v.Get("content")}, v.Get("type") != tree.None
		case "toolCall", "tool_call":
			return Hosted{ID: stringOr(v.Get("id")), Name: tree.String(firstText(v, "toolType", "tool_type")), Value: v.Get("args")}, true
		case "toolResponse", "tool_response":
			return Hosted{Result: true, ID: stringOr(v.Get("id")), Value: v.Get("response")}, true
		case "executableCode", "executable_code":
			return Hosted{ID: stringOr(v.Get("id")), Name: tree.String("code_execution"), Value: v}, true
		case "codeExecutionResult", "code_execution_result":
			return Hosted{Result: true, ID: stringOr(v.Get("id")), Value: v}, true
		}
	}
	return Hosted{}, false
}

// Text returns the call or result for people and models: without encrypted content, which only its provider
// reads.
func (h Hosted) Text() string {
	if h.Result {
		return answered(h.Value)
	}
	return called(h.Name.Text(), h.Value)
}

// called returns the text of a call.
func called(tool string, input tree.Node) string {
	kind := strings.ToLower(tool) // Gemini has GOOGLE_SEARCH_WEB
	query, url := firstText(input, "query", "q"), firstText(input, "url")
	if queries := input.Get("queries"); query == "" {
		query = queries.Flat()
	}
	switch {
	case query != "" && strings.Contains(kind, "file_search"):
		return "Searched the files for: " + query
	case query != "" && strings.Contains(kind, "tool_search"):
		return "Searched for tools: " + query
	case query != "" && strings.Contains(kind, "search"):
		return "Searched the web for: " + query
	case url != "" && firstText(input, "pattern") != "":
		return "Searched " + url + " for: " + firstText(input, "pattern")
	case url != "":
		return "Opened " + url
	}
	if code := firstText(input, "code", "command"); code != "" && input.Get("path") == tree.None { // a text editor has a command and a path
		return "Ran:\n" + code
	}
	text := "Called the tool " + tool
	if input != tree.None && !input.Empty() {
		text += ": " + flatText(input)
	}
	return text
}

// answered returns the text of a result.
func answered(content tree.Node) string {
	if text := readable(content); text != "" {
		return "Result:\n" + text
	}
	return "No result."
}

// maxReadable is the maximum nesting of a content whose texts are collected; deeper content is JSON.
const maxReadable = 8

// readable returns the content of a hosted result as text.
func readable(v tree.Node) string { return readableTo(v, maxReadable) }

func readableTo(v tree.Node, depth int) string {
	switch {
	case depth == 0:
		return flatText(v)
	case v.Is(jsonstream.Array):
		var lines []string
		for c := v.Children(); c.Next(); {
			if text := readableTo(c.Value, depth-1); text != "" {
				lines = append(lines, text)
			}
		}
		return strings.Join(lines, "\n")
	case !v.Is(jsonstream.Object):
		return v.Flat()
	}
	if source := v.Get("source"); source.Is(jsonstream.Object) { // a document of Anthropic: a fetched page
		text := readableTo(source.Get("content"), depth-1)
		if source.Get("type").Text() == "text" {
			text = firstText(source, "data")
		}
		return joined(firstText(v, "title"), firstText(v, "context"), firstText(source, "url"), text)
	}
	title, url := firstText(v, "title", "filename"), firstText(v, "url", "source", "uri")
	if url != "" {
		line := "- " + url
		if title != "" {
			line = "- " + title + ": " + url
		}
		if inner := readableTo(v.Get("content"), depth-1); inner != "" {
			line += "\n" + inner
		}
		return line
	}
	var lines []string
	if title != "" {
		lines = append(lines, title)
	}
	for _, name := range []string{"text", "stdout", "stderr", "logs", "output", "result"} {
		if text := firstText(v, name); text != "" {
			lines = append(lines, text)
		}
	}
	if end := endOf(v); end != "" && (len(lines) == 0 || end != exitCode+"0") {
		lines = append(lines, end)
	}
	if code := firstText(v, "error_code", "errorCode"); code != "" {
		lines = append(lines, "Error: "+code)
	}
	for _, name := range []string{"content", "value", "json", "results", "tool_references", "tools"} {
		if inner := readableTo(v.Get(name), depth-1); inner != "" {
			lines = append(lines, inner)
		}
	}
	if len(lines) == 0 {
		if name := firstText(v, "tool_name", "name"); name != "" {
			return "- " + name
		}
		return flatText(v)
	}
	return strings.Join(lines, "\n")
}

const exitCode = "Exit code: "

// endOf returns how a command ended, "" if that is unknown: in results of Anthropic's code execution, and in the
// output of a shell.
func endOf(v tree.Node) string {
	outcome := v.Get("outcome")
	if outcome.Get("type").Text() == "timeout" {
		return "Timed out."
	}
	for _, of := range []tree.Node{v, outcome} {
		for _, name := range []string{"return_code", "exit_code", "exitCode"} {
			if code := of.Get(name); code.Is(jsonstream.Number) {
				return exitCode + flatText(code)
			}
		}
	}
	return ""
}

// flatText returns a value as compact JSON, without encrypted members; "" if it is absent.
func flatText(v tree.Node) string {
	if v == tree.None {
		return ""
	}
	if v.Is(jsonstream.Object) {
		for c := v.Children(); c.Next(); {
			if strings.HasPrefix(c.Name, "encrypted") {
				v = v.With(c.Name, tree.None)
			}
		}
	}
	if tree.IsString(v) {
		return v.Text()
	}
	return string(v.AppendPlain(nil))
}

func firstText(v tree.Node, names ...string) string {
	for _, name := range names {
		if s := v.Get(name); tree.IsString(s) && !s.Empty() {
			return s.Text()
		}
	}
	return ""
}

// describedText returns the text of a part or an item for formats without its type, "" if there is none.
func describedText(n tree.Node) string {
	switch kind := n.Get("type").Text(); kind {
	case "web_search_call":
		return called(kind, n.Get("action"))
	case "file_search_call":
		return joined(called(kind, n), readable(n.Get("results")))
	case "code_interpreter_call":
		return joined("Ran:\n"+firstText(n, "code"), readable(n.Get("outputs")))
	case "image_generation_call":
		if prompt, problem := firstText(n, "revised_prompt"), readable(n.Get("error")); prompt != "" || problem != "" {
			return joined(strings.TrimSuffix("Generated an image: "+prompt, ": "), problem)
		}
		return ""
	case "program":
		return "Ran:\n" + firstText(n, "code")
	case "program_output":
		return answered(n.Get("result"))
	case "mcp_call", "hosted_tool_call":
		text := "Called the tool " + firstText(n, "name") + ": " + firstText(n, "arguments")
		return joined(text, readable(n.Get("output")), readable(n.Get("error")))
	case "multi_agent_call":
		return "Called the tool " + firstText(n, "action") + ": " + firstText(n, "arguments")
	case "multi_agent_call_output":
		return answered(n.Get("output"))
	case "mcp_list_tools":
		return joined("The tools of "+firstText(n, "server_label")+":", readable(n.Get("tools")))
	case "mcp_tool_listing":
		return joined("The tools of "+firstText(n, "mcp_server_name")+":", readable(n.Get("tools")))
	case "mcp_approval_request":
		return "Asked for approval of the tool " + firstText(n, "name") + ": " + firstText(n, "arguments")
	case "mcp_approval_response":
		if n.Get("approve").Is(jsonstream.True) {
			return "The call is approved."
		}
		return strings.TrimSuffix("The call is denied: "+firstText(n, "reason"), ": ")
	case "tool_search_call":
		return strings.TrimSuffix("Searched for tools: "+flatText(n.Get("arguments")), ": ")
	case "tool_search_output":
		return joined("Tools found:", readable(n.Get("tools")))
	case "tool_reference":
		return firstText(n, "tool_name")
	case "search_result":
		return readable(n)
	case "document": // of Anthropic, with blocks
		if blocks := n.At("/source/content"); tree.IsString(blocks) || blocks.Is(jsonstream.Array) && tree.All(blocks, func(b tree.Node) bool { return b.Get("type").Text() == "text" }) {
			return readable(n)
		}
		return ""
	case "compaction":
		return firstText(n, "content", "summary")
	case "":
		if text := ofBedrock(n); text != "" {
			return text
		}
		fallthrough
	default:
		if h, ok := HostedOf(n); ok {
			return h.Text()
		}
		return ""
	}
}

// ofBedrock returns the text of a block of Bedrock that only its format has, "" for other parts.
func ofBedrock(block tree.Node) string {
	if cited := block.Get("citationsContent"); cited != tree.None {
		var citations []tree.Node
		for c := cited.Get("citations").Children(); c.Next(); {
			citations = append(citations, Object("title", stringOr(c.Value.Get("title")), "url", stringOr(c.Value.At("/location/web/url")), "cited_text", tree.String(readable(c.Value.Get("sourceContent")))))
		}
		return sourcesOf(tree.String(readable(cited.Get("content"))), Object("citations", tree.Array(citations...))).Text()
	}
	if guarded := block.At("/guardContent/text"); guarded != tree.None {
		return readable(guarded)
	}
	if found := block.Get("searchResult"); found != tree.None {
		return readable(found)
	}
	return ""
}

// joined returns texts, one per line, without empty ones.
func joined(texts ...string) string {
	var lines []string
	for _, text := range texts {
		if text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

// sourcesOf returns the text of a part with its citations: the title, address and cited text of each.
func sourcesOf(text, part tree.Node) tree.Node {
	lines := ""
	for _, list := range []string{"citations", "annotations"} {
		for c := part.Get(list).Children(); c.Next(); {
			v := c.Value
			if cited := v.Get("url_citation"); cited != tree.None { // of the Chat API
				v = cited
			}
			title, url, cited := firstText(v, "title", "document_title", "filename"), firstText(v, "url", "source"), firstText(v, "cited_text", "snippet")
			if title == "" && url == "" { // of Agent Framework
				title = firstText(v, "fileId", "file_id", "toolName", "tool_name")
			}
			if url != "" && strings.Contains(text.Text(), url) && cited == "" {
				continue
			}
			line := strings.Trim(title+": "+url, ": ")
			if cited != "" {
				line = strings.TrimPrefix(line+": “"+cited+"”", ": ")
			}
			if line != "" && !strings.Contains(lines, line) {
				lines += "\n- " + line
			}
		}
	}
	if lines == "" {
		return text
	}
	return tree.String(text.Text() + "\n\nSources:" + lines)
}
