package check

import (
	"fmt"
	"os"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/eaapl/handoff/internal/accepted"
	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
)

// A seenFile is the file of --seen.
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

// accept records ids and reports for each whether it is new.
func (s *seenFile) accept(ids []string) (fresh []bool, err error) {
	if err := s.claims.Check(); err != nil {
		return nil, err
	}
	if fresh, err = s.log.Accept(ids); err != nil {
		err = fmt.Errorf("%s: %w", s.path, term.PlainError(err))
	}
	return fresh, err
}

// appendable implements [accepted.File].
type appendable struct{ *lockedfile.File }

func (f appendable) Append(text []byte, end int64) error { return output.AppendAt(f.File, text, end) }

// remember records the messages that are about to be accepted and rejects any that were accepted before. It
// runs before their verdicts are written: a message whose verdict was reported must never be accepted again.
func (v *verification) remember(records cli.Records) error {
	var ids []string
	for _, r := range records {
		if r.Valid {
			ids = append(ids, r.ID)
		}
	}
	var recorded []string
	v.unreported.begin(ids)
	defer func() { v.unreported.end(recorded) }()
	fresh, err := v.accepted.accept(ids)
	if err != nil {
		return err
	}
	for i := range records {
		r := &records[i]
		if !r.Valid {
			continue
		}
		if !fresh[0] {
			reject(r, r.Own.(signedWith).ifSeen)
		} else if !v.reports.Quiet || v.reports.Output != "" {
			recorded = append(recorded, r.ID)
		}
		fresh = fresh[1:]
	}
	return nil
}
