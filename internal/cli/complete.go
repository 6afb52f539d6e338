package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// Complete sets the fixed completions of a flag's value.
func Complete(c *cobra.Command, flag string, values ...string) {
	CompleteWith(c, flag, func([]string) []string { return values })
}

// Names converts words to strings.
func Names[S ~string](words []S) []string {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	return names
}

// CompleteWith sets a function that returns the completions of a flag's value from the arguments so far.
func CompleteWith(c *cobra.Command, flag string, values func(args []string) []string) {
	CompleteFlag(c, flag, func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return values(args), cobra.ShellCompDirectiveNoFileComp
	})
}

// CompleteRules completes a flag's value with rules and their summaries.
func CompleteRules(c *cobra.Command, flag string, rules func() []finding.Rule) {
	CompleteWith(c, flag, func([]string) []string { return RuleCompletions(rules()) })
}

// RuleCompletions returns rules and their summaries as completions.
func RuleCompletions(rules []finding.Rule) []cobra.Completion {
	list := make([]cobra.Completion, len(rules))
	for i, r := range rules {
		list[i] = cobra.CompletionWithDesc(r.ID, r.Summary)
	}
	return list
}

// CompleteFlag sets the completion function of a flag.
func CompleteFlag(c *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag is not defined
	}
}

// addressees returns the agent types that the messages in files are addressed to. It reads only the first
// messages, since completion must be fast.
func addressees(files []string) []string {
	const maxMessages = 100
	var types []string
	for _, file := range files {
		seen := 0
		s := input.Source{Name: file, Path: file}
		s.Documents(jsonstream.Limits{}, func(int) {}, func(d input.Document, _ bool) bool {
			m, err := message.ParseInPlace(d.Raw, message.Options{})
			if d.Err != nil || err != nil {
				return false
			}
			targets := []jsonstream.Value{m.Root().Get("toAgent")}
			for _, target := range m.Root().Get("receiverList").Elements() {
				targets = append(targets, target)
			}
			for _, target := range targets {
				if agentType := message.ReceiverType(target).Text(); agentType != "" && !slices.Contains(types, agentType) {
					types = append(types, agentType)
				}
			}
			seen++
			return seen < maxMessages
		})
	}
	return types
}
