package audit

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
)

// A Setting is a setting of a log, which is made only once, and recorded.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// RetentionSetting is the setting with the minimum retention of records, a [Period].
const RetentionSetting = "retention"

// RejectedRetentionSetting is the setting with the minimum retention of the records of rejected messages
// without a verified signature, a [Period]. The default is the general retention period.
const RejectedRetentionSetting = "retention-rejected"

// Settings returns a log's settings by name. The first value of a setting counts.
func Settings(r Reader) (map[string]string, error) {
	settings := map[string]string{}
	for s, err := range r.Records(Filter{Events: []Event{Configured}}) {
		if err != nil {
			return nil, err
		}
		if set := s.Details.Setting; set != nil {
			if _, known := settings[set.Name]; !known {
				settings[set.Name] = set.Value
			}
		}
	}
	return settings, nil
}

// Set makes a setting. It returns an error if the setting exists.
func (b *Batch) Set(name, value string) error {
	settings, err := Settings(b)
	if err != nil {
		return err
	}
	_, known := settings[name]
	if known || slices.ContainsFunc(b.entries, func(e Entry) bool { s := e.Details.Setting; return s != nil && s.Name == name }) {
		return fmt.Errorf("the setting %s of the audit log cannot be changed", finding.Quote(name))
	}
	_, err = b.Add(Record{Event: Configured, Details: Details{Setting: &Setting{name, value}}}, nil)
	return err
}

// Archive notes and records a file, and removes its messages from the store.
func (b *Batch) Archive(a Archive) error {
	if err := b.Tx.Archive(a); err != nil {
		return err
	}
	_, err := b.Add(Record{Event: Archived, Details: Details{Archive: &a}}, nil)
	return err
}

// Remove removes all records before one, except records of the log itself, with their messages. It keeps
// their numbers and hashes, and records the removal if there was any. It returns the number of removed
// records.
func (b *Batch) Remove(before int64) (int64, error) {
	n, err := b.Tx.Remove(before)
	if err == nil && n > 0 {
		_, err = b.Add(Record{Event: Pruned, Details: Details{Removal: &Removal{before, n, false}}}, nil)
	}
	return n, err
}

// isGarbage reports whether a record is about a useless message or revocation from an unknown sender.
func isGarbage(r *Record) bool {
	switch {
	case r.KeyID != "":
		return false
	case r.Event == Refused, r.Event == Unrecorded:
		return true
	}
	switch r.Reason { // reasons of package validate that do not depend on the content of the message
	case "SCHEMA_INVALID", "SIGNATURE_INVALID", "INCOMPLETE_CONTEXT":
		return r.Event == Rejected || r.Event == DeadLettered
	}
	return false
}

// RemoveRejected is like [Batch.Remove], but only removes records of rejected messages without a verified
// signature: SCHEMA_INVALID, INCOMPLETE_CONTEXT and SIGNATURE_INVALID, including dead letters; refused
// revocations; and counts of unrecorded events. Messages that a person has released stay.
func (b *Batch) RemoveRejected(before int64) (int64, error) {
	released := map[int64]bool{}
	for s, err := range b.Records(Filter{Events: []Event{Released}}) {
		if err != nil {
			return 0, err
		}
		if s.Details.Concerns != nil {
			released[*s.Details.Concerns] = true
		}
	}
	var sequences []int64
	for s, err := range b.Records(Filter{Events: []Event{Rejected, DeadLettered, Refused, Unrecorded}, Before: before}) {
		if err != nil {
			return 0, err
		}
		concerned := s.Details.Concerns != nil && released[*s.Details.Concerns]
		if isGarbage(&s.Record) && !released[s.Sequence] && !concerned {
			sequences = append(sequences, s.Sequence)
		}
	}
	n, err := b.Tx.RemoveOnly(before, sequences)
	if err == nil && n > 0 {
		_, err = b.Add(Record{Event: Pruned, Details: Details{Removal: &Removal{before, n, true}}}, nil)
	}
	return n, err
}
