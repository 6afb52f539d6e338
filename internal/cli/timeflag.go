package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A TimeFlag is a flag value for a time: RFC 3339, a day (its beginning, UTC), or an age, in the units of
// [time.ParseDuration] or in days.
type TimeFlag struct {
	Time time.Time // zero for none
	text string
}

func (f *TimeFlag) Set(text string) error {
	f.Time, f.text = time.Time{}, text
	if text == "" {
		return nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		f.Time = time.Now().Add(-d)
		return nil
	}
	for _, form := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			f.Time = t
			return nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			f.Time = time.Now().AddDate(0, 0, -int(n))
			return nil
		}
	}
	return fmt.Errorf("%q is not a time: write it like 2026-06-12T09:30:00Z or 2026-06-12, or as an age, like 24h or 30d", text)
}

func (f *TimeFlag) String() string { return f.text }

func (*TimeFlag) Type() string { return "time" }
