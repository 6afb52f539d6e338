package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/term"
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

// formerSetting and formerSettingOfCommand are the annotations of a flag that have the former
// name of its setting: for every command, or only below the name of the flag's own.
const formerSetting, formerSettingOfCommand = "former setting", "former setting of the command"

// Formerly makes a command take a flag's former spelling too, which no help shows. A run in
// which it is given says so in a note: that the spelling means something else elsewhere, as in
// "names an agent; for a format", or nothing if means is "". The flag's setting has the former
// name too; one that means something else has it only below the name of the command.
func Formerly(c *cobra.Command, name, former, means string) {
	flag := c.Flags().Lookup(name)
	c.Flags().AddFlag(&pflag.Flag{
		Name: former, Usage: flag.Usage, Value: &formerFlag{Value: flag.Value, flag: flag, means: means},
		DefValue: flag.DefValue, NoOptDefVal: flag.NoOptDefVal, Hidden: true,
	})
	OnlyForCall(c, former)
	kind := formerSetting
	if means != "" {
		kind = formerSettingOfCommand
	}
	annotate(flag, kind, former)
}

// A SettingName is what the setting of a flag is called.
type SettingName struct {
	Name      string
	OfCommand bool // only below the name of the command
}

// SettingNames returns the names of a flag's setting, the former one last.
func SettingNames(f *pflag.Flag) []SettingName {
	names := []SettingName{{Name: f.Name}}
	for _, former := range f.Annotations[formerSetting] {
		names = append(names, SettingName{Name: former})
	}
	for _, former := range f.Annotations[formerSettingOfCommand] {
		names = append(names, SettingName{Name: former, OfCommand: true})
	}
	return names
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
