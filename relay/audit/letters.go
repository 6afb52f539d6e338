package audit

import (
	"cmp"
	"maps"
	"slices"
)

// Waiting returns the records of the dead letters that are neither released nor discarded (EAAPL-MAG006,
// section 8.1), oldest first.
func Waiting(r Reader) ([]Stored, error) {
	waiting := map[int64]Stored{}
	for s, err := range r.Records(Filter{Events: []Event{DeadLettered, Released, Discarded}}) {
		switch {
		case err != nil:
			return nil, err
		case s.Event == DeadLettered:
			waiting[s.Sequence] = s
		case s.Details.Concerns != nil:
			delete(waiting, *s.Details.Concerns)
		}
	}
	return slices.SortedFunc(maps.Values(waiting), func(a, b Stored) int { return cmp.Compare(a.Sequence, b.Sequence) }), nil
}
