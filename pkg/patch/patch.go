// Package patch applies JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386) documents, and undoes a JSON
// Patch.
//
// Values that a patch does not name keep their bytes: the text of numbers and strings, the order of
// members, white space. A patch is applied as a whole or not at all, in time nearly linear in the sizes of
// the document and the patch.
package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Type is one of the two kinds of patches.
type Type string

// The types of patches. Auto takes an array for a JSON Patch and any other value for a merge patch, so a
// merge patch that is an array needs its type.
const (
	Auto  Type = "auto"
	JSON  Type = "json"
	Merge Type = "merge"
)

// A Patch is a JSON Patch or merge patch. It is immutable and safe for concurrent use.
type Patch struct {
	operations []operation
	merge      jsonstream.Value // absent if this is a JSON Patch
}

// Apply returns the patched document. The error is an [*OpError] if the document does not allow an
// operation, or a [*LimitError] if the result exceeds the limits. All copies of the operations together may
// not be longer than a document.
func (p *Patch) Apply(doc *jsonstream.Document, limits jsonstream.Limits) (*jsonstream.Document, error) {
	r := newRun(doc, limits)
	if p.merge.Exists() {
		merge(r.root, p.merge)
	}
	for i, o := range p.operations {
		if err := r.apply(o); err != nil {
			return nil, o.failed(i, err)
		}
	}
	return r.document(r.root)
}

// An OpError reports an operation of a JSON Patch that a document does not allow. Its text is for people
// and omits the position.
type OpError struct {
	jsonstream.Position        // of the operation, in the patch
	Index               int    // of the operation, from 0
	Op                  string // its name
	Pointer             string // its path
	Err                 error  // the fault and the value found
}

func (e *OpError) Error() string {
	return fmt.Sprintf("operation %d (%s): %v", e.Index+1, strings.TrimSpace(e.Op+" "+finding.Shorten(finding.Pointer(e.Pointer))), e.Err)
}

func (e *OpError) Unwrap() error { return e.Err }

// A LimitError reports that the result of a patch exceeds the limits.
type LimitError struct {
	Problem string
	Err     error // jsonstream.ErrTooLarge or jsonstream.ErrTooDeep
}

func (e *LimitError) Error() string { return e.Problem }

func (e *LimitError) Unwrap() error { return e.Err }

// A run is the application of a patch to a document.
type run struct {
	root   *jsonstream.Draft
	limits jsonstream.Limits // no limit is 0
	spare  int64             // bytes that may still be copied or compared repeatedly
}

func newRun(doc *jsonstream.Document, limits jsonstream.Limits) *run {
	if limits.MaxBytes <= 0 {
		limits.MaxBytes = jsonstream.DefaultMaxBytes
	}
	if limits.MaxDepth <= 0 {
		limits.MaxDepth = jsonstream.DefaultMaxDepth
	}
	limits.MaxDepth = min(limits.MaxDepth, jsonstream.MaxDepth)
	return &run{root: jsonstream.NewDraft(doc.Root()), limits: limits, spare: limits.MaxBytes}
}

// document returns the document of a draft. The error is a *LimitError.
func (r *run) document(d *jsonstream.Draft) (*jsonstream.Document, error) {
	doc, err := d.Document(r.limits)
	switch {
	case errors.Is(err, jsonstream.ErrTooDeep):
		return nil, &LimitError{fmt.Sprintf("the result is nested more than %d levels deep", r.limits.MaxDepth), jsonstream.ErrTooDeep}
	case errors.Is(err, jsonstream.ErrTooLarge):
		return nil, &LimitError{fmt.Sprintf("the result is longer than %d bytes", r.limits.MaxBytes), jsonstream.ErrTooLarge}
	}
	return doc, err
}

// merge applies a merge patch (RFC 7386, section 2).
func merge(d *jsonstream.Draft, patch jsonstream.Value) {
	if patch.Kind() != jsonstream.Object {
		d.Replace(jsonstream.NewDraft(patch))
		return
	}
	if d.Kind() != jsonstream.Object {
		d.Replace(emptyObject())
	}
	for name, v := range patch.Members() {
		if v.Kind() == jsonstream.Null {
			d.Take(name)
			continue
		}
		child := d.Child(name)
		if child == nil {
			d.Insert(name, jsonstream.NewDraft(v))
			child = d.Child(name)
			child.Replace(emptyObject()) // a null member of the patch is absent from the result
		}
		merge(child, v)
	}
}

func emptyObject() *jsonstream.Draft {
	doc, _ := jsonstream.Parse(jsonstream.NewRaw([]byte("{}")), jsonstream.Limits{})
	return jsonstream.NewDraft(doc.Root())
}
