package iso8601_test

import (
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/internal/rfc3339"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text, want string // RFC 3339; empty if invalid
		form       iso8601.Form
	}{
		{text: "2026-06-12T09:30:00Z", want: "2026-06-12T09:30:00Z"},
		{text: "2026-06-12t09:30:00.5+02:00", want: "2026-06-12t09:30:00.5+02:00"},
		{text: "2026-06-12T09:30Z", want: "2026-06-12T09:30:00Z", form: iso8601.Other},
		{text: "2026-06-12T09:30+02:00", want: "2026-06-12T09:30:00+02:00", form: iso8601.Other},
		{text: "20260612T093000Z", want: "2026-06-12T09:30:00Z", form: iso8601.Other},
		{text: "20260612T0930-0800", want: "2026-06-12T09:30:00-08:00", form: iso8601.Other},
		{text: "20260612T093000.25Z", want: "2026-06-12T09:30:00.25Z", form: iso8601.Other},
		{text: "2026-06-12T09:30:00,25Z", want: "2026-06-12T09:30:00.25Z", form: iso8601.Other},
		{text: "2026-06-12T09:30:00+0200", want: "2026-06-12T09:30:00+02:00", form: iso8601.Other},
		{text: "2026-06-12T09:30:00+02", want: "2026-06-12T09:30:00+02:00", form: iso8601.Other},
		{text: "2025-01-15T10:30:00", want: "2025-01-15T10:30:00Z", form: iso8601.Local},
		{text: "2025-01-15T10:30:00.123456", want: "2025-01-15T10:30:00.123456Z", form: iso8601.Local},
		{text: "2025-01-15T10:30", want: "2025-01-15T10:30:00Z", form: iso8601.Local},
		{text: "20250115T1030", want: "2025-01-15T10:30:00Z", form: iso8601.Local},
		{text: ""},
		{text: "2026-06-12"},
		{text: "20260612"},
		{text: "2026-06-12 09:30:00Z"},
		{text: "2026-02-30T09:30Z"},
		{text: "2026-06-12T24:00Z"},
		{text: "2026-06-12T0930Z"}, // extended date, basic time
		{text: "2026-06-12T09Z"},
		{text: "2026-06-12T09:30.5Z"}, // half a minute
		{text: "2026-06-12T09:30Z+02:00"},
		{text: "2026-06-12T09:30:00.Z"},
		{text: "2026-W24-5T09:30Z"},
		{text: "2026-163T09:30Z"},
		{text: "1781256600"},
		{text: "2026-06-12T09:30Zz"},
		{text: "2026-06-12T09:30" + strings.Repeat("0", 200)},
	} {
		got, form, ok := iso8601.Parse(tt.text)
		want, _ := rfc3339.Parse(tt.want)
		if ok != (tt.want != "") || !got.Equal(want) || ok && form != tt.form {
			t.Errorf("Parse(%q) = %s, %d, %t; want %s, %d", tt.text, got.Format(time.RFC3339Nano), form, ok, tt.want, tt.form)
		}
		if iso8601.IsDateTime([]byte(tt.text)) != ok || iso8601.Rewrite(tt.text) != tt.want {
			t.Errorf("%q: IsDateTime %t, Rewrite %q", tt.text, !ok, iso8601.Rewrite(tt.text))
		}
	}
}

// FuzzParse checks that every parsed time has the same value in RFC 3339, and that all of RFC
// 3339 is accepted.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"2026-06-12T09:30Z", "20260612T093000,5+02", "2025-01-15T10:30:00", "1998-12-31T15:59:60-08:00", "T", "2026-06-12T::Z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, form, ok := iso8601.Parse(text)
		full := iso8601.Rewrite(text)
		want, wantOK := rfc3339.Parse(full)
		if ok != wantOK || !got.Equal(want) {
			t.Fatalf("Parse(%q) = %s, %t; written as %q it is %s, %t", text, got, ok, full, want, wantOK)
		}
		if ok != iso8601.IsDateTime(text) || (form == iso8601.RFC3339) != rfc3339.IsDateTime(text) {
			t.Fatalf("%q: form %d, %t", text, form, ok)
		}
	})
}
