package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// validation is one run of validate.
type validation struct {
	validator *validate.Validator
	limits    jsonstream.Limits
	expect    string
	out       *report.Set[report.Printer]
	findings  *report.Limiter
	stderr    io.Writer
	progress  *term.Progress

	documents  int
	invalid    map[finding.Reason]int
	unexpected int
	unread     int
}

// all checks every document of the sources, and reports the outcome.
func (v *validation) all(c *cobra.Command, list []input.Source, quiet bool) error {
	v.invalid = map[finding.Reason]int{}
	work := func(batch []input.Document) records { return v.work(c, batch) }
	err := input.Process(list, v.limits, v.progress, work, func(list records) error {
		for i := range list {
			if err := v.consume(&list[i]); err != nil {
				return err
			}
		}
		return nil
	}, v.out.Flush)
	err = cmp.Or(err, v.findings.Flush(), v.out.Flush())
	if err == nil && !quiet {
		fmt.Fprintln(v.stderr, v.summary())
	}
	return err
}

// answer is what the run comes to, once everything is written.
func (v *validation) answer() error {
	return cli.Answer(v.unread, v.unexpected > 0 || v.expect == "" && len(v.invalid) > 0)
}

// records are those of a batch.
type records []report.Record

// Weight counts a quarter of a kilobyte for a report, and half a one for a finding.
func (list records) Weight() int {
	n := 256 * len(list)
	for _, r := range list {
		n += 512 * len(r.Findings)
	}
	return n
}

func (v *validation) work(c *cobra.Command, batch []input.Document) records {
	list := make(records, 0, len(batch))
	for i, d := range batch {
		if i > 0 && v.repeats(batch[i-1], d, list[i-1]) {
			r := list[i-1]
			r.Index, r.Origin = d.Index, d.Origin()
			list = append(list, r)
			continue
		}
		if d.Unreadable() {
			list = append(list, report.Record{Source: d.Source.Name, Err: d.Err})
			continue
		}
		list = append(list, v.check(c, d))
	}
	return list
}

// repeats reports whether a document is the one before again, which the schema rejects, when
// findings are only counted: that a flood is rejected need not take long.
func (v *validation) repeats(before, d input.Document, r report.Record) bool {
	return v.findings.Exhausted.Load() && r.Err == nil && r.Reason == validate.SchemaInvalid &&
		d.Err == nil && before.Err == nil && bytes.Equal(before.Raw.Bytes, d.Raw.Bytes)
}

func (v *validation) consume(r *report.Record) error {
	if cli.ClassifierFailed(r.Err) {
		return r.Err
	}
	if r.Err != nil {
		v.unread++
		if !v.progress.Fail(fmt.Errorf("%s: %w", term.Visible(r.Source), r.Err)) {
			return nil
		}
		return cmp.Or(v.findings.Flush(), v.out.Unreadable(r.Source, r.Err))
	}
	v.documents++
	v.progress.Message()
	if !r.Valid {
		v.invalid[r.Reason]++
	}
	if r.Unexpected {
		v.unexpected++
	}
	return v.findings.Report(r)
}

// summary says how the run went, in one line.
func (v *validation) summary() string {
	var b strings.Builder
	b.WriteString(validity(v.documents, validate.Reasons(), v.invalid))
	if v.expect != "" {
		fmt.Fprintf(&b, "; %d not as expected", v.unexpected)
	}
	if v.unread > 0 {
		fmt.Fprintf(&b, "; %s could not be read", counted(v.unread, "source"))
	}
	b.WriteString(v.findings.Summary())
	return b.String()
}

// validity says how many of some messages are valid, and why the others are not:
// rejected counts those by their reasons, which are named in this order.
func validity[R ~string](messages int, reasons []R, rejected map[R]int) string {
	invalid := 0
	var counts []string
	for _, reason := range reasons {
		if n := rejected[reason]; n > 0 {
			invalid += n
			counts = append(counts, fmt.Sprintf("%d %s", n, reason))
		}
	}
	text := fmt.Sprintf("%s: %d valid, %d invalid", counted(messages, "message"), messages-invalid, invalid)
	if len(counts) > 0 {
		text += " (" + strings.Join(counts, ", ") + ")"
	}
	return text
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// expectations are the values of --expect.
func expectations() []string {
	list := []string{"auto", "valid", "invalid"}
	for _, reason := range validate.Reasons() {
		list = append(list, "invalid:"+string(reason))
	}
	return list
}

func checkExpectation(expect string) error {
	if expect == "" || slices.Contains(expectations(), expect) {
		return nil
	}
	return fmt.Errorf("--expect %q: use one of %s", expect, strings.Join(expectations(), ", "))
}

// expectationFor resolves auto by the folders above a file: the nearest of
// valid and invalid counts, and below invalid the name of a reason. A file that
// lies in neither is to be valid.
func expectationFor(expect, path string) string {
	if expect != "auto" {
		return expect
	}
	folders := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' })
	if len(folders) > 0 {
		folders = folders[:len(folders)-1]
	}
	for i, folder := range slices.Backward(folders) {
		switch folder {
		case "valid":
			return "valid"
		case "invalid":
			if i+1 < len(folders) && slices.Contains(validate.Reasons(), finding.Reason(folders[i+1])) {
				return "invalid:" + folders[i+1]
			}
			return "invalid"
		}
	}
	return "valid"
}

// expect compares the outcome with the one that is wanted.
func expectOf(r *report.Record, expected string) {
	verdict, reason, _ := strings.Cut(expected, ":")
	r.Expected = expected
	r.Unexpected = r.Valid != (verdict == "valid") || string(r.Reason) != cmp.Or(reason, string(r.Reason))
}
