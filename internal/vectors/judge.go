package vectors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	suite "github.com/eaapl/handoff/vectors"
)

// problem describes the fault of an answer to a case; it is "" if the answer is right.
func problem(c suite.Case, a Answer) string {
	want := c.Expected
	switch {
	case want.Verdict != suite.Acceptable && a.Verdict != want.Verdict:
		return fmt.Sprintf("expected %s%s, got %s%s", want.Verdict, listed(want.Steps), a.Verdict, listed(a.steps()))
	case a.Verdict != suite.Valid && a.Step != "" && len(want.Steps) > 0 && !slices.Contains(want.Steps, a.Step):
		return fmt.Sprintf("refused by the wrong step: expected%s, got%s", listed(want.Steps), listed(a.steps()))
	case want.Output != "" && a.Output != want.Output:
		return fmt.Sprintf("expected the output %s, got %s", quoted(want.Output), quoted(a.Output))
	case a.Verdict != suite.Valid:
		return ""
	case c.Operation == suite.RepairHistory:
		return repairProblem(c, a.Output)
	case c.Operation == suite.ConvertHistory:
		return conversionProblem(c, a.Output)
	case c.Operation == suite.ReadSession:
		return sessionProblem(c, a.Output)
	}
	return ""
}

func (a Answer) steps() []string {
	if a.Step == "" {
		return nil
	}
	return []string{a.Step}
}

// listed returns " (a or b)" for steps.
func listed(steps []string) string {
	if len(steps) == 0 {
		return ""
	}
	return " (" + strings.Join(steps, " or ") + ")"
}

// quoted returns a text in quotes, without its end if it is long.
func quoted(text string) string {
	const longest = 200
	if len(text) > longest {
		return fmt.Sprintf("%q…", text[:longest])
	}
	return fmt.Sprintf("%q", text)
}

// repairProblem describes the fault of a repaired history; it is "" if there is none.
func repairProblem(c suite.Case, output string) string {
	if p := rejection(c.Input, output); p != "" {
		return p
	}
	doc, err := parse(formatOf(c.Input), output)
	if err != nil {
		return err.Error()
	}
	return lost(doc, c.Expected.Keep)
}

// rejection describes the error of a history by handoff's own rules for the provider of an input; it is "" if there
// is none.
func rejection(in suite.Input, output string) string {
	found, err := faults(in, output)
	if err != nil {
		return fmt.Sprintf("the output is not a history: %v", err)
	}
	if i := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Severity == finding.Error }); i >= 0 {
		return fmt.Sprintf("the API would still reject the output: %s (%s)", found[i].PlacedMessage(), found[i].Rule)
	}
	return ""
}

// lost describes the first text that a document has lost; it is "" if there is none.
func lost(doc *jsonstream.Document, texts []string) string {
	for _, text := range texts {
		if !holds(doc.Root(), text) {
			return fmt.Sprintf("the output has lost the text %s", quoted(text))
		}
	}
	return ""
}

// holds reports whether a string in v, or v itself, contains a text.
func holds(v jsonstream.Value, text string) bool {
	for one := range v.All() {
		if one.Kind() == jsonstream.String && strings.Contains(one.Text(), text) {
			return true
		}
	}
	return false
}
