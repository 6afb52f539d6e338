// Package collect makes what a page of package viewer shows from messages. A [Draft] is for
// pages of messages that come with more than themselves, as those of an audit log do.
package collect

import (
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/viewer"
)

// Options say how a page is made.
type Options struct {
	Title   string
	Version string // of the program
	// Rules are all that findings may name.
	Rules []finding.Rule
	// Chain says what is checked at the boundaries between messages.
	Chain chain.Options
	// Limits bound what one message costs, and what it carries.
	Limits jsonstream.Limits
	// Secrets shows credentials as the messages have them, and not as asterisks.
	Secrets bool
	// Verifies says that signatures were checked when the messages were validated.
	Verifies bool
	// MaxFindings is how many findings a page of messages shows; 0 for any number.
	MaxFindings int
	// Doubt says why the total of a task may not be what was spent, "" if nothing speaks against
	// it.
	Doubt func(*chain.Task) string
	// Commands returns lines for a shell that show parts of a handoff, and Command one that shows
	// a task.
	Commands func(Subject) []viewer.Command
	Command  func(taskID string, sources []string) string
}

// A Subject is a handoff for which there are commands.
type Subject struct {
	ID, TaskID string
	Message    *Origin // nil for one of an audit log
	Parent     *Origin // the message before; nil if there is none
	Recorded   int64   // the number of the record that has the message, -1 for none
}

// An Origin is where a message was read.
type Origin struct {
	chain.Place
	Alone   bool // it is the only one of its source
	OneLine bool // it has a line of its own
}
