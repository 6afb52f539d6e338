package rfc3339

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"section 5.8, fraction", "1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.52Z"},
		{"section 5.8, offset", "1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57Z"},
		{"section 5.8, leap second", "1990-12-31T23:59:60Z", "1991-01-01T00:00:00Z"},
		{"section 5.8, leap second elsewhere", "1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00Z"},
		{"section 5.8, Amsterdam time", "1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.87Z"},
		{"section 5.6, small letters", "1985-04-12t23:20:50z", "1985-04-12T23:20:50Z"},
		{"section 4.3, unknown offset", "1985-04-12T23:20:50-00:00", "1985-04-12T23:20:50Z"},
		{"leap second of June", "2015-06-30t23:59:60.25z", "2015-07-01T00:00:00.25Z"},
		{"leap second on the next day", "2017-01-01T08:59:60+09:00", "2017-01-01T00:00:00Z"},
		{"leap second of February", "2024-02-29T23:59:60Z", "2024-03-01T00:00:00Z"},
		{"more than nanoseconds", "1985-04-12T23:20:50.1234567899Z", "1985-04-12T23:20:50.123456789Z"},
		{"greatest offsets", "1985-04-12T23:59:00+23:59", "1985-04-12T00:00:00Z"},
		{"leap day", "2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},

		{"comma", "2026-03-14T09:20:00,5Z", ""},
		{"hour of one digit", "2026-03-14T9:20:00Z", ""},
		{"offset of a day", "2026-03-14T09:20:00+24:00", ""},
		{"offset of 60 minutes", "2026-03-14T09:20:00+23:60", ""},
		{"offset without minutes", "2026-03-14T09:20:00+02", ""},
		{"offset without colon", "2026-03-14T09:20:00+0200", ""},
		{"signed hour", "2026-03-14T+9:20:00Z", ""},
		{"leap second within a month", "2016-12-30T23:59:60Z", ""},
		{"leap second in the wrong minute", "2016-12-31T23:58:60Z", ""},
		{"leap second in the wrong hour", "2016-12-31T22:59:60Z", ""},
		{"leap second of the offset's day", "2016-12-31T23:59:60+01:00", ""},
		{"second after a leap second", "2016-12-31T23:59:61Z", ""},
		{"no fraction", "2026-03-14T09:20:00.Z", ""},
		{"no offset", "2026-03-14T09:20:00", ""},
		{"fraction without offset", "2026-03-14T09:20:00.5", ""},
		{"text behind", "2026-03-14T09:20:00Z ", ""},
		{"space", "2026-03-14 09:20:00Z", ""},
		{"hour 24", "2026-03-14T24:00:00Z", ""},
		{"no leap year", "2026-02-29T09:20:00Z", ""},
		{"no leap century", "1900-02-29T09:20:00Z", ""},
		{"day 31", "2026-04-31T09:20:00Z", ""},
		{"month 13", "2026-13-01T09:20:00Z", ""},
		{"day 0", "2026-12-00T09:20:00Z", ""},
		{"other digits", "2026-03-14T09:20:0٣Z", ""},
		{"date alone", "2026-03-14", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Parse(tt.text)
			if ok != (tt.want != "") || ok && got.Format(time.RFC3339Nano) != tt.want {
				t.Errorf("%q: %v, %t; want %q", tt.text, got, ok, tt.want)
			}
			agrees(t, tt.text)
		})
	}
}

// The grammar of section 5.6. The days of the months (appendix C) and the places of leap
// seconds (section 5.7) are from the calendar.
var (
	fullDate = regexp.MustCompile(`^([0-9]{4})-([0-9]{2})-([0-9]{2})$`)
	fullTime = regexp.MustCompile(`^(([0-9]{2}):([0-9]{2}):([0-9]{2}))(?:\.([0-9]+))?(?:[zZ]|([+-])([0-9]{2}):([0-9]{2}))$`)
)

// plainDate reads a date by the grammar and the calendar.
func plainDate(text string) (time.Time, bool) {
	t, err := time.Parse("2006-01-02", text)
	return t, err == nil && fullDate.MatchString(text)
}

// plainTime reads a time of day in the same way; a leap second counts as the second before it.
func plainTime(day time.Time, text string) (utc time.Time, leaps, ok bool) {
	m := fullTime.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false, false
	}
	whole, leaps := strings.CutSuffix(m[1], ":60")
	if leaps {
		whole += ":59"
	}
	clock, err := time.Parse("15:04:05", whole)
	if err != nil || m[7] > "23" || m[8] > "59" {
		return time.Time{}, false, false
	}
	number := func(text string) time.Duration {
		n, _ := strconv.Atoi(text)
		return time.Duration(n)
	}
	offset := number(m[7])*time.Hour + number(m[8])*time.Minute
	if m[6] == "-" {
		offset = -offset
	}
	utc = time.Date(day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute(), clock.Second(), int(number((m[5] + "000000000")[:9])), time.UTC).Add(-offset)
	return utc, leaps, !leaps || utc.Hour() == 23 && utc.Minute() == 59
}

// plain is Parse, implemented by the grammar and the calendar.
func plain(text string) (time.Time, bool) {
	parts := regexp.MustCompile(`[tT]`).Split(text, 2)
	if len(parts) != 2 {
		return time.Time{}, false
	}
	day, ok := plainDate(parts[0])
	if !ok {
		return time.Time{}, false
	}
	utc, leaps, ok := plainTime(day, parts[1])
	if leaps {
		utc = utc.Add(time.Second)
		ok = ok && utc.Day() == 1
	}
	return utc, ok
}

// agrees fails unless all functions agree with the grammar about a text.
func agrees(t interface {
	Errorf(format string, args ...any)
}, text string) {
	want, ok := plain(text)
	if got, isTime := Parse([]byte(text)); isTime != ok || ok && !got.Equal(want) || !ok && !got.IsZero() {
		t.Errorf("%q is %v, %t; want %v, %t", text, got, isTime, want, ok)
	}
	if got := IsDateTime(text); got != ok {
		t.Errorf("date-time %q: %t, want %t", text, got, ok)
	}
	_, ok = plainDate(text)
	if got := IsDate(text); got != ok {
		t.Errorf("date %q: %t, want %t", text, got, ok)
	}
	_, _, ok = plainTime(time.Time{}, text)
	if got := IsTime(text); got != ok {
		t.Errorf("time %q: %t, want %t", text, got, ok)
	}
}

// The grammar decides about texts that are nearly times.
func TestNearlyTimes(t *testing.T) {
	character := rapid.SampledFrom([]string{"0", "1", "2", "3", "4", "5", "6", "9", "+", "-", ":", ".", ",", "x", ""})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Split(rapid.SampledFrom([]string{
			"2024-02-29T23:59:60Z", "1999-12-31T23:59:59.5+00:00", "2026-06-30t18:59:60-05:00", "2100-02-28T00:00:00z",
		}).Draw(t, "text"), "")
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = character.Draw(t, "to")
		}
		agrees(t, strings.Join(text, ""))
		agrees(t, strings.Join(text[:10], ""))
		agrees(t, strings.Join(text[11:], ""))
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"2026-06-12T09:30:00Z", "2026-06-12t09:30:00.123z", "1998-12-31T23:59:60Z", "1998-12-31T15:59:60.1-08:00", "1998-12-31T23:59:60+00:01",
		"1900-02-29T00:00:00Z", "2026-06-12T+9:-0:+1Z", "2026-06-12T09:30:00,5Z", "2026-06-12T1:00:00Z", "2026-06-12T09:30:00+24:00",
		"2026-03-14T24:00:00Z", "0000-01-01", "+026-01-01", "09:30:00+01:00", "23:59:60z", "09:30:60Z", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { agrees(t, text) })
}

func BenchmarkIsDateTime(b *testing.B) {
	text := []byte("2026-06-12T09:30:00.000Z")
	for b.Loop() {
		IsDateTime(text)
	}
}
