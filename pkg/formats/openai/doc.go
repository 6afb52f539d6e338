// Package openai works on the input data of handoffs in the OpenAI Agents SDK
// (HandoffInputData, as JSON): it nests and unnests the history, filters items, and checks
// what the next agent gets.
//
// What the SDK for JavaScript writes has other names (inputHistory, rawItem, callId) and is
// known by them. Everything here works on both, and writes what it makes in the form of
// what it was given; names below are those of Python.
//
// # Nested history
//
// [Nest] turns the conversation into summary messages, as the Python SDK does
// it: an assistant message with one numbered line per item, between two
// markers. [Unnest] puts the items back in the place of every summary. Of a
// nested document that makes an input_history of all items in order, those that
// were forwarded among them; pre_handoff_items and input_items stay empty, so that
// the agent gets nothing twice. The lines carry all of an item but this:
//
//   - provider_data, _agents_tool_title and _agents_tool_description, members of the item
//     itself, are left out;
//   - of an item with a role whose content is absent, null or a string without
//     CR and LF ("a one-line message"), only the role, the name and the content
//     come back, in this order: id, type, status and other members are lost, and
//     so is a name that is empty or no string;
//   - content that is absent or null comes back as the empty string;
//   - white space around the content of a one-line message is lost, and nothing
//     else of it, whatever it looks like: only the beginning of a line is read;
//   - strings come back with the same characters, in other escapes perhaps.
//
// A one-line message may come back as something else if
//
//   - its role has a colon or " (" in it, begins with "{", has white space around
//     it, or is empty while there is a name;
//   - its role or its name has a line feed in it that digits and a dot follow;
//   - its name has "):" in it;
//   - its role is none of the four of the API, it has no name, and its content
//     is the text of a JSON object: that is the older form of an item whose type
//     comes before the colon.
//
// Tool approval items of pre_handoff_items and new_items, which no model ever
// gets, are not in a summary. Neither is a summary message: [Nest] lists the items
// that it lists, in input_history as the SDK does and also in the other lists, and
// so down to 32 summaries inside each other. Text that is not made to do harm has
// no more.
package openai
