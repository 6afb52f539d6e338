package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/eaapl/handoff/pkg/merkle"
)

// stretchSize is the number of records that a worker takes at once: the records below a few nodes.
const stretchSize = 64 * 256

// A stretch is a part of the log that one worker checks: the records from first up to, but not including,
// end. The record first exists.
type stretch struct {
	first, end int64
	done       chan error // receives the error of check

	hashes     []merkle.Hash // stored hashes, beginning with first; zero for a missing record
	last       Hash
	nodes      []merkle.Node // stored nodes of the first level
	problems   []Problem
	messages   int64
	tombstones int64
	way        ways
	accepted   []uint64 // keys of the accepted copies
}

// A link is the hash that the next record must continue.
type link struct {
	known    bool
	stored   Hash
	remade   Hash // the recomputed hash, if it differs from the stored one
	mistaken bool // remade is set
}

func (s *stretch) check(i Inspector) error {
	if s.first < 0 {
		return nil
	}
	before, err := s.linkBefore(i)
	if err != nil {
		return err
	}
	digests := make([]Hash, 0, min(s.end-s.first, stretchSize)) // of messages
	personal := map[int64]Details{}                             // of records whose personal data is stored separately
	buffer := make([]byte, 0, 4096)
	s.hashes = make([]merkle.Hash, 0, cap(digests))
	err = i.Rows(s.first, s.end, func(r *Row) error {
		if next := s.first + int64(len(s.hashes)); r.Sequence > next {
			s.problem(missing(next, r.Sequence-1))
			gap := r.Sequence - next
			s.hashes = append(s.hashes, make([]merkle.Hash, gap)...)
			digests = append(digests, make([]Hash, gap)...)
			before = link{}
		}
		after := link{known: true, stored: r.Hash}
		switch {
		case r.Tombstone && r.Problem == "":
			s.tombstones++
		case r.Problem != "":
			s.problem(Problem{RecordChanged, r.Sequence, r.Sequence, fmt.Sprintf("record %d was changed: %s", r.Sequence, r.Problem)})
		}
		if !r.Tombstone && before.known {
			var sum Hash
			ok := false
			if sum, ok, buffer = r.matches(before.stored, buffer); !ok && before.mistaken {
				_, ok, buffer = r.matches(before.remade, buffer)
			}
			if !ok {
				after.remade, after.mistaken = sum, true
				if r.Problem == "" {
					s.problem(Problem{RecordChanged, r.Sequence, r.Sequence, fmt.Sprintf("record %d was changed: its hash does not match its columns and the previous record", r.Sequence)})
				}
			}
		}
		before = after
		s.hashes = append(s.hashes, r.Hash)
		digests = append(digests, r.FrameDigest)
		if r.Event == Accepted && !r.Tombstone {
			s.accepted = append(s.accepted, s.way.keyOf(r))
		}
		if details := s.way.add(r); details.PayloadDigest != nil {
			personal[r.Sequence] = details
		}
		s.last = r.Hash
		return nil
	})
	if err != nil {
		return err
	}
	if err := errors.Join(s.checkFrames(i, digests), s.checkPersonal(i, personal)); err != nil {
		return err
	}
	return i.Nodes(1, s.first/256, s.end/256, func(n merkle.Node) error {
		s.nodes = append(s.nodes, n)
		return nil
	})
}

// linkBefore returns the link to the record before the first one.
func (s *stretch) linkBefore(i Inspector) (before link, err error) {
	if s.first == 0 {
		return link{known: true}, nil
	}
	var older Hash
	known := s.first == 1
	err = i.Rows(max(s.first-2, 0), s.first, func(r *Row) error {
		if r.Sequence < s.first-1 {
			older, known = r.Hash, true
			return nil
		}
		before = link{known: true, stored: r.Hash}
		if known && !r.Tombstone { // a change is reported by that record's own stretch
			sum, ok, _ := r.matches(older, nil)
			before.remade, before.mistaken = sum, !ok
		}
		return nil
	})
	return before, err
}

// matches reports whether a row's hash matches its columns and the previous record's hash.
func (r *Row) matches(previous Hash, buffer []byte) (sum Hash, ok bool, _ []byte) {
	r.PreviousRecordHash = previous
	text, err := r.appendJSON(buffer[:0], r.RawDetails)
	sum = sha256.Sum256(text)
	return sum, err == nil && sum == r.Hash, text
}

// checkFrames compares the messages with their records.
func (s *stretch) checkFrames(i Inspector, digests []Hash) error {
	found := make([]bool, len(digests))
	err := i.Frames(s.first, s.end, func(sequence int64, frame []byte) error {
		at := sequence - s.first
		switch {
		case at < 0 || at >= int64(len(digests)):
			return nil // reported by Others
		case digests[at] == Hash{}:
			s.problem(Problem{MessageChanged, sequence, sequence, fmt.Sprintf("there is a message beside record %d, which should have none", sequence)})
		case digests[at] != sha256.Sum256(frame):
			s.problem(Problem{MessageChanged, sequence, sequence, fmt.Sprintf("the message beside record %d is not the recorded one", sequence)})
		}
		found[at] = true
		s.messages++
		return nil
	})
	lost := -1 // index of the last record with a missing message
	for at, d := range digests {
		if d == (Hash{}) || found[at] {
			continue
		}
		sequence := s.first + int64(at)
		if last := len(s.problems) - 1; lost >= 0 && !slices.Contains(found[lost:at], true) {
			p := &s.problems[last]
			p.Last = sequence
			p.Message = fmt.Sprintf("the messages beside records %d to %d are missing", p.First, p.Last)
		} else {
			s.problem(Problem{MessageChanged, sequence, sequence, fmt.Sprintf("the message beside record %d is missing", sequence)})
		}
		lost = at
	}
	return err
}

// checkPersonal compares the separately stored personal data with the records. It needs no key.
func (s *stretch) checkPersonal(i Inspector, recorded map[int64]Details) error {
	err := i.Payloads(s.first, s.end, func(sequence int64, subject string, payload []byte) error {
		details, ok := recorded[sequence]
		delete(recorded, sequence)
		switch {
		case !ok:
			s.problem(Problem{MessageChanged, sequence, sequence, fmt.Sprintf("there is personal data beside record %d, which should have none", sequence)})
		case *details.PayloadDigest != sha256.Sum256(payload) || details.Subject != subject:
			s.problem(Problem{MessageChanged, sequence, sequence, fmt.Sprintf("the personal data beside record %d is not the recorded data", sequence)})
		}
		return nil
	})
	for _, sequence := range slices.Sorted(maps.Keys(recorded)) {
		s.problem(Problem{MessageChanged, sequence, sequence, fmt.Sprintf("the personal data beside record %d is missing", sequence)})
	}
	return err
}

func (s *stretch) problem(p Problem) { s.problems = append(s.problems, p) }
