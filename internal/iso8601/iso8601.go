// Package iso8601 parses date-times as agents write them: RFC 3339, and common unambiguous forms of ISO 8601
// without seconds, separators or the offset from UTC. Handoff itself writes RFC 3339.
//
// All functions are safe for concurrent use.
package iso8601

import (
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/rfc3339"
)

// A Form is a form of date-times.
type Form int

const (
	// RFC3339 is the form of RFC 3339, section 5.6.
	RFC3339 Form = iota
	// Other is a form of ISO 8601 outside RFC 3339: without seconds (2026-06-12T09:30Z), the basic form
	// (20260612T093000Z), a decimal comma, or an offset without a colon (+0200) or minutes (+02).
	Other
	// Local is any of these forms without an offset from UTC.
	Local
)

// maxLength is the maximum length of a date-time, in bytes: enough for a fraction of 64 digits.
const maxLength = 100

// Parse parses a date-time. It returns the time in UTC, to the nanosecond as [rfc3339.Parse] does, and the
// form of the text, and reports whether text is a date-time. A Local time is read as UTC.
func Parse[T rfc3339.Text](text T) (t time.Time, form Form, ok bool) {
	if t, ok = rfc3339.Parse(text); ok {
		return t, RFC3339, true
	}
	full, form := complete(string(text[:min(len(text), maxLength+1)]))
	t, ok = rfc3339.Parse(full)
	return t, form, ok
}

// IsDateTime reports whether text is a date-time of any form.
func IsDateTime[T rfc3339.Text](text T) bool {
	if rfc3339.IsDateTime(text) {
		return true
	}
	_, _, ok := Parse(text)
	return ok
}

// Rewrite returns a date-time in the form of RFC 3339, with the digits and the offset of text; "" if text is
// not a date-time.
func Rewrite(text string) string {
	if rfc3339.IsDateTime(text) {
		return text
	}
	if full, _ := complete(text); rfc3339.IsDateTime(full) {
		return full
	}
	return ""
}

// complete adds the parts that RFC 3339 requires. If text is not a date-time, the result is not one either.
func complete(text string) (full string, form Form) {
	date, rest, found := strings.Cut(text, "T")
	if !found || len(text) > maxLength {
		return "", Other
	}
	basic := len(date) == len("yyyymmdd")
	if basic {
		date = date[:4] + "-" + date[4:6] + "-" + date[6:]
	}
	clock, offset := rest, ""
	if at := strings.IndexAny(rest, "Z+-"); at >= 0 {
		clock, offset = rest[:at], rest[at:]
	}
	clock, fraction := strings.Replace(clock, ",", ".", 1), ""
	if at := strings.IndexByte(clock, '.'); at >= 0 {
		clock, fraction = clock[:at], clock[at:]
	}
	if basic && !strings.Contains(clock, ":") {
		clock = separate(clock)
	}
	if len(clock) == len("hh:mm") && fraction == "" {
		clock += ":00"
	}
	form = Other
	switch len(offset) {
	case 0:
		form, offset = Local, "Z"
	case len("+hh"):
		offset += ":00"
	case len("+hhmm"):
		offset = offset[:3] + ":" + offset[3:]
	}
	return date + "T" + clock + fraction + offset, form
}

// separate inserts colons between pairs of digits.
func separate(clock string) string {
	switch len(clock) {
	case len("hhmm"):
		return clock[:2] + ":" + clock[2:]
	case len("hhmmss"):
		return clock[:2] + ":" + clock[2:4] + ":" + clock[4:]
	default:
		return ""
	}
}
