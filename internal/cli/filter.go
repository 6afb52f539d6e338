package cli

import (
	"bytes"
	"errors"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
)

// filterFlags route documents by their result.
type filterFlags struct {
	pass       bool
	reject     string
	keepLayout bool
}

// RegisterFilter registers the flags of a command that can pass on good documents and store the others.
func (f *ReportFlags) RegisterFilter(c *cobra.Command, good string) {
	flags := c.Flags()
	flags.BoolVar(&f.filter.pass, "pass", false, "write the "+good+" messages to standard output, one per line, and the report to stderr")
	flags.StringVar(&f.filter.reject, "reject", "", "append every other message to `FILE`, as a line of JSON with its findings: the message is its member message; or text or base64 if it is not JSON")
	RegisterKeepLayout(c, &f.filter.keepLayout)
}

// RegisterKeepLayout registers --keep-layout for a command that writes messages one per line.
func RegisterKeepLayout(c *cobra.Command, keep *bool) {
	c.Flags().BoolVar(keep, "keep-layout", false, "write messages byte for byte, even if one takes several lines")
}

// wanted reports whether any documents are written.
func (f filterFlags) wanted() bool { return f.pass || f.reject != "" }

// A filter writes the documents of one run; nil to write none.
type filter struct {
	*Globals
	passed     *output.File // nil without --pass
	keepLayout bool
	rejected   string // the file of --reject, "" for none
	lines      []byte // to be appended to rejected
}

// open returns the filter of a run.
func (f filterFlags) open(g *Globals, c *cobra.Command) (*filter, error) {
	if f.keepLayout && !f.pass && c.Flags().Changed("keep-layout") {
		return nil, errors.New("--keep-layout is for the messages of --pass: add --pass")
	}
	if !f.wanted() {
		return nil, nil
	}
	all := &filter{Globals: g, keepLayout: f.keepLayout, rejected: f.reject}
	if f.reject != "" {
		if err := g.ClaimAppended("--reject", f.reject); err != nil {
			return nil, err
		}
		if err := output.CheckAppending(f.reject); err != nil {
			return nil, err
		}
	}
	var err error
	if f.pass {
		all.passed, err = g.OpenData("", c.OutOrStdout())
	}
	return all, err
}

// maxLines is the number of bytes of rejected documents to buffer.
const maxLines = 1 << 20

// take writes a document to the output for its record. If it is whole, it is not JSON, and is not changed.
func (f *filter) take(r *report.Record, whole bool) error {
	switch {
	case r.Valid && r.Err == nil:
		return f.pass(r.Raw.Bytes, whole)
	case f.rejected == "":
		return nil
	}
	var err error
	if f.lines, err = report.AppendWithDocument(f.lines, r, f.Limits); err != nil || len(f.lines) < maxLines {
		return err
	}
	return f.append()
}

// pass writes a good document. Documents that were rejected before it are written to their file before
// it is flushed.
func (f *filter) pass(text []byte, whole bool) error {
	if f.passed == nil {
		return nil
	}
	if f.passed.Available() <= len(text) {
		if err := f.append(); err != nil {
			return err
		}
	}
	_, err := f.passed.Write(text)
	if err == nil && !whole && !bytes.HasSuffix(text, []byte("\n")) {
		err = f.passed.WriteByte('\n')
	}
	return err
}

// append durably writes the buffered rejected documents.
func (f *filter) append() error {
	if len(f.lines) == 0 {
		return nil
	}
	err := f.AppendLocked(f.rejected, f.lines)
	f.lines = f.lines[:0]
	return err
}

// flush writes all documents so far.
func (f *filter) flush() error {
	if f == nil {
		return nil
	}
	if err := f.append(); err != nil || f.passed == nil {
		return err
	}
	return f.passed.Flush()
}

// close writes the rest.
func (f *filter) close() error {
	if f == nil || f.passed == nil {
		return nil
	}
	return f.passed.Close(nil)
}

// Filters reports whether any documents are written.
func (f *ReportFlags) Filters() bool { return f.filter.wanted() }
