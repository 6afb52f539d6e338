package sign

import (
	"errors"
	"testing"
	"time"
)

// A message that is no object has no timestamp; see TestSuite for others.
func TestFreshnessOfNoObject(t *testing.T) {
	e := (*Error)(nil)
	if err := (Freshness{MaxAge: time.Hour}).Check(parse(t, `[]`), time.Now()); !errors.As(err, &e) || e.Reason != NoTimestamp {
		t.Errorf("got %v", err)
	}
}

// A leap second is as old as the second after it.
func TestFreshnessOfLeapSecond(t *testing.T) {
	m := parse(t, `{"timestamp":"2026-06-30T23:59:60Z"}`)
	f := Freshness{MaxAge: time.Minute}
	if err := f.Check(m, time.Date(2026, 7, 1, 0, 1, 0, 0, time.UTC)); err != nil {
		t.Error(err)
	}
	if err := f.Check(m, time.Date(2026, 7, 1, 0, 1, 0, 1, time.UTC)); err == nil {
		t.Error("accepted a nanosecond too late")
	}
}
