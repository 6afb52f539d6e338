package check

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/safety"
)

// A calibration is the result of one threshold on labelled traffic.
type calibration struct {
	Threshold  float64 `json:"threshold"`
	Attacks    int     `json:"attacks"`    // rows with an attack
	Found      int     `json:"found"`      // flagged rows with an attack
	Clean      int     `json:"clean"`      // rows without an attack
	FalseAlarm int     `json:"falseAlarm"` // flagged rows without an attack
}

// A labelledRow is a line of labelled traffic with its highest score.
type labelledRow struct {
	attack bool
	score  float64
}

// calibrate reads labelled rows, {"label": "injection" or "clean", "text": …, "field": …} or {"label": …,
// "message": …}, and writes the results of each threshold. It stops at the first row that cannot be read.
func calibrate(ctx context.Context, w io.Writer, p *term.Progress, f *scanFlags, scanner *cli.Scanner, sources []input.Source) error {
	type outcome struct {
		rows []labelledRow
		err  error
	}
	var rows []labelledRow
	err := input.Process(sources, f.Limits, p, func(batch []input.Document) (o outcome) {
		for _, d := range batch {
			row, err := f.labelled(ctx, scanner, d)
			if err != nil {
				o.err = err
				break
			}
			o.rows = append(o.rows, row)
		}
		return o
	}, func(o outcome) error {
		rows = append(rows, o.rows...)
		return o.err
	}, func() error { return nil })
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return errors.New("--calibrate: the input has no labelled rows")
	}
	if f.reports.Format == "text" {
		fmt.Fprintln(w, "threshold   attacks detected           false alarms")
	}
	for n := 1; n < 20; n++ {
		c := calibration{Threshold: float64(n) / 20}
		for _, r := range rows {
			flagged := r.score >= c.Threshold
			switch {
			case r.attack:
				c.Attacks++
				c.Found += count(flagged)
			default:
				c.Clean++
				c.FalseAlarm += count(flagged)
			}
		}
		if err := c.write(w, f.reports.Format); err != nil {
			return err
		}
	}
	return nil
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (c calibration) write(w io.Writer, format string) error {
	if format == "json" {
		return report.WriteJSON(w, c)
	}
	_, err := fmt.Fprintf(w, "%9.2f   %s   %s\n", c.Threshold, share(c.Found, c.Attacks, 16), share(c.FalseAlarm, c.Clean, 21))
	return err
}

// share formats a part of a total as a number and a percentage.
func share(part, all, width int) string {
	text := "none labelled"
	if all > 0 {
		text = fmt.Sprintf("%d of %d %6.2f%%", part, all, 100*float64(part)/float64(all))
	}
	return fmt.Sprintf("%*s", width, text)
}

// labelled scans a row of labelled traffic.
func (f *scanFlags) labelled(ctx context.Context, scanner *cli.Scanner, d input.Document) (labelledRow, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return labelledRow{}, err
	}
	row := doc.Root()
	var found labelledRow
	switch label := row.Get("label").Text(); label {
	case "injection", "attack":
		found.attack = true
	case "clean":
	default:
		return found, term.WithHint(fmt.Errorf("%s: unknown label %q", d.Origin(), label), `a row is {"label": "injection" or "clean", "text": "…"} or has a "message" in place of the text`)
	}
	var verdict safety.Report
	if message := row.Get("message"); message.Exists() {
		inside, err := jsonstream.Parse(jsonstream.NewRaw(message.Raw()), f.Limits)
		if err != nil {
			return found, err
		}
		form, err := history.FormatOf(inside.Root(), f.From)
		if err != nil && f.From != "" {
			return found, fmt.Errorf("%s: %w", d.Origin(), err)
		}
		verdict, err = safety.ScanMessage(ctx, scanner.Scanner, inside.Root(), form, scanner.Allow)
		found.score = verdict.Score
		return found, err
	}
	text := row.Get("text")
	if text.Kind() != jsonstream.String {
		return found, fmt.Errorf("%s: the row has neither a text nor a message", d.Origin())
	}
	field := safety.Data
	if name := row.Get("field").Text(); name != "" {
		field = safety.Field(name)
	}
	v, err := scanner.Scan(ctx, field, text.Text())
	found.score = v.Score
	return found, err
}
