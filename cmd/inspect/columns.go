package inspect

import (
	"cmp"
	"fmt"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// verdictWords are short names of the reasons.
var verdictWords = map[finding.Reason]string{
	validate.SignatureInvalid:  "signed",
	validate.SchemaInvalid:     "schema",
	validate.IncompleteContext: "context",
	validate.BudgetExhausted:   "budget",
	validate.SafetyViolation:   "safety",
}

// agents names sender and receiver within the columns, or the format if the message names neither.
func agents(f inspect.Facts, columns int) string {
	from, to := f.From.ID, f.To.Type
	if from+to == "" {
		return term.Left(formats.Named(f.Format).Kind, columns)
	}
	if n := len(f.Receivers); n > 1 {
		to += fmt.Sprintf(" +%d", n-1)
	}
	return term.Left(term.Pair(from, to, columns), columns)
}

// moment formats a time in UTC, as precisely as the column allows.
func (t *table) moment(timestamp string) string {
	at, _, ok := iso8601.Parse(timestamp)
	switch {
	case !ok:
		return "-"
	case t.time < len(momentLayout):
		return at.UTC().Format(clockLayout)
	default:
		return at.UTC().Format(momentLayout)
	}
}

func (t *table) verdictOf(r validate.Result) string {
	if r.Valid {
		return t.Green("✓ valid")
	}
	word := string(r.Reason)
	if t.verdict < wideVerdict {
		word = cmp.Or(verdictWords[r.Reason], "rules")
	}
	return t.Red("✗ " + word)
}

// money formats an amount, rounded only if it does not fit.
func money(number []byte) string {
	if number == nil {
		return "-"
	}
	amount, err := message.Number(number).Decimal()
	if err != nil || len(number) <= moneyColumns {
		return string(number)
	}
	for places := moneyColumns; places > 0; places-- {
		if text := amount.Round(places).String(); len(text) <= moneyColumns {
			return text
		}
	}
	return amount.Round(0).String()
}
