// Package openai works on the input data of handoffs in the OpenAI Agents SDK
// (HandoffInputData, as JSON): it nests and unnests the history, filters items, and checks
// the next agent's input.
//
// The SDK for JavaScript uses other names (inputHistory, rawItem, callId), which identify its
// data. All functions support both SDKs, and write output in the form of their input; the names
// below are Python's.
//
// # Nested history
//
// [Nest] converts the conversation to summary messages, as the Python SDK does: an assistant
// message with one numbered line per item, between two markers. [Unnest] replaces every summary
// by its items. In a nested document that restores an input_history of all items in order,
// including the forwarded ones; pre_handoff_items and input_items stay empty, so that the agent
// receives nothing twice. The lines preserve an item except as follows:
//
//   - provider_data, _agents_tool_title and _agents_tool_description, members of the item
//     itself, are omitted;
//   - an item with a role whose content is absent, null or a string without CR and LF
//     ("a one-line message") keeps only the role, the name and the content, in this order:
//     id, type, status and other members are lost, and so is a name that is empty or not a
//     string;
//   - content that is absent or null becomes the empty string;
//   - white space around the content of a one-line message is lost; the rest of the content
//     is preserved, because only the beginning of a line is parsed;
//   - strings keep their characters, but may change their escapes.
//
// A one-line message may change into another item if
//
//   - its role contains a colon or " (", begins with "{", has white space around it, or is
//     empty while there is a name;
//   - its role or its name contains a line feed followed by digits and a dot;
//   - its name contains "):";
//   - its role is none of the API's four, it has no name, and its content is the text of a
//     JSON object: that is the older form of an item, with the type before the colon.
//
// Tool approval items of pre_handoff_items and new_items, which models never receive, are not
// in a summary. Neither are summary messages: [Nest] lists their items instead, in
// input_history like the SDK and also in the other lists, down to 32 nested summaries. Only
// hostile text is nested deeper.
package openai
