package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/remedy"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

func (f *validateFlags) run(c *cobra.Command, args []string) error {
	if err := checkExpectation(f.expect); err != nil {
		return err
	}
	if err := input.OneStdin(args, append(f.receiver.Keys.Files, f.receiver.Profile, f.scanner.Rules, f.schema)...); err != nil {
		return err
	}
	options, err := f.options(c)
	if err != nil {
		return err
	}
	if f.reports.Verbose {
		f.tellSchemas(c.ErrOrStderr(), options)
	}
	scanner, err := f.scanner.Load(f.Globals, c)
	if err != nil {
		return err
	}
	options.Scanner, options.Allow = scanner.Scanner, scanner.Allow
	out, err := f.reports.Start(f.Globals, c, nil)
	if err != nil {
		return scanner.Close(err)
	}
	out.Unnamed = true
	f.LongLines = !f.reports.Filters() // the documents to pass on are in memory
	run := validation{flags: f, options: options, validator: validate.New(options), findings: out.Findings, profiles: map[string]string{}}
	run.validators = map[string]*validate.Validator{"": run.validator}
	err = scanner.Close(out.Read(f.Globals, c, args, func(batch []input.Document) cli.Records { return run.work(c, batch) }))
	summary := validity(out, validate.Reasons())
	if f.expect != "" {
		summary += fmt.Sprintf("; %d not as expected", out.Unexpected)
	}
	return cli.Answer(out.Finish(err, summary, term.Counted(out.Unread, "source")), out.Unread, out.Unexpected > 0 || f.expect == "" && out.Rejected > 0)
}

// tellSchemas reports for each schema from a file whether messages are checked while they are read or, if
// not, why.
func (f *validateFlags) tellSchemas(stderr io.Writer, o validate.Options) {
	say := func(name string, s *validate.Schema) {
		if err := s.Streams(); err != nil {
			fmt.Fprintf(stderr, "handoff: %s: each part is checked separately, which is slower: %s\n", term.Visible(name), term.Visible(err.Error()))
			return
		}
		fmt.Fprintf(stderr, "handoff: %s: checked while the messages are read\n", term.Visible(name))
	}
	if o.Schema != nil {
		say(f.schema, o.Schema)
	}
	if o.Receiver != nil && o.Receiver.StateSchema != nil {
		say("the schema for currentState", o.Receiver.StateSchema)
	}
}

// validation is one run of validate.
type validation struct {
	flags     *validateFlags
	options   validate.Options
	validator *validate.Validator
	findings  *report.Limiter

	mu         sync.Mutex
	profiles   map[string]string              // receiver profiles, by folder; "" for none
	validators map[string]*validate.Validator // by receiver profile
}

func (v *validation) work(c *cobra.Command, batch []input.Document) cli.Records {
	list := make(cli.Records, 0, len(batch))
	for i, d := range batch {
		switch {
		case i > 0 && v.repeats(batch[i-1], d, list[i-1]):
			r := list[i-1]
			r.Index, r.Origin = d.Index, d.Origin()
			list = append(list, r)
		case d.Unreadable():
			list = append(list, report.Record{Source: d.Source.Name, Err: d.Err})
		default:
			list = append(list, v.check(c, d))
		}
	}
	return list
}

// repeats reports whether d is byte-for-byte the previous document, already rejected by the schema. When
// findings are only counted, it need not be checked again.
func (v *validation) repeats(before, d input.Document, r report.Record) bool {
	return v.findings.Exhausted.Load() && r.Err == nil && r.Reason == validate.SchemaInvalid &&
		d.Err == nil && before.Err == nil && bytes.Equal(before.Raw.Bytes, d.Raw.Bytes)
}

// check validates one document. It may run concurrently.
func (v *validation) check(c *cobra.Command, d input.Document) report.Record {
	r := report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Raw: d.Raw}
	if damaged := (*jsonstream.SyntaxError)(nil); errors.As(d.Err, &damaged) {
		r.Result = validate.Malformed(damaged)
	} else {
		r.ID, r.Result, r.Err = v.validate(c, d)
	}
	if r.Syntax != nil {
		advised := *r.Syntax
		advised.Problem += remedy.Of(r.Syntax)
		r.Result = validate.Malformed(&advised)
	}
	for i := range r.Findings {
		if advice := remedy.OfFinding(r.Findings[i]) + cli.AllowAdvice(r.Findings, i); advice != "" {
			r.Findings[i].Message += advice
			r.Details = finding.Details(r.Findings)
		}
	}
	if v.flags.expect != "" && r.Err == nil {
		expected, err := expectationFor(v.flags.expect, d.Source.Path)
		if err != nil {
			return report.Record{Source: d.Source.Name, Err: err}
		}
		expectOf(&r, expected)
	}
	return r
}

// validate validates a document. It does not load a long one into memory if it can avoid that.
func (v *validation) validate(c *cobra.Command, d input.Document) (id string, r validate.Result, err error) {
	validator, err := v.validatorFor(c, d.Source.Path)
	if err != nil {
		return "", r, err
	}
	if d.Long > 0 {
		file, err := d.File()
		if err != nil {
			return "", r, err
		}
		defer file.Close() // read only: nothing can be lost
		if r, err = validator.ValidateLines(c.Context(), jsonstream.LinesFile{In: file, Start: d.Raw.Start, End: d.Long}, v.flags.Limits); !errors.Is(err, validate.ErrWhole) {
			return "", r, err
		}
		if d = d.Whole(); d.Err != nil {
			return "", r, d.Err
		}
	}
	return validator.ValidateRaw(c.Context(), d.Raw, v.flags.Limits)
}

// validity returns the number of valid messages, and of invalid ones by reason, in the order of reasons.
func validity[R ~string](out *cli.Reporting, reasons []R) string {
	var counts []string
	for _, reason := range reasons {
		if n := out.Reasons[finding.Reason(reason)]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, reason))
		}
	}
	text := out.Validity("message")
	if len(counts) > 0 {
		text += " (" + strings.Join(counts, ", ") + ")"
	}
	return text
}
