// Package create implements the commands that create messages from other data: new, build, convert and
// stream.
package create

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

func NewNew(g *cli.Globals) *cobra.Command {
	var d build.Draft
	var from, to, budget, output string
	c := &cobra.Command{
		Use:   "new [--from ID@VERSION] [--to TYPE[@RANGE]] [-o FILE]",
		Short: "Write an agent state template for build",
		Long: `New writes a template for the agent state of a first handoff, from which handoff build
creates the message. It does not prompt. Values that no flag sets are placeholders such
as <fill in: a completed subtask>; build reports each remaining placeholder, and creates
no message until all are replaced. Unneeded members can be removed, except for the cost.
The cost is 0, as for a step done by a person; an agent fills in its own spending.

With -o, an existing file is never overwritten.`,
		Example: `  handoff new --from planner@1.0.0 --to scorer -o state.json
  handoff new --from planner@1.0.0 --to scorer --task-description 'Score the clauses' --done 'Read the contract' --budget 5`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			text, err := draftOf(c, d, from, to, budget)
			if err != nil {
				return err
			}
			if output == "" || output == "-" {
				return g.WriteData("", c.OutOrStdout(), text)
			}
			if _, err := os.Lstat(output); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s: already exists: name another file, or remove it first", output)
			}
			if err := g.WriteData(output, c.OutOrStdout(), text); err != nil {
				return err
			}
			fmt.Fprintf(c.ErrOrStderr(), "handoff: %s: replace each <fill in: …>, and then run: handoff build %s\n", output, output)
			return nil
		},
	}
	flags := c.Flags()
	flags.StringVar(&from, "from", "", "sending agent, as `ID@VERSION`")
	flags.StringVar(&to, "to", "", "receiving agent type, as `TYPE[@RANGE]`")
	flags.StringVar(&d.TaskDescription, "task-description", "", "task for the receiver")
	flags.StringArrayVar(&d.Completed, "done", nil, "completed subtask; may be repeated")
	flags.StringArrayVar(&d.Remaining, "left", nil, "remaining subtask; may be repeated")
	flags.StringArrayVar(&d.Constraints, "constraint", nil, "additional constraint, by convention `NAME:VALUE`; may be repeated")
	flags.StringVar(&d.UserSaid, "said", "", "message of the user: the first turn of the conversation")
	flags.StringVar(&budget, "budget", "", "budget of the whole task, in `USD`")
	flags.StringVarP(&output, "output", "o", "", "write the state to `FILE`, which must not exist")
	cli.OnlyForCall(c)
	return c
}

// draftOf returns the text of the state that the flags describe.
func draftOf(c *cobra.Command, d build.Draft, from, to, budget string) ([]byte, error) {
	given := c.Flags().Changed
	var errs []error
	if given("from") {
		sender, err := parseSender(from)
		d.From, errs = sender, append(errs, err)
	}
	if given("to") {
		target, err := parseTarget(to)
		d.To, errs = target, append(errs, err)
	}
	if given("budget") {
		errs = append(errs, checkAmount("budget", budget))
		d.BudgetUSD = message.Number(budget)
	}
	for _, flag := range []struct {
		name  string
		texts []string
	}{
		{"from", []string{from}}, {"to", []string{to}}, {"task-description", []string{d.TaskDescription}}, {"done", d.Completed}, {"left", d.Remaining},
		{"constraint", d.Constraints}, {"said", []string{d.UserSaid}},
	} {
		for _, text := range flag.texts {
			switch {
			case !given(flag.name):
			case !utf8.ValidString(text):
				errs = append(errs, fmt.Errorf("--%s: %q is not valid UTF-8: write it in UTF-8", flag.name, text))
			case text == "" && flag.name != "from" && flag.name != "to":
				errs = append(errs, fmt.Errorf("--%s is empty: write a text, or leave out the flag", flag.name))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	text, err := jsonstream.AppendIndent(nil, build.Skeleton(d))
	return append(text, '\n'), err
}

// checkAmount checks the amount of a flag.
func checkAmount(flag, text string) error {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err == nil && doc.Root().Kind() == jsonstream.Number && jsonstream.SafeNumber([]byte(text)) {
		return nil
	}
	return fmt.Errorf("--%s %q: write a number, such as 5 or 0.40", flag, text)
}
