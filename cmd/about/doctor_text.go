package about

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/checkup"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/settings"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/schemas"
)

// systemFacts describe the machine.
type systemFacts struct {
	CPUs     int           `json:"cpus"`
	Zone     string        `json:"timeZone"` // its offset from UTC
	Locale   string        `json:"locale"`   // "" if the environment names none
	UTF8     bool          `json:"utf8"`     // according to the locale
	Terminal terminalFacts `json:"terminal"`
}

// terminalFacts record which streams are terminals, and the layout of text.
type terminalFacts struct {
	Stdin   bool   `json:"stdin"`
	Stdout  bool   `json:"stdout"`
	Stderr  bool   `json:"stderr"`
	Term    string `json:"term"`
	Columns int    `json:"columns"`
	Color   bool   `json:"color"`
}

func readSystem(g *cli.Globals, c *cobra.Command) systemFacts {
	f := systemFacts{CPUs: runtime.NumCPU(), Zone: time.Now().Format("-07:00")}
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // the first one that is not empty counts
		if f.Locale = os.Getenv(variable); f.Locale != "" {
			break
		}
	}
	f.UTF8 = strings.Contains(strings.ToUpper(strings.ReplaceAll(f.Locale, "-", "")), "UTF8")
	out := c.OutOrStdout()
	f.Terminal = terminalFacts{
		term.IsTerminal(c.InOrStdin()), term.IsTerminal(out), term.IsTerminal(c.ErrOrStderr()),
		os.Getenv("TERM"), term.WidthOf(out), term.UseColor(g.Color, out),
	}
	return f
}

// describe fills in the facts that need no check.
func (d *diagnosis) describe(list []settings.Setting, unused []error) {
	d.Schemas, d.Settings, d.Unused = schemas.Names(), []settings.Setting{}, []string{}
	for _, s := range list {
		if s.Origin != "default" {
			s.Value, s.Origin = checkup.HideHome(s.Value), checkup.HideHome(s.Origin)
			d.Settings = append(d.Settings, s)
		}
	}
	for _, err := range unused {
		d.Unused = append(d.Unused, checkup.HideHome(cli.ShownSetting(err.Error())))
	}
}

// WriteText implements [cli.Shown].
func (d *diagnosis) WriteText(w io.Writer, columns int, colors term.Palette) error {
	var b strings.Builder
	if err := program.WriteVersion(&b, d.Version); err != nil {
		return err
	}
	line := func(label, text string) {
		b.WriteString(term.Fold(term.Left(label, 10)+term.Visible(text), 0, columns) + "\n")
	}
	s := d.System
	line("system", fmt.Sprintf("%s, time zone %s", term.Plural(s.CPUs, "CPU"), s.Zone))
	line("locale", orNone(s.Locale)+map[bool]string{true: " (UTF-8)", false: " (not UTF-8)"}[s.UTF8])
	line("terminal", fmt.Sprintf("%s; TERM %s; %d columns; colour %s", s.Terminal.streams(), orNone(s.Terminal.Term), s.Terminal.Columns, map[bool]string{true: "on", false: "off"}[s.Terminal.Color]))
	line("schemas", fmt.Sprintf("%d built in; messages %s", len(d.Schemas), strings.TrimSuffix(schemas.Message, ".schema.json")))
	b.WriteString("\n")
	for _, r := range d.Checks {
		writeResult(&b, r, columns, colors)
	}
	if len(d.Settings)+len(d.Unused) > 0 {
		b.WriteString("\nsettings other than the defaults:\n")
	}
	for _, line := range d.settingLines() {
		b.WriteString(term.Fold(line, 2, columns) + "\n")
	}
	for _, problem := range d.Unused {
		b.WriteString(term.Fold("not used: "+term.Visible(problem), 2, columns) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// settingLines returns the settings as lines. Commands with the same setting from the same origin share a
// line.
func (d *diagnosis) settingLines() []string {
	type same struct{ name, value, origin string }
	commands := map[same]int{}
	for _, s := range d.Settings {
		commands[same{s.Flag.Name, s.Value, s.Origin}]++
	}
	var lines []string
	for _, s := range d.Settings {
		key, of := s.Key, same{s.Flag.Name, s.Value, s.Origin}
		n := commands[of]
		if n > 1 {
			key = s.Flag.Name
		}
		if commands[of] = 0; n == 0 { // it has a line already
			continue
		}
		line := fmt.Sprintf("%s: %q # %s", key, s.Value, term.Visible(s.Origin))
		if n > 1 {
			line += fmt.Sprintf(", for %d commands", n)
		}
		lines = append(lines, line)
	}
	return lines
}

func orNone(text string) string {
	if text == "" {
		return "not set"
	}
	return text
}

// streams names the streams that are terminals.
func (f terminalFacts) streams() string {
	var names []string
	for i, is := range []bool{f.Stdin, f.Stdout, f.Stderr} {
		if is {
			names = append(names, []string{"stdin", "stdout", "stderr"}[i])
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// writeResult writes the result of a check.
func writeResult(b *strings.Builder, r checkup.Result, columns int, colors term.Palette) {
	const indent = 6
	mark := string(r.Status)
	paint := colors.Green
	switch r.Status {
	case checkup.Fail:
		mark, paint = "FAIL", colors.Red
	case checkup.Warn:
		paint = colors.Yellow
	case checkup.None:
		paint = colors.Dim
	}
	place := r.Kind + " " + term.Visible(r.Place)
	if r.Origin != "" && r.Origin != "default" {
		place += " (" + term.Visible(r.Origin) + ")"
	}
	head, rest, more := strings.Cut(term.Fold(place, indent, columns), "\n")
	b.WriteString(paint(mark) + strings.TrimPrefix(head, term.Spaces(len(mark))) + "\n")
	if more {
		b.WriteString(rest + "\n")
	}
	for _, text := range details(r) {
		b.WriteString(term.Fold(term.Visible(text), indent+2, columns) + "\n")
	}
}

// details returns the facts, notes and problem of a result, one per line.
func details(r checkup.Result) []string {
	var facts []string
	if r.Server != "" {
		facts = append(facts, r.Server)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Tables)) {
		facts = append(facts, fmt.Sprintf("%s tables %d", name, r.Tables[name]))
	}
	if r.Clock != nil {
		facts = append(facts, fmt.Sprintf("clock %+.1f s", math.Round(10*r.Clock.Ahead)/10+0)) // +0 turns -0.0 into 0.0
	}
	if r.Free > 0 {
		facts = append(facts, fmt.Sprintf("%.1f GB free", float64(r.Free)/1e9))
	}
	if r.Status == checkup.None {
		facts = append(facts, checkup.ErrAbsent.Error())
	}
	var lines []string
	if len(facts) > 0 {
		lines = append(lines, strings.Join(facts, ", "))
	}
	lines = append(lines, r.Notes...)
	if r.Problem != "" {
		lines = append(lines, r.Problem)
	}
	return lines
}
