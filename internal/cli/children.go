package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/term"
)

// ChildFlags configure the environment of a command that the run starts.
type ChildFlags struct{ pass []string }

func (f *ChildFlags) Register(c *cobra.Command) {
	// An array accepts any text, so that no error of the flag quotes a value.
	c.Flags().StringArrayVar(&f.pass, "pass-env", nil, "`NAME` of an environment variable to pass to the command in addition to PATH, HOME and the like; may be repeated")
}

// Options returns the options for starting a command. name is its name in diagnostics.
func (f *ChildFlags) Options(c *cobra.Command, name, command string) (child.Options, error) {
	var pass []string
	for _, variable := range strings.Split(strings.Join(f.pass, ","), ",") {
		variable, _, valued := strings.Cut(strings.TrimSpace(variable), "=")
		switch {
		case valued:
			return child.Options{}, fmt.Errorf("--pass-env %s: has a value: set the variable in the environment, and give only its name", term.Visible(variable))
		case variable == "" && len(f.pass) > 0:
			return child.Options{}, errors.New("--pass-env: a name is empty: give the names of environment variables, as in API_TOKEN,API_URL")
		}
		pass = append(pass, variable)
	}
	stderr := c.ErrOrStderr()
	return child.Options{
		Command: command,
		Env:     child.Environment(os.Environ(), pass),
		Stderr:  func(line string) { fmt.Fprintf(stderr, "handoff: %s: %s\n", name, term.Visible(line)) },
	}, nil
}
