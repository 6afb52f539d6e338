package rfc3339

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestFromEpoch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want, unit string }{
		{"1781256600", "2026-06-12T09:30:00Z", "seconds"},
		{"1781256600.25", "2026-06-12T09:30:00.25Z", "seconds"},
		{"1781256600.1234567891", "2026-06-12T09:30:00.123456789Z", "seconds"},
		{"1781256600123", "2026-06-12T09:30:00.123Z", "milliseconds"},
		{"1781256600123.5", "2026-06-12T09:30:00.1235Z", "milliseconds"},
		{"1781256600123456", "2026-06-12T09:30:00.123456Z", "microseconds"},
		{"1781256600123456789", "2026-06-12T09:30:00.123456789Z", "nanoseconds"},
		{"100000000", "1973-03-03T09:46:40Z", "seconds"},
		{in: "20260612"}, {in: "0"}, {in: ""}, {in: "0781256600"}, {in: "-178125660"}, {in: "17812566e9"},
		{in: "1781256600.2.5"}, {in: "17812566001"}, {in: "2026-06-12"}, {in: "178125660012345678901"},
	} {
		if got, unit, ok := FromEpoch(tt.in); got != tt.want || unit != tt.unit || ok != (tt.want != "") {
			t.Errorf("FromEpoch(%q) = %q, %q, %v, want %q, %q", tt.in, got, unit, ok, tt.want, tt.unit)
		}
	}
}

// The result is the instant that the number represents.
func TestFromEpochIsThatInstant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(1e8, 9_223_372_035).Draw(t, "seconds"), rapid.Int64Range(0, 1e9-1).Draw(t, "nanoseconds"))
		for _, tt := range []struct {
			number int64
			unit   string
			cut    time.Duration
		}{
			{at.Unix(), "seconds", time.Second}, {at.UnixMilli(), "milliseconds", time.Millisecond},
			{at.UnixMicro(), "microseconds", time.Microsecond}, {at.UnixNano(), "nanoseconds", 1},
		} {
			got, unit, ok := FromEpoch(strconv.FormatInt(tt.number, 10))
			read, valid := Parse(got)
			if !ok || !valid || unit != tt.unit || !read.Equal(at.Truncate(tt.cut)) {
				t.Fatalf("FromEpoch(%d) = %q, %q, %v", tt.number, got, unit, ok)
			}
		}
	})
}
