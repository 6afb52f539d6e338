package term

import (
	"fmt"
	"io"
	"os"

	"github.com/fatih/color"

	"github.com/eaapl/handoff/pkg/finding"
)

func CheckColor(mode string) error {
	switch mode {
	case "auto", "always", "never":
		return nil
	default:
		return fmt.Errorf("--color %q: use auto, always or never", mode)
	}
}

// UseColor decides whether what goes to w is coloured. For "auto", the environment says so, and
// where it does not, whether w is a terminal.
func UseColor(mode string, w io.Writer) bool {
	if mode != "auto" {
		return mode == "always"
	}
	if wanted, says := environmentColor(); says {
		return wanted
	}
	return IsTerminal(w) && os.Getenv("TERM") != "dumb"
}

// environmentColor returns what the environment says of colours, and whether it says something:
// NO_COLOR before CLICOLOR_FORCE, FORCE_COLOR and CLICOLOR (no-color.org, bixense.com/clicolors,
// and for FORCE_COLOR what programs for Node.js do). A variable that is empty says nothing.
func environmentColor() (wanted, says bool) {
	force := os.Getenv("FORCE_COLOR")
	switch {
	case os.Getenv("NO_COLOR") != "":
		return false, true
	case os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0":
		return true, true
	case force != "":
		return force != "0" && force != "false", true
	default:
		return false, os.Getenv("CLICOLOR") == "0"
	}
}

// A Palette colours text for a terminal, or leaves it as it is.
type Palette struct {
	On                                          bool // otherwise marks must say what colours would
	Bold, Dim, Red, Struck, Yellow, Green, Cyan func(...any) string
}

func NewPalette(on bool) Palette {
	style := func(a ...color.Attribute) func(...any) string {
		c := color.New(a...)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c.Sprint
	}
	return Palette{
		On:     on,
		Bold:   style(color.Bold),
		Dim:    style(color.Faint),
		Red:    style(color.FgRed),
		Struck: style(color.FgRed, color.CrossedOut),
		Yellow: style(color.FgYellow),
		Green:  style(color.FgGreen),
		Cyan:   style(color.FgCyan),
	}
}

// Severity returns what colours a severity.
func (p Palette) Severity(s finding.Severity) func(...any) string {
	switch s {
	case finding.Error:
		return p.Red
	case finding.Warning:
		return p.Yellow
	default:
		return p.Cyan
	}
}
