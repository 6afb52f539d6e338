package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/cmd/internal/term"
)

// A formerFlag is the value of a flag's former spelling: it sets the flag.
type formerFlag struct {
	pflag.Value
	flag  *pflag.Flag
	means string // what the spelling means elsewhere
	given string // the last value
}

// Set implements [pflag.Value].
func (v *formerFlag) Set(text string) error {
	if err := v.Value.Set(text); err != nil {
		return err
	}
	v.flag.Changed, v.given = true, text
	return nil
}

// Formerly makes a command take a flag's former spelling too, which no help shows. A run in
// which it is given says so in a note: that the spelling means something else elsewhere, as in
// "names an agent; for a format", or nothing if means is "".
func Formerly(c *cobra.Command, name, former, means string) {
	flag := c.Flags().Lookup(name)
	c.Flags().AddFlag(&pflag.Flag{
		Name: former, Usage: flag.Usage, Value: &formerFlag{Value: flag.Value, flag: flag, means: means},
		DefValue: flag.DefValue, NoOptDefVal: flag.NoOptDefVal, Hidden: true,
	})
}

// NoteFormer says on stderr, in one note, how the flags are spelled now whose former spellings
// were given. A quiet run is quiet.
func NoteFormer(c *cobra.Command, stderr io.Writer) {
	var notes []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*formerFlag); ok && f.Changed {
			notes = append(notes, v.note(f))
		}
	})
	if quiet := c.Flags().Lookup("quiet"); len(notes) > 0 && (quiet == nil || quiet.Value.String() != "true") {
		term.Note(stderr, strings.Join(notes, "; "))
	}
}

func (v *formerFlag) note(former *pflag.Flag) string {
	spelling := "--" + v.flag.Name
	if former.NoOptDefVal == "" {
		spelling += " " + v.given
	}
	if v.means == "" {
		return "--" + former.Name + " is written " + spelling + " now"
	}
	return "--" + former.Name + " " + v.means + " write " + spelling
}
