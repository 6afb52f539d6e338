package validate

import (
	"sync"

	"github.com/eaapl/handoff/pkg/internal/schema"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An acceptance is the way of a schema to tell that a document is valid, without
// a word about one that is not: in the pass that reads it, and at its speed.
type acceptance struct {
	program func() (*schema.Program, error)
	runs    *sync.Pool // of *schema.Run
}

func newAcceptance(url string, document *jsonstream.Document, load func(url string) (*jsonstream.Document, error)) acceptance {
	a := acceptance{program: sync.OnceValues(func() (*schema.Program, error) {
		return schema.Compile(url, document, schema.Options{Formats: stringFormats, Load: load})
	})}
	a.runs = &sync.Pool{New: func() any { return a.newRun() }}
	return a
}

// newRun returns a run of the schema, nil if it has no program.
func (a acceptance) newRun() *schema.Run {
	program, err := a.program()
	if err != nil {
		return nil
	}
	return program.NewRun()
}

// Streams reports whether the schema is checked in the pass that reads a document. If it
// is not, the error says what in the schema takes the schema library, for each document.
func (a acceptance) Streams() error {
	_, err := a.program()
	return err
}

// accepts reports whether v is valid; if not, the library says whether it is invalid, and
// why.
func (a acceptance) accepts(v jsonstream.Value) bool {
	r := a.runs.Get().(*schema.Run)
	if r == nil {
		return false
	}
	defer a.runs.Put(r)
	v.Follow(r)
	return r.Verdict() == schema.Valid
}
