package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// verification is one run of verify.
type verification struct {
	*verifyFlags
	verifier  *sign.Verifier
	originals map[string]*message.Message
	accepted  *seenFile // nil without --seen
	untold    untold
	now       time.Time
	findings  *report.Limiter
	stderr    io.Writer
	progress  *term.Progress

	messages int
	invalid  map[sign.Reason]int
	unread   int
}

// A checked is a record, and the message that it is of.
type checked struct {
	report.Record
	message *message.Message
}

// all verifies every document of the sources, and reports the outcome.
func (v *verification) all(out *output.File, list []input.Source) error {
	v.invalid = map[sign.Reason]int{}
	err := input.Process(list, v.Limits, v.progress, v.work, func(results []checked) error {
		if err := v.remember(results); err != nil {
			return err
		}
		for i := range results {
			if err := v.consume(&results[i].Record); err != nil {
				return err
			}
		}
		return nil
	}, func() error {
		return v.flush(out)
	})
	// What was recorded before an error is still reported.
	err = cmp.Or(err, v.findings.Flush(), v.flush(out))
	if err == nil && !v.quiet {
		fmt.Fprintln(v.stderr, v.summary())
	}
	return err
}

// flush writes verdicts out.
func (v *verification) flush(out *output.File) error {
	err := out.Flush()
	if err == nil && out.Stdout {
		v.untold.clear()
	}
	return err
}

func (v *verification) work(batch []input.Document) []checked {
	results := make([]checked, len(batch))
	parser := new(message.Parser)
	for i, d := range batch {
		results[i] = v.check(parser, d)
		if v.accepted == nil {
			results[i].message = nil // it need not wait for its turn
		} else {
			parser = new(message.Parser)
		}
	}
	return results
}

// remember records the messages that are about to be accepted, and rejects those
// that were before. It comes before their verdicts are written: a message whose verdict was
// reported must never be accepted again.
func (v *verification) remember(results []checked) error {
	if v.accepted == nil {
		return nil
	}
	var ids []string
	for _, r := range results {
		if r.Valid {
			ids = append(ids, r.ID)
		}
	}
	var recorded []string
	v.untold.begin(ids)
	defer func() { v.untold.end(recorded) }()
	fresh, err := v.accepted.accept(ids)
	if err != nil {
		return err
	}
	for i := range results {
		if r := &results[i]; r.Valid {
			if !fresh[0] {
				reject(&r.Record, sign.SeenBefore(r.message))
			} else if !v.quiet || v.output != "" {
				recorded = append(recorded, r.ID)
			}
			fresh = fresh[1:]
		}
	}
	return nil
}

func (v *verification) consume(r *report.Record) error {
	if r.Err != nil {
		v.unread++
		v.progress.Fail(r.Err)
		return nil
	}
	v.messages++
	v.progress.Message()
	if !r.Valid {
		v.invalid[sign.Reason(r.Reason)]++
	}
	if v.quiet && v.output == "" {
		return nil
	}
	return v.findings.Report(r)
}

// answer is what the run comes to, once everything is written.
func (v *verification) answer() error {
	return cli.Answer(v.unread, len(v.invalid) > 0)
}

// summary says how the run went, in one line.
func (v *verification) summary() string {
	text := validity(v.messages, slices.Concat(sign.Reasons(), sign.ReplayReasons()), v.invalid)
	if v.unread > 0 {
		text += fmt.Sprintf("; %s could not be read", counted(v.unread, "document"))
	}
	return text + v.findings.Summary()
}
