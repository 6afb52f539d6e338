package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

// RuleID returns the ID of the rule in a flag's value; noun is a noun for the rules.
func RuleID(flag, name, noun string, rules func() []finding.Rule) (string, error) {
	r, err := namedRule(flag, name, noun, rules())
	return r.ID, err
}

func namedRule(flag, name, noun string, rules []finding.Rule) (finding.Rule, error) {
	r, err := finding.Find(rules, name)
	if unknown := (*finding.NameError)(nil); errors.As(err, &unknown) && unknown.Candidates == nil {
		known := ": they are " + strings.Join(finding.IDs(rules), ", ")
		if unknown.Nearest != "" {
			known = fmt.Sprintf(": did you mean %q?", unknown.Nearest)
		}
		err = fmt.Errorf("--%s %s: no %s has this name%s", flag, cmp.Or(name, `""`), noun, known)
	} else if err != nil {
		err = fmt.Errorf("--%s: %w", flag, err)
	}
	return r, err
}

// ExplainOne writes the explanation of one rule, for a flag --explain.
func ExplainOne(g *Globals, w io.Writer, name, noun string, rules func() []finding.Rule) error {
	r, err := namedRule("explain", name, noun, rules())
	if err != nil {
		return err
	}
	return WriteRules(w, term.ScreenWidth(w), term.NewPalette(term.UseColor(g.Color, w)), "text", []finding.Rule{r}, false)
}
