package conversation

import "github.com/eaapl/handoff/pkg/jsonstream"

// A shape holds the members of a turn, or of a part, that determine its kind.
type shape struct {
	kind, role, name, author          jsonstream.Value
	id, callID, toolUseID, toolCallID jsonstream.Value
	callerID, toolName, state         jsonstream.Value // of the AI SDK
	hosted, approvalID, approval      jsonstream.Value // of the AI SDK
	execution                         jsonstream.Value // of a tool search
	content, parts                    jsonstream.Value
	blocks                            jsonstream.Value // of LangChain, in place of content
	toolCalls, invalidCalls           jsonstream.Value
	text, thought, media              jsonstream.Value
	functionCall, functionResponse    jsonstream.Value
	refusal                           jsonstream.Value // of OpenAI Chat
	additional                        jsonstream.Value // of LangChain: members in the form of OpenAI Chat
	hostedCall, hostedResult          jsonstream.Value // of Gemini
	rawItem, lc, kwargs, data         jsonstream.Value
	toolUse, toolResult, reasoning    jsonstream.Value // of Bedrock
	message, payload, attachment      jsonstream.Value // of lines of coding agents
	actions, compacted                jsonstream.Value // of Google's ADK
	partKind, messageKind, calledName jsonstream.Value // of Pydantic AI
	contents                          jsonstream.Value // of Agent Framework
	answeredCalls                     jsonstream.Value // of the Gemini CLI, with their results
	info, tool                        jsonstream.Value // of OpenCode: of a message, of a call
}

// shapeOf finds the members in one pass: there are many turns, and most have only role and
// content.
func shapeOf(v jsonstream.Value) (s shape) {
	var prompt jsonstream.Value
	for name, member := range v.Members() {
		switch name {
		case "type", "$type": // .NET
			s.kind = member
		case "role":
			s.role = member
		case "name":
			s.name = member
		case "author":
			s.author = member
		case "id":
			s.id = member
		case "call_id", "callId", "callID":
			s.callID = member
		case "tool_use_id":
			s.toolUseID = member
		case "tool_call_id":
			s.toolCallID = member
		case "toolCallId":
			s.callerID = member
		case "toolName":
			s.toolName = member
		case "providerExecuted":
			s.hosted = member
		case "approvalId":
			s.approvalID = member
		case "approval":
			s.approval = member
		case "execution":
			s.execution = member
		case "state":
			s.state = member
		case "content":
			s.content = member
		case "content_blocks":
			s.blocks = member
		case "parts":
			s.parts = member
		case "tool_calls":
			s.toolCalls = member
		case "invalid_tool_calls":
			s.invalidCalls = member
		case "text", "citationsContent":
			s.text = member
		case "thought":
			s.thought = member
		case "inlineData", "inline_data", "fileData", "file_data", "raw", "url", "image", "document", "video", "audio":
			s.media = member
		case "function_call", "functionCall":
			s.functionCall = member
		case "refusal":
			s.refusal = member
		case "additional_kwargs":
			s.additional = member
		case "functionResponse", "function_response":
			s.functionResponse = member
		case "toolCall", "tool_call", "executableCode", "executable_code":
			s.hostedCall = member
		case "toolResponse", "tool_response", "codeExecutionResult", "code_execution_result":
			s.hostedResult = member
		case "toolUse":
			s.toolUse = member
		case "toolResult":
			s.toolResult = member
		case "reasoningContent":
			s.reasoning = member
		case "raw_item", "rawItem":
			s.rawItem = member
		case "lc":
			s.lc = member
		case "kwargs":
			s.kwargs = member
		case "data":
			s.data = member
		case "message":
			s.message = member
		case "payload":
			s.payload = member
		case "attachment":
			s.attachment = member
		case "prompt":
			prompt = member
		case "actions":
			s.actions = member
		case "compactedContent":
			s.compacted = member
		case "part_kind":
			s.partKind = member
		case "kind":
			s.messageKind = member
		case "tool_name":
			s.calledName = member
		case "contents":
			s.contents = member
		case "toolCalls":
			s.answeredCalls = member
		case "info":
			s.info = member
		case "tool":
			s.tool = member
		}
	}
	if s.kind.Text() == QueuedCommand {
		s.content = prompt
	}
	if !s.content.Exists() {
		s.content = s.blocks
	}
	if s.additional.Exists() {
		s.readAdditional()
	}
	return s
}

// readAdditional reads the calls and the refusal that a LangChain message has only in additional_kwargs. An AIMessage reads calls
// from there, too, if its tool_calls are empty (@langchain/core 1.4.0, langchain-core for Python).
func (s *shape) readAdditional() {
	if s.toolCalls.Len() == 0 && s.invalidCalls.Len() == 0 {
		s.toolCalls, s.functionCall = s.additional.Get("tool_calls"), s.additional.Get("function_call")
	}
	if !s.refusal.Exists() {
		s.refusal = s.additional.Get("refusal")
	}
}

// AgentMessage is the type of an item that is a message from another agent, with its author, recipient and content:
// input of the model, which Codex and the beta version of the Responses API send.
const AgentMessage = "agent_message"

// AgentCommunication is the type of a line in a session of Codex with such a message, in a form of its own.
const AgentCommunication = "inter_agent_communication"

// FromAgent returns the text of a message from another agent for a model whose API has no such messages.
func FromAgent(author, text string) string {
	if author == "" {
		author = "another agent"
	}
	return "Message from " + author + ":\n" + text
}

// QueuedCommand is the type of an attachment in a session of Claude Code that is a turn of the user: its
// prompt was typed while the agent worked.
const QueuedCommand = "queued_command"

// summary returns the summary in an event of Google's ADK that replaces earlier events: a text, as the
// JavaScript version has it, or a content; absent for any other turn.
func (s *shape) summary() jsonstream.Value {
	switch {
	case !s.author.Exists():
		return jsonstream.Value{}
	case s.compacted.Kind() == jsonstream.String:
		return s.compacted
	}
	compaction := s.actions.Get("compaction")
	if content := compaction.Get("compactedContent"); content.Kind() == jsonstream.Object {
		return content
	}
	if content := compaction.Get("compacted_content"); content.Kind() == jsonstream.Object {
		return content
	}
	return jsonstream.Value{}
}

// inner returns the value wrapped in a turn, absent if the turn is its own content.
func (s *shape) inner() jsonstream.Value {
	kind := s.kind.Text()
	inner := jsonstream.Value{}
	switch {
	case s.rawItem.Exists() && IsRunItem(kind):
		inner = s.rawItem
	case s.lc.Exists():
		inner = s.kwargs
	case s.role.Exists():
	case s.author.Exists() && s.content.Get("parts").Exists():
		inner = s.content
	case s.author.Exists() && s.summary().Exists():
		inner = s.summary()
	case s.content.Exists():
	case s.data.Exists() && copilotRole(kind) != "":
		inner = s.data
	case s.data.Exists() && langChainRoles[kind] != "":
		inner = s.data
	case s.payload.Exists() && (kind == "response_item" || kind == AgentCommunication):
		inner = s.payload
	case s.message.Exists() && (kind == "user" || kind == "assistant"):
		inner = s.message
	case s.attachment.Get("type").Text() == QueuedCommand:
		inner = s.attachment
	}
	if inner.Kind() != jsonstream.Object {
		return jsonstream.Value{}
	}
	return inner
}
