package formats

import (
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A framework is a system whose stored messages are in none of the formats. Most of them have a
// function that writes messages in a format.
type framework struct {
	// is reports whether a document holds messages of the framework. It looks only at the beginning of the
	// document, since it is called for every document.
	is func(root jsonstream.Value) bool
	// found completes a sentence that begins with [Outline]: the name of the framework, and how to convert
	// its messages.
	found string
}

// frameworks are in the order in which documents are tested. No document matches two of them.
var frameworks = []framework{
	{isAutoGen, "as AutoGen writes a state or its messages; to_oai_type of autogen_ext writes OpenAI Chat messages from the messages of a model context"},
	{isSemanticKernel, "as a chat history of Semantic Kernel has; its messages write themselves as OpenAI Chat messages with to_dict()"},
	{isMastra, "as Mastra stores messages; toAISdkMessages of @mastra/ai-sdk/ui writes messages of the AI SDK"},
	{isAISDK4, "as AI SDK 4 writes messages; docs/ai-sdk-4.jq makes messages of version 5 to 7 of an array: jq -f ai-sdk-4.jq"},
	{isCrewAI, "as the output of a crew of CrewAI has; take the OpenAI Chat messages of a task with jq '.tasks_output[0].messages'"},
	{isStrands, "as Strands Agents stores messages; take the Amazon Bedrock Converse messages with jq '[.messages[].message]', or of one file a message with jq -s '[.[].message]'"},
	{isMCP, "as messages of the Model Context Protocol have; jq 'map(.content |= [.])' makes OpenAI Chat messages of an array of texts"},
	{isGeminiCLI, "as a line of a session of the Gemini CLI has; give the whole file, whose first line describes the session"},
	{isCopilotCLI, "as an event of the Copilot CLI has; give the whole file"},
	{isThread, "as a serialized thread or session of Agent Framework has; take its messages with jq '.chat_message_store_state.messages', '.state.in_memory.messages' or '.storeState.messages'"},
	{isRunState, `as a RunState of the OpenAI Agents SDK has; take its items with jq '[(.originalInput | if type == "string" then {role: "user", content: .} else .[] end), (.generatedItems[] | select(.type != "tool_approval_item") | .rawItem)]'`},
	{isLlamaIndex, "as chat messages of LlamaIndex have; to_openai_message_dicts of llama_index.llms.openai.utils writes OpenAI Chat messages"},
	{isHaystack, "as chat messages of Haystack have; to_openai_dict_format() writes OpenAI Chat messages"},
}

// frameworkOf returns the name of the framework whose messages a document holds, and how to convert them;
// "" if there is none.
func frameworkOf(root jsonstream.Value) string {
	for _, f := range frameworks {
		if f.is(root) {
			return f.found
		}
	}
	return ""
}

// messageIn returns the first message of a document: of an array, of the list messages, or the document
// itself.
func messageIn(root jsonstream.Value) jsonstream.Value {
	if root.Kind() == jsonstream.Array {
		return root.First()
	}
	for _, name := range [...]string{"messages", "message_thread", "history"} {
		if list := root.Get(name); list.Kind() == jsonstream.Array {
			return list.First()
		}
	}
	return root
}

// isRunState recognises a run that waits for approvals, as the OpenAI Agents SDK stores it.
func isRunState(root jsonstream.Value) bool {
	return root.Get("$schemaVersion").Exists() && root.Get("originalInput").Exists() && root.Get("generatedItems").Kind() == jsonstream.Array
}

func isAutoGen(root jsonstream.Value) bool {
	kind := root.Get("type").Text()
	if strings.HasSuffix(kind, "State") && root.Get("version").Exists() &&
		(strings.HasSuffix(kind, "ManagerState") || root.Get("llm_context").Exists() || root.Get("agent_states").Exists()) {
		return true
	}
	m := messageIn(root)
	kind = m.Get("type").Text()
	return m.Get("source").Kind() == jsonstream.String && m.Get("content").Exists() && (strings.HasSuffix(kind, "Message") || strings.HasSuffix(kind, "Event"))
}

func isSemanticKernel(root jsonstream.Value) bool {
	m := messageIn(root)
	if role := m.Get("Role"); role.Exists() && m.Get("Items").Kind() == jsonstream.Array { // of .NET
		return true
	}
	return m.Get("role").Exists() && m.Get("items").Kind() == jsonstream.Array && m.Get("content_type").Exists()
}

func isMastra(root jsonstream.Value) bool {
	m := messageIn(root)
	content := m.Get("content")
	return m.Get("role").Exists() && (content.Get("parts").Kind() == jsonstream.Array && content.Get("format").Exists() ||
		m.Get("threadId").Exists() && m.Get("resourceId").Exists() && content.Exists())
}

// seen4 is the number of messages in which isAISDK4 looks for a member or part of version 4.
const seen4 = 16

// isAISDK4 recognises UIMessages and CoreMessages of version 4 of the AI SDK by tool invocations, attachments, and the
// members that version 5 has renamed. Texts alone are the same in all versions.
func isAISDK4(root jsonstream.Value) bool {
	if list := root.Get("messages"); list.Kind() == jsonstream.Array {
		root = list
	}
	for i, m := range root.Elements() {
		if i == seen4 || !m.Get("role").Exists() {
			return false
		}
		if m.Get("toolInvocations").First().Exists() || m.Get("experimental_attachments").First().Exists() {
			return true
		}
		for _, list := range [...]jsonstream.Value{m.Get("parts"), m.Get("content")} {
			for _, part := range list.Elements() {
				switch part.Get("type").Text() {
				case "tool-invocation":
					return part.Get("toolInvocation").Exists()
				case "redacted-reasoning":
					return true
				case "reasoning":
					if part.Get("reasoning").Exists() && part.Get("details").Exists() {
						return true
					}
				case "source":
					if part.Get("source").Get("sourceType").Exists() {
						return true
					}
				case "file":
					if part.Get("mimeType").Exists() && part.Get("data").Exists() {
						return true
					}
				case "tool-call", "tool-result":
					if part.Get("input").Exists() || part.Get("output").Exists() {
						return false // of a later version, even if a part after it lacks them
					}
					if part.Get("args").Exists() || part.Get("result").Exists() {
						return true
					}
				}
			}
		}
	}
	return false
}

func isCrewAI(root jsonstream.Value) bool {
	return root.Get("tasks_output").Kind() == jsonstream.Array && root.Get("raw").Exists()
}

func isStrands(root jsonstream.Value) bool {
	m := messageIn(root)
	return m.Get("message_id").Kind() == jsonstream.Number && m.Get("message").Get("content").Kind() == jsonstream.Array && m.Get("message").Get("role").Exists()
}

// isMCP recognises the messages of a prompt, and of a request for sampling or the answer to one, alone or
// in JSON-RPC.
func isMCP(root jsonstream.Value) bool {
	if root.Get("jsonrpc").Exists() {
		switch {
		case root.Get("method").Text() == "sampling/createMessage":
			return true
		case root.Get("result").Kind() == jsonstream.Object:
			root = root.Get("result")
		case root.Get("params").Get("messages").Exists():
			root = root.Get("params")
		}
	}
	m := messageIn(root)
	content := m.Get("content")
	if role := m.Get("role").Text(); role != "user" && role != "assistant" {
		return false
	}
	if content.Kind() == jsonstream.Object {
		return content.Get("type").Kind() == jsonstream.String && !content.Get("parts").Exists()
	}
	return root.Get("maxTokens").Exists() && root.Get("messages").Exists() // with several contents each
}

// isGeminiCLI recognises a single line of a session.
func isGeminiCLI(root jsonstream.Value) bool {
	if root.Get("sessionId").Exists() && root.Get("projectHash").Exists() {
		return !root.Get("messages").Exists()
	}
	kind := root.Get("type").Text()
	return (kind == "gemini" || kind == "user") && root.Get("id").Exists() && root.Get("timestamp").Exists() && root.Get("content").Exists() && !root.Get("role").Exists()
}

// isCopilotCLI recognises a single event.
func isCopilotCLI(event jsonstream.Value) bool {
	group, _, ok := strings.Cut(event.Get("type").Text(), ".")
	if !ok || event.Get("data").Kind() != jsonstream.Object || !event.Get("parentId").Exists() {
		return false
	}
	switch group {
	case "session", "user", "assistant", "tool", "system", "abort", "subagent", "skill", "hook", "permission":
		return true
	}
	return false
}

// isThread recognises a thread of Agent Framework, whose messages can only be read separately.
func isThread(root jsonstream.Value) bool {
	for _, store := range [...]jsonstream.Value{root.Get("chat_message_store_state"), root.Get("state").Get("in_memory"), root.Get("storeState")} {
		if store.Get("messages").Kind() == jsonstream.Array {
			return true
		}
	}
	return false
}

func isLlamaIndex(root jsonstream.Value) bool {
	m := messageIn(root)
	return m.Get("role").Exists() && m.Get("blocks").First().Get("block_type").Exists()
}

func isHaystack(root jsonstream.Value) bool {
	m := messageIn(root)
	return m.Get("role").Exists() && m.Get("meta").Kind() == jsonstream.Object && m.Get("content").Kind() == jsonstream.Array && !m.Get("content").First().Get("type").Exists()
}
