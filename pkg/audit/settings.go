package audit

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
)

// A Setting is something of a log that is set once for all, and recorded.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// RetentionSetting is the setting that says how long records are kept at least, a [Period].
const RetentionSetting = "retention"

// Settings returns a log's settings by name. What was set first counts.
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

// Set makes a setting. It is an error if there is one of this name.
func (b *Batch) Set(name, value string) error {
	settings, err := Settings(b)
	if err != nil {
		return err
	}
	_, known := settings[name]
	if known || slices.ContainsFunc(b.entries, func(e Entry) bool { s := e.Details.Setting; return s != nil && s.Name == name }) {
		return fmt.Errorf("the setting %s of the audit log is set once for all", finding.Quote(name))
	}
	_, err = b.Add(Record{Event: Configured, Details: Details{Setting: &Setting{name, value}}}, nil)
	return err
}

// Archive notes and records a file, and removes the messages that are in it.
func (b *Batch) Archive(a Archive) error {
	if err := b.Tx.Archive(a); err != nil {
		return err
	}
	_, err := b.Add(Record{Event: Archived, Details: Details{Archive: &a}}, nil)
	return err
}

// Remove removes all records before one that are not of the log itself, and their messages, but
// for their numbers and hashes, and records that if there were any. It returns how many there
// were.
func (b *Batch) Remove(before int64) (int64, error) {
	n, err := b.Tx.Remove(before)
	if err == nil && n > 0 {
		_, err = b.Add(Record{Event: Pruned, Details: Details{Removal: &Removal{before, n}}}, nil)
	}
	return n, err
}
