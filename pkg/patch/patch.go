// Package patch applies JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386)
// documents, and takes back what a JSON Patch did.
//
// What a patch does not name keeps its bytes: the text of numbers and strings, the
// order of members, white space. A patch is applied as a whole or not at all. It
// takes time nearly linear in the sizes of the document and the patch, whatever the
// patch does.
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

// The types of patches. Auto takes an array for a JSON Patch and all else for a
// merge patch: a merge patch that is an array has to be named.
const (
	Auto  Type = "auto"
	JSON  Type = "json"
	Merge Type = "merge"
)

// A Patch says how to change a document. It is immutable and safe for concurrent
// use.
type Patch struct {
	operations []operation
	merge      jsonstream.Value // absent if this is a JSON Patch
}

// Apply returns what the patch makes of a document, or an error: an [*OpError]
// where the document does not allow an operation, a [*LimitError] for a result
// over the limits. What the operations copy may not be longer, all together, than
// a document may be.
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

// An OpError reports an operation of a JSON Patch that a document does not allow.
// Its text is for people and does not repeat the position.
type OpError struct {
	jsonstream.Position        // of the operation, in the patch
	Index               int    // of the operation, from 0
	Op                  string // its name
	Pointer             string // its path
	Err                 error  // what is wrong, and what was found
}

func (e *OpError) Error() string {
	return fmt.Sprintf("operation %d (%s): %v", e.Index+1, strings.TrimSpace(e.Op+" "+finding.Shorten(finding.Pointer(e.Pointer))), e.Err)
}

func (e *OpError) Unwrap() error { return e.Err }

// A LimitError reports that what a patch makes would cost more than the limits
// allow.
type LimitError struct {
	Problem string
	Err     error // jsonstream.ErrTooLarge or jsonstream.ErrTooDeep
}

func (e *LimitError) Error() string { return e.Problem }

func (e *LimitError) Unwrap() error { return e.Err }

// A run is a patch that is being applied to a document.
type run struct {
	root   *jsonstream.Draft
	limits jsonstream.Limits // none is 0
	spare  int64             // how many bytes more may be copied, or compared again and again
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

// document returns what a draft has become. The error is a *LimitError.
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
			child.Replace(emptyObject()) // a member that is null in v is none in the result
		}
		merge(child, v)
	}
}

func emptyObject() *jsonstream.Draft {
	doc, _ := jsonstream.Parse(jsonstream.NewRaw([]byte("{}")), jsonstream.Limits{})
	return jsonstream.NewDraft(doc.Root())
}
