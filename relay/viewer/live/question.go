package live

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eaapl/handoff/relay/audit"
)

// A question is a search as typed by a user.
type question struct {
	ID, Agent, Event, Reason, Since, Until string
	Before                                 int64             // record number, 0 for all
	Fresh                                  bool              // with automatic reload
	Wrong                                  map[string]string // errors by field name
}

const (
	maxField  = 300 // characters
	minPrefix = 4   // minimum length of an id's prefix
)

func questionOf(r *http.Request) question {
	given := r.URL.Query()
	q := question{Wrong: map[string]string{}}
	for name, field := range map[string]*string{"id": &q.ID, "agent": &q.Agent, "event": &q.Event, "reason": &q.Reason, "since": &q.Since, "until": &q.Until} {
		*field = strings.TrimSpace(given.Get(name))
		switch {
		case utf8.RuneCountInString(*field) > maxField:
			*field, q.Wrong[name] = "", "This is too long."
		case !utf8.ValidString(*field) || strings.ContainsRune(*field, 0):
			*field, q.Wrong[name] = "", "This is not text."
		}
	}
	q.Before, _ = strconv.ParseInt(given.Get("before"), 10, 64)
	q.Before = max(q.Before, 0)
	q.Fresh = given.Get("fresh") != ""
	return q
}

// address returns the address of the results of a search.
func (q question) address() string {
	v := url.Values{}
	for name, field := range map[string]string{"id": q.ID, "agent": q.Agent, "event": q.Event, "reason": q.Reason, "since": q.Since, "until": q.Until} {
		if field != "" {
			v.Set(name, field)
		}
	}
	if q.Before > 0 {
		v.Set("before", strconv.FormatInt(q.Before, 10))
	}
	if q.Fresh {
		v.Set("fresh", "1")
	}
	if len(v) == 0 {
		return "/"
	}
	return "/?" + v.Encode()
}

// Narrow reports whether the search has any restriction.
func (q question) Narrow() bool {
	return q.ID+q.Agent+q.Event+q.Reason+q.Since+q.Until != ""
}

// Events returns the events to choose from.
func (question) Events() []audit.Event { return audit.Events() }

// filter returns the filter for records, and sets the errors of fields. Times are converted to From and
// Before.
func (q *question) filter(r audit.Reader, m moment, now time.Time) (f audit.Filter, err error) {
	f = audit.Filter{Newest: true, Agent: q.Agent, Reason: q.Reason, Before: m.Size}
	switch {
	case q.ID == "":
	case strings.HasPrefix(q.ID, "sha256:"):
		if f.Hash = strings.ToLower(strings.TrimPrefix(q.ID, "sha256:")); len(f.Hash) < minPrefix || strings.Trim(f.Hash, "0123456789abcdef") != "" {
			q.Wrong["id"] = fmt.Sprintf("A hash is sha256: and at least %d of the characters 0-9 and a-f.", minPrefix)
		}
	case utf8.RuneCountInString(q.ID) < minPrefix:
		q.Wrong["id"] = fmt.Sprintf("Enter at least %d characters of an id.", minPrefix)
	default:
		f.Prefix = q.ID
	}
	if q.Event != "" {
		event := audit.Event(strings.ToUpper(q.Event))
		if !slices.Contains(audit.Events(), event) {
			q.Wrong["event"] = "This event does not exist."
		}
		f.Events = []audit.Event{event}
	} else if q.Reason != "" {
		f.Events = reasoned()
	}
	if q.Before > 0 {
		f.Before = min(f.Before, q.Before)
	}
	since, until := q.time("since", q.Since, now), q.time("until", q.Until, now)
	if len(q.Wrong) > 0 {
		return f, nil
	}
	if !since.IsZero() {
		f.Since = since
		if f.From, err = firstAt(r, m, since.Add(-audit.MaxSkew)); err != nil {
			return f, err
		}
	}
	if !until.IsZero() {
		f.Until = until
		end, err := firstAt(r, m, until.Add(audit.MaxSkew))
		if err != nil {
			return f, err
		}
		f.Before = min(f.Before, end)
	}
	return f, nil
}

// reasoned returns the events with reasons, for which the store has a separate index.
func reasoned() []audit.Event {
	return []audit.Event{audit.Rejected, audit.ExecutionFailed, audit.RolledBack, audit.Escalated, audit.DeadLettered, audit.Released, audit.Discarded}
}

// time parses the time in a field. It returns zero if the field is empty or wrong.
func (q *question) time(name, text string, now time.Time) time.Time {
	t, err := parseTime(text, now)
	if err != nil {
		q.Wrong[name] = "Enter a time such as 2026-06-12 or 2026-06-12 09:30, or an age such as 24h or 30d. Times are UTC."
	}
	return t
}

var errTime = errors.New("not a time")

// parseTime parses a time typed by a user, zero for none.
func parseTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly, "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return time.Time{}, errTime
		}
		return now.AddDate(0, 0, -int(n)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return time.Time{}, errTime
	}
	return now.Add(-d), nil
}

// firstAt returns the number of the first record at or after a time, assuming correct clocks. It reads only
// few records.
func firstAt(r audit.Reader, m moment, at time.Time) (int64, error) {
	from, to := int64(0), m.Size
	for from < to {
		middle := from + (to-from)/2
		next := to
		early := false
		for s, err := range r.Records(audit.Filter{From: middle, Before: to, Limit: 1}) {
			if err != nil {
				return 0, err
			}
			next, early = s.Sequence, s.RecordedAt.Before(at)
		}
		if early {
			from = next + 1
		} else {
			to = middle
		}
	}
	return from, nil
}
