// Package session reads the sessions that coding agents write while they work, and makes
// of one the agent state that [github.com/eaapl/handoff/pkg/build] turns into a message.
//
// It knows Claude Code (JSON Lines whose entries form a tree) and the Codex CLI (rollouts:
// JSON Lines of Responses items and events). [Read] takes two passes over a file: the first
// remembers of each line where it is and what it refers to, the second parses the lines that
// the conversation consists of. What it holds in memory depends on the number of lines and on
// [Options].TailBytes, and not on how long the lines are. [Peek] describes a file by its ends.
//
// A file may come from an agent that was killed, and may be anything at all. A line that cannot
// be read is a [Damage], and the others count: a line that is cut off, that is too long or too
// deep, that is no JSON object. Text that is no UTF-8, and halves of surrogate pairs, are read
// as U+FFFD. Of lines with one uuid the last counts, and a path that comes back to itself ends
// there.
package session
