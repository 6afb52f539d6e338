package look

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/internal/viewer/collect"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/compress"
)

// messageCommands returns shell commands that show parts of a handoff.
func messageCommands(s collect.Subject) []viewer.Command {
	list := []viewer.Command{}
	message := argumentOf(s.Message)
	if message == "" {
		return list
	}
	show := func(what, line string) { list = append(list, viewer.Command{Shows: what, Line: line}) }
	show("the message", "handoff inspect "+message)
	show("its findings", "handoff validate "+message)
	if s.Parent != nil {
		if before := argumentOf(s.Parent); before != "" {
			show("the difference", "handoff diff "+before+" "+message)
		}
	}
	show("the input of a model", "handoff render "+message)
	return list
}

// argumentOf returns the argument for a command that reads one message, "" if there is none.
func argumentOf(o *collect.Origin) string {
	switch {
	case o.Source == "stdin":
		return ""
	case o.Alone:
		return cli.ShellWord(o.Source)
	case !o.OneLine:
		return ""
	case output.CodecOf(o.Source) != compress.None:
		return fmt.Sprintf("<(handoff decompress %s | sed -n %dp)", cli.ShellWord(o.Source), o.Line)
	}
	return fmt.Sprintf("<(sed -n %dp %s)", o.Line, cli.ShellWord(o.Source))
}

// chainCommand returns a function that returns a shell command. The command shows a task, checked with these
// options.
func chainCommand(o chain.Options) func(taskID string, sources []string) string {
	flags := chainWords(o)
	return func(taskID string, sources []string) string {
		if slices.Contains(sources, "stdin") || taskID == "" {
			return ""
		}
		words := append([]string{"handoff chain --task", cli.ShellWord(taskID)}, flags...)
		for _, s := range sources {
			words = append(words, cli.ShellWord(s))
		}
		return strings.Join(words, " ")
	}
}

// chainWords returns the command-line flags for the options that differ from the defaults.
func chainWords(o chain.Options) (words []string) {
	add := func(flag, value string) { words = append(words, "--"+flag, cli.ShellWord(value)) }
	if o.MaxVisits != chain.DefaultMaxVisits {
		add("max-visits", fmt.Sprint(o.MaxVisits))
	}
	if o.Tolerance.Cmp(chain.DefaultTolerance()) != 0 {
		add("tolerance", o.Tolerance.String())
	}
	for _, id := range slices.Sorted(maps.Keys(o.Agents)) {
		for _, agentType := range o.Agents[id] {
			add("agent-type", id+"="+agentType)
		}
	}
	for _, rule := range chain.Rules() {
		if severity, ok := o.Severities[rule.ID]; ok {
			add("severity", rule.ID+"="+string(severity))
		}
	}
	if o.Strict {
		words = append(words, "--strict")
	}
	return words
}
