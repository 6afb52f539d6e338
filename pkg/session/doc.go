// Package session reads the session files of coding agents and converts them into the agent state
// that [github.com/eaapl/handoff/pkg/build] turns into a message.
//
// It supports Claude Code (JSON Lines whose entries form a tree), the Codex CLI (rollouts: JSON
// Lines of Responses items and events), the Gemini CLI (JSON Lines that replace and remove messages), OpenCode
// (one document) and the Copilot CLI (JSON Lines of events). [Read] takes two passes over a file: the first
// records the place and the references of each line, the second parses the lines of the conversation. Memory
// grows with the number of lines and [Options].TailBytes, not with the length of lines. [Peek] reads
// only both ends of a file.
//
// A file may come from a killed agent or be anything at all. A line that cannot be read becomes a
// [Damage], and the others count: a line that is cut off, too long, too deep or not a JSON object.
// Invalid UTF-8 and unpaired surrogates are read as U+FFFD. If lines share a uuid, the last wins,
// and a path that loops ends at the loop.
package session
