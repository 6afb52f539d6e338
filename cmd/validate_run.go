package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// validation is one run of validate.
type validation struct {
	validator *validate.Validator
	limits    jsonstream.Limits
	expect    string
	out       *reports[reporter]
	findings  *limiter[*report]
	stderr    io.Writer
	progress  *progress

	documents  int
	invalid    map[validate.Reason]int
	unexpected int
	unread     int
}

// all checks every document of the sources, and tells the outcome.
func (v *validation) all(c *cobra.Command, list []source, quiet bool) error {
	v.invalid = map[validate.Reason]int{}
	work := func(batch []document) results { return v.work(c, batch) }
	err := process(list, v.limits, v.progress, work, func(list results) error {
		for _, r := range list {
			if err := v.consume(r); err != nil {
				return err
			}
		}
		return nil
	}, v.out.flush)
	err = cmp.Or(err, v.findings.flush(), v.out.flush())
	if err == nil && !quiet {
		fmt.Fprintln(v.stderr, v.summary())
	}
	return err
}

// answer is what the run comes to, once everything is written.
func (v *validation) answer() error {
	return answer(v.unread, v.unexpected > 0 || v.expect == "" && len(v.invalid) > 0)
}

// A result is a report, or why there is none.
type result struct {
	report
	err error
}

// results are those of a batch.
type results []result

// weight counts a quarter of a kilobyte for a report, and half a one for a finding.
func (list results) weight() int {
	n := 256 * len(list)
	for _, r := range list {
		n += 512 * len(r.Findings)
	}
	return n
}

func (v *validation) work(c *cobra.Command, batch []document) results {
	list := make(results, 0, len(batch))
	for i, d := range batch {
		if i > 0 && v.repeats(batch[i-1], d, list[i-1]) {
			r := list[i-1]
			r.Index, r.origin = d.index, d.origin()
			list = append(list, r)
			continue
		}
		if d.unreadable() {
			list = append(list, result{report: report{Source: d.source.name}, err: d.err})
			continue
		}
		r, err := v.check(c, d)
		list = append(list, result{r, err})
	}
	return list
}

// repeats reports whether a document is the one before again, which the schema refuses, when
// findings are only counted: that a flood is refused need not take long.
func (v *validation) repeats(before, d document, r result) bool {
	return v.findings.exhausted.Load() && r.err == nil && r.Reason == validate.SchemaInvalid &&
		d.err == nil && before.err == nil && bytes.Equal(before.raw.Bytes, d.raw.Bytes)
}

func (v *validation) consume(r result) error {
	if isClassifierError(r.err) {
		return r.err
	}
	if r.err != nil {
		v.unread++
		if !v.progress.fail(fmt.Errorf("%s: %w", visible(r.Source), r.err)) {
			return nil
		}
		return cmp.Or(v.findings.flush(), v.out.unreadable(r.Source, r.err))
	}
	v.documents++
	v.progress.message()
	if !r.Valid {
		v.invalid[r.Reason]++
	}
	if r.Unexpected {
		v.unexpected++
	}
	return v.findings.report(&r.report)
}

// summary tells how the run went, in one line.
func (v *validation) summary() string {
	var b strings.Builder
	b.WriteString(validity(v.documents, validate.Reasons(), v.invalid))
	if v.expect != "" {
		fmt.Fprintf(&b, "; %d not as expected", v.unexpected)
	}
	if v.unread > 0 {
		fmt.Fprintf(&b, "; %s could not be read", counted(v.unread, "source"))
	}
	b.WriteString(v.findings.summary())
	return b.String()
}

// validity tells how many of some messages are valid, and why the others are not:
// refused counts those by their reasons, which are named in this order.
func validity[R ~string](messages int, reasons []R, refused map[R]int) string {
	invalid := 0
	var counts []string
	for _, reason := range reasons {
		if n := refused[reason]; n > 0 {
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
			if i+1 < len(folders) && slices.Contains(validate.Reasons(), validate.Reason(folders[i+1])) {
				return "invalid:" + folders[i+1]
			}
			return "invalid"
		}
	}
	return "valid"
}

// expect compares the outcome with the one that is wanted.
func (r *report) expect(expected string) {
	verdict, reason, _ := strings.Cut(expected, ":")
	r.Expected = expected
	r.Unexpected = r.Valid != (verdict == "valid") || string(r.Reason) != cmp.Or(reason, string(r.Reason))
}
