package diff

import (
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A side is a document to compare.
type side struct {
	input.Document
	doc *jsonstream.Document // nil until it is parsed
	is  diff.Identity
}

// unread returns an error about the document for reports.
func (s *side) unread(err error) report.Unread {
	return report.Unread{Source: s.Source.Name, Index: s.Index, Err: err}
}

// parse parses the document if it is not parsed.
func (s *side) parse(limits jsonstream.Limits, from format.Format) {
	if s == nil || s.Err != nil || s.doc != nil {
		return
	}
	if s.doc, s.Err = jsonstream.Parse(s.Raw, limits); s.Err == nil {
		s.is = diff.IdentityOf(s.doc.Root(), from)
	}
}

// documentsAhead is the number of documents of a file that are parsed ahead.
const documentsAhead = 4

// read parses the documents of a source. It ends when stop is closed.
func (p pairing) read(s *input.Source, stop <-chan struct{}) <-chan *side {
	list := make(chan *side, documentsAhead)
	if s == nil {
		close(list)
		return list
	}
	go func() {
		defer close(list)
		s.Documents(p.limits, p.count, func(d input.Document, _ bool) bool {
			next := &side{Document: d}
			next.parse(p.limits, p.from)
			select {
			case list <- next:
				return true
			case <-stop:
				return false
			}
		})
	}()
	return list
}

// A joining pairs the messages of two files.
type joining struct {
	pairing
	name  string
	pairs diff.Pairing[*side]
}

// add takes the next message of each file, nil after the last.
func (j *joining) add(next [2]*side) bool {
	if j.byOrder {
		return j.join(next)
	}
	for i, s := range next {
		if s == nil {
			continue
		}
		met := [2]*side{}
		met[i] = s
		if s.Err == nil {
			other, found := j.pairs.Add(i, s.is, s)
			if !found {
				s.doc = nil // its index is larger than its text, and it may wait for long
				continue
			}
			met[1-i] = other
		}
		if !j.join(met) {
			return false
		}
	}
	return true
}

// rest emits the messages without a counterpart: those removed, then those added.
func (j *joining) rest() bool {
	for i := range 2 {
		for _, s := range j.pairs.Alone(i) {
			met := [2]*side{}
			met[i] = s
			if !j.join(met) {
				return false
			}
		}
	}
	return true
}

func (j *joining) join(met [2]*side) bool {
	return j.emit(pair{name: j.name, stream: true, old: met[diff.Old], new: met[diff.New]})
}
