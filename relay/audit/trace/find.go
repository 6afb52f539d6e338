package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
)

// A Found is the result of [Find].
type Found struct {
	Records []audit.Stored // the record, or the records of the handoff
	After   []audit.Stored // later records of the same handoff, if a record was found
}

// An UnknownError reports that the log has no record or handoff with a name.
type UnknownError struct {
	Name     string
	Matching int // number of records whose hash begins with the name
}

func (e *UnknownError) Error() string {
	if e.Matching > 1 {
		return fmt.Sprintf("the hashes of several records begin with %s: use more digits", finding.Quote(e.Name))
	}
	return fmt.Sprintf("no record or handoff is named %s: use the number of a record, the beginning of its hash (at least %d digits), or a handoffId", finding.Quote(e.Name), minHash)
}

// A NoMessageError reports that a message is not in the log.
type NoMessageError struct{ Sequence int64 }

func (e *NoMessageError) Error() string {
	return fmt.Sprintf("record %d: the log does not have its message", e.Sequence)
}

// minHash is the minimum number of digits of a hash prefix that names a record.
const minHash = 6

// Find returns the record with a number or a hash, or the records of a handoff. If there is none, the error
// is an [*UnknownError].
func Find(r audit.Reader, name string) (*Found, error) {
	if n, err := strconv.ParseInt(name, 10, 64); err == nil && n >= 0 {
		list, err := audit.List(r, audit.Filter{From: n, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(list) == 1 && list[0].Sequence == n {
			return one(r, list[0])
		}
	}
	if name == "" {
		return nil, &UnknownError{Name: name}
	}
	list, err := audit.List(r, audit.Filter{Handoffs: Spellings(name)})
	if err != nil || len(list) > 0 {
		return &Found{Records: list}, err
	}
	digits := strings.ToLower(strings.TrimPrefix(name, "sha256:"))
	if len(digits) < minHash || strings.Trim(digits, "0123456789abcdef") != "" {
		return nil, &UnknownError{Name: name}
	}
	if list, err = audit.List(r, audit.Filter{Hash: digits, Limit: 2}); err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, &UnknownError{name, len(list)}
	}
	return one(r, list[0])
}

// one returns a record, with the later records of its handoff.
func one(r audit.Reader, s audit.Stored) (*Found, error) {
	found := &Found{Records: []audit.Stored{s}}
	if s.HandoffID == "" {
		return found, nil
	}
	var err error
	found.After, err = audit.List(r, audit.Filter{Handoffs: []string{s.HandoffID}, From: s.Sequence + 1})
	return found, err
}

// Message returns the message of the record, or of the handoff: the accepted one, or else the last one
// received. If the log does not have it, the error is a [*NoMessageError].
func (f *Found) Message(r audit.Reader) ([]byte, error) {
	candidates := f.Records
	if len(f.Records) == 1 && f.Records[0].FrameDigest == (audit.Hash{}) && f.Records[0].HandoffID != "" {
		same, err := audit.List(r, audit.Filter{Handoffs: []string{f.Records[0].HandoffID}})
		if err != nil {
			return nil, err
		}
		candidates = slices.DeleteFunc(same, func(s audit.Stored) bool {
			digest := f.Records[0].MessageDigest
			return digest != (audit.Hash{}) && s.MessageDigest != digest
		})
	}
	var best *audit.Stored
	for i := range candidates {
		s := &candidates[i]
		if s.FrameDigest != (audit.Hash{}) && (best == nil || s.Event == audit.Accepted || best.Event != audit.Accepted) {
			best = s
		}
	}
	if best == nil {
		return nil, &NoMessageError{f.Records[0].Sequence}
	}
	text, err := Message(r, best)
	if err == nil && text == nil {
		err = &NoMessageError{best.Sequence}
	}
	return text, err
}
