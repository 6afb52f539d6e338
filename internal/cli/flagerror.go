package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

// FlagError rewords an error of a call's flags without the terms of parsers, and adds the flag that was
// probably meant.
func FlagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
		return argumentError(c, args) // its flags are unknown
	}
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return fmt.Errorf("%s has no flag -%s: found -%s%s", c.CommandPath(), unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames(), longFlag(c, unknown.GetSpecifiedShortnames()))
	case unknown != nil:
		return fmt.Errorf("%s has no flag --%s%s", c.CommandPath(), unknown.GetSpecifiedName(), nearestFlag(c, unknown.GetSpecifiedName()))
	case errors.As(err, &empty):
		return fmt.Errorf("--%s: the value is missing", empty.GetFlag().Name)
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: is not a flag; for an argument that begins with dashes, write -- before it", syntax.GetSpecifiedFlag())
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, ValueError(invalid.Unwrap()))
	}
	return err
}

// nearestFlag returns a suggestion of the flag that name is probably a misspelling of, or "".
func nearestFlag(c *cobra.Command, name string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	best := nearest.Name(name, names)
	begins := func(known string) bool { return strings.HasPrefix(known, name+"-") }
	switch i := slices.IndexFunc(names, begins); {
	case best != "":
	case slices.Contains(formatsOf(c), name):
		return ": did you mean -f " + name + "?"
	case slices.Contains(names, name+"-file"):
		best = name + "-file"
	case i >= 0 && !slices.ContainsFunc(names[i+1:], begins):
		best = names[i]
	default:
		return ""
	}
	return ": did you mean --" + best + "?"
}

// formatsOf returns the formats that the flag --format of a command lists, nil if it has none.
func formatsOf(c *cobra.Command) []string {
	f := c.Flags().Lookup("format")
	if f == nil {
		return nil
	}
	_, list, _ := strings.Cut(f.Usage, ": ")
	return strings.FieldsFunc(list, func(r rune) bool { return r < 'a' || r > 'z' })
}

// otherShort returns the flags of this program for a single letter of other programs, the most likely first.
func otherShort(letter string) []string {
	switch letter {
	case "n":
		return []string{"dry-run", "max", "message-number", "last"}
	case "k":
		return []string{"key-file"}
	}
	return nil
}

// longFlag returns a suggestion of the flag that was given, perhaps misspelled, with a single dash, or "".
func longFlag(c *cobra.Command, given string) string {
	name, _, _ := strings.Cut(given, "=")
	if c.Flags().Lookup(name) != nil {
		return ": did you mean --" + name + "?"
	}
	for _, long := range otherShort(name) {
		if c.Flags().Lookup(long) != nil {
			return ": did you mean --" + long + "?"
		}
	}
	return nearestFlag(c, name)
}

// cobraWords identify cobra's errors about arguments, which have no types.
var cobraWords = []string{"arg(s)", "unknown command", "invalid argument"}

// PlainErrors rewords the errors of a command and all commands below it about arguments and flags.
func PlainErrors(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err != nil && slices.ContainsFunc(cobraWords, func(word string) bool { return strings.Contains(err.Error(), word) }) {
				return argumentError(c, args)
			}
			return err
		}
	}
	for _, sub := range c.Commands() {
		PlainErrors(sub)
	}
}

// exclusive is cobra's annotation of mutually exclusive flags, by group.
const exclusive = "cobra_annotation_mutually_exclusive"

// CheckFlags returns an error for missing required flags, or for flags that exclude each other.
func CheckFlags(c *cobra.Command) error {
	var missing, together []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusive] {
			others := slices.DeleteFunc(strings.Fields(group), func(name string) bool { return !c.Flags().Changed(name) })
			if len(others) > 1 {
				together = others
			}
		}
		if f.Annotations[cobra.BashCompOneRequiredFlag] != nil && !f.Changed {
			name, usage := pflag.UnquoteUsage(f)
			missing = append(missing, strings.TrimSpace("--"+f.Name+" "+strings.ToUpper(name))+" ("+usage+")")
		}
	})
	switch {
	case missing != nil:
		return fmt.Errorf("%s needs %s", c.CommandPath(), strings.Join(missing, " and "))
	case together != nil:
		return fmt.Errorf("--%s: use one of them", strings.Join(together, " and --"))
	default:
		return nil
	}
}

// argumentError returns an error that explains why a command does not accept args.
func argumentError(c *cobra.Command, args []string) error {
	if c.HasSubCommands() && len(args) > 0 {
		err := fmt.Errorf("%s has no command %q", c.CommandPath(), args[0])
		if guess := nearest.Suggestion(args[0], CommandNames(c)); guess != "" {
			return fmt.Errorf("%w%s", err, guess)
		}
		if meant := otherCommands(args[0]); meant != nil && !c.HasParent() {
			return fmt.Errorf("%w: did you mean \"%s\"?", err, strings.Join(meant, `" or "`))
		}
		const most = 3
		if others := below(c, args[0]); others != nil && len(others) <= most {
			return fmt.Errorf("%w: did you mean \"%s\"?", err, strings.Join(others, `" or "`))
		}
		return term.WithHint(err, c.CommandPath()+" --help lists the commands")
	}
	for _, arg := range args {
		if c.ValidArgs != nil && cobra.OnlyValidArgs(c, []string{arg}) != nil {
			return fmt.Errorf("%s: there is no %q%s", c.CommandPath(), arg, report.UseOne(arg, c.ValidArgs))
		}
	}
	return fmt.Errorf("found %s: write it as %s", term.Counted(len(args), "argument"), c.UseLine())
}

// otherCommands returns the commands of this program for a name that other programs use.
func otherCommands(name string) []string {
	switch name {
	case "cat":
		return []string{"inspect", "decompress"}
	case "check", "lint":
		return []string{"validate"}
	case "compare":
		return []string{"diff"}
	case "create", "init":
		return []string{"new", "build"}
	case "format":
		return []string{"canonicalize"}
	case "show", "view":
		return []string{"inspect"}
	}
	return nil
}

// CommandNames returns the names of the commands in a group.
func CommandNames(group *cobra.Command) []string {
	var names []string
	for _, sub := range group.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// below returns the full names of the commands with the given name at any depth below a group's commands.
func below(group *cobra.Command, name string) []string {
	var paths []string
	for _, sub := range group.Commands() {
		for _, found := range sub.Commands() {
			if found.Name() == name {
				paths = append(paths, found.CommandPath())
			}
		}
		paths = append(paths, below(sub, name)...)
	}
	return paths
}

// inFull returns the remedy for a number with a unit, such as 8k; "" for others.
func inFull(text string) string {
	for unit, zeros := range map[string]string{"k": "000", "m": "000000"} {
		if digits, ok := strings.CutSuffix(strings.ToLower(text), unit); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return ": write " + digits + zeros
		}
	}
	return ""
}

// ValueError rewords the error for an invalid flag value without the terms of Go's parsers.
func ValueError(err error) error {
	number, list := (*strconv.NumError)(nil), (*csv.ParseError)(nil)
	text := err.Error()
	switch {
	case errors.As(err, &number) && errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%q is too large", number.Num)
	case number != nil && number.Func == "ParseBool":
		return fmt.Errorf("%q is neither true nor false", number.Num)
	case number != nil && number.Func == "ParseFloat":
		return fmt.Errorf("%q is not a number", number.Num)
	case number != nil:
		return fmt.Errorf("%q is not a whole number%s", number.Num, inFull(number.Num))
	case errors.As(err, &list):
		return errors.New(`a quote in the list is not closed: write it as a,b, and a value with a comma as "a,b" with its quotes`)
	case strings.HasPrefix(text, "time: ") && strings.Contains(text, `"`):
		return fmt.Errorf("%s is not a duration: write it like 30s or 5m", text[strings.IndexByte(text, '"'):])
	}
	return err
}
