package cmd

import (
	"fmt"
	"os"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/eaapl/handoff/cmd/internal/claim"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/accepted"
)

// seenFile is the file of --seen.
type seenFile struct {
	path   string
	claims *claim.Set
	log    *accepted.Log
}

func newSeenFile(path string, claims *claim.Set) *seenFile {
	return &seenFile{path, claims, accepted.NewLog(func() (accepted.File, error) {
		f, _, err := output.OpenLocked(path, 0o600)
		return appendable{f}, err
	}, os.SameFile)}
}

// accept records ids and returns which of them are new.
func (s *seenFile) accept(ids []string) (fresh []bool, err error) {
	if err := s.claims.Check(); err != nil {
		return nil, err
	}
	if fresh, err = s.log.Accept(ids); err != nil {
		err = fmt.Errorf("%s: %w", s.path, term.PlainError(err))
	}
	return fresh, err
}

// appendable is a file as [accepted.Log] needs it.
type appendable struct{ *lockedfile.File }

func (f appendable) Append(text []byte, end int64) error { return output.AppendAt(f.File, text, end) }
