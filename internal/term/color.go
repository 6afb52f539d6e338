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

// UseColor reports whether to colour the output to w. For "auto", the environment decides and, if it does
// not, whether w is a terminal.
func UseColor(mode string, w io.Writer) bool {
	if mode != "auto" {
		return mode == "always"
	}
	if wanted, says := environmentColor(); says {
		return wanted
	}
	return IsTerminal(w) && os.Getenv("TERM") != "dumb"
}

// environmentColor returns whether the environment enables colours, and whether it has a setting: NO_COLOR
// before CLICOLOR_FORCE, FORCE_COLOR and CLICOLOR (no-color.org, bixense.com/clicolors; FORCE_COLOR as
// programs for Node.js interpret it). An empty variable is no setting.
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

// A Palette colours text for a terminal, or returns it unchanged.
type Palette struct {
	On                                          bool // otherwise marks must replace colours
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

// Severity returns the function that colours a severity.
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
