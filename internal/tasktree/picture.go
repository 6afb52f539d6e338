package tasktree

import "github.com/eaapl/handoff/pkg/finding"

// A Language writes the parts of a diagram of handoffs. It escapes the texts, which are plain.
type Language interface {
	Begin() string
	End() string
	BeginTask(task int, title string) string
	EndTask() string
	Message(n int, lines []string, class string) string
	Notes(n int, lines []string, class string) string // next to message n
	Edge(from, to int, label string) string
}

// classColors are the fill and border colours of each class of messages.
var classColors = []struct{ class, fill, border string }{
	{string(finding.Error), "#f8d7da", "#b00020"},
	{string(finding.Warning), "#fff3cd", "#9a6700"},
	{string(finding.Note), "#e7f1ff", "#0a58ca"},
}
