// Package collect builds the pages of package viewer from messages. A [Draft] is for pages of
// messages with further data, such as the messages of an audit log.
package collect

import (
	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Options control the content of a page.
type Options struct {
	Title   string
	Version string // of the program
	// Rules are all rules that findings may name.
	Rules []finding.Rule
	// Chain selects the checks at the boundaries between messages.
	Chain chain.Options
	// Limits bound the cost of one message and its carried documents.
	Limits jsonstream.Limits
	// Secrets shows credentials unmasked.
	Secrets bool
	// Verifies reports whether validation of the messages checked signatures.
	Verifies bool
	// MaxFindings is the maximum number of findings on a page of messages; 0 means no limit.
	MaxFindings int
	// Doubt returns the reason why the total of a task may differ from the amount spent, "" for
	// none.
	Doubt func(*chain.Task) string
	// Commands returns shell commands that show parts of a handoff, and Command returns one that
	// shows a task.
	Commands func(Subject) []viewer.Command
	Command  func(taskID string, sources []string) string
}

// A Subject is a handoff with commands.
type Subject struct {
	ID, TaskID string
	Message    *Origin // nil for a message of an audit log
	Parent     *Origin // the previous message; nil if there is none
	Recorded   int64   // the number of the record with the message, -1 for none
}

// An Origin is the place of a message.
type Origin struct {
	chain.Place
	Alone   bool // the only message of its source
	OneLine bool // it has a line of its own
}
