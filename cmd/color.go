package cmd

import (
	"fmt"
	"io"
	"os"

	"github.com/fatih/color"

	"github.com/eaapl/handoff/pkg/validate"
)

func checkColor(mode string) error {
	switch mode {
	case "auto", "always", "never":
		return nil
	default:
		return fmt.Errorf("--color %q: use auto, always or never", mode)
	}
}

// useColor decides whether what goes to w is coloured. NO_COLOR and
// CLICOLOR_FORCE, when they are not empty, speak for "auto" (no-color.org,
// bixense.com/clicolors).
func useColor(mode string, w io.Writer) bool {
	switch {
	case mode != "auto":
		return mode == "always"
	case os.Getenv("NO_COLOR") != "":
		return false
	case os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0":
		return true
	default:
		return isTerminal(w) && os.Getenv("TERM") != "dumb"
	}
}

// A palette colours text for a terminal, or leaves it as it is.
type palette struct {
	on                                          bool // otherwise marks must say what colours would
	bold, dim, red, struck, yellow, green, cyan func(...any) string
}

func newPalette(on bool) palette {
	style := func(a ...color.Attribute) func(...any) string {
		c := color.New(a...)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c.Sprint
	}
	return palette{
		on:     on,
		bold:   style(color.Bold),
		dim:    style(color.Faint),
		red:    style(color.FgRed),
		struck: style(color.FgRed, color.CrossedOut),
		yellow: style(color.FgYellow),
		green:  style(color.FgGreen),
		cyan:   style(color.FgCyan),
	}
}

// severity returns what colours a severity.
func (p palette) severity(s validate.Severity) func(...any) string {
	switch s {
	case validate.Error:
		return p.red
	case validate.Warning:
		return p.yellow
	default:
		return p.cyan
	}
}
