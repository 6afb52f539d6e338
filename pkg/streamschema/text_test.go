package streamschema

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The formats that are written here decide as the library's.
func FuzzFormats(f *testing.F) {
	for _, text := range []string{
		"2026-06-12T09:30:00Z", "2026-06-12t09:30:00.123z", "1998-12-31T23:59:60Z", "1998-12-31T15:59:60.1-08:00", "1998-12-31T23:59:60+00:01",
		"2024-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2000-02-29T00:00:00Z", "2026-06-12T24:00:00Z", "2026-06-12T09:30:00", "2026-06-12T09:30:00.Z",
		"2026-06-12T+9:-0:+1Z", "2026-06-12T-1:00:00Z", "2026-06-12 09:30:00Z", "2026-6-12T09:30:00Z", "2026-06-12T09:30:00+24:00", "2026-06-12T23:59:60-00:00",
		"0000-01-01", "2026-13-01", "2026-00-10", "2026-04-31", "+026-01-01", "09:30:00+01:00", "23:59:60z", "09:30:60Z", "0:00:00Z",
		"6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "6F9619FF-8B86-4D01-B42D-00CF4FC964FF", "6f9619ff8b864d01b42d00cf4fc964ff", "6f9619ff-8b86-4d01-b42d-00cf4fc964fg", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"date-time", "date", "time", "uuid"} {
			if got, want := fastFormat(name)([]byte(text)), jsonschema.Formats[name](text); got != want {
				t.Errorf("%s %q: %v, want %v", name, text, got, want)
			}
		}
	})
}

// Texts that are nearly times are decided as the library decides.
func TestTimes(t *testing.T) {
	digit := rapid.SampledFrom([]string{"0", "1", "2", "3", "4", "5", "6", "9", "+", "-", ":", ".", "x"})
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.SampledFrom([]string{"2024-02-29T23:59:60Z", "1999-12-31T23:59:59.5+00:00", "2026-06-30t18:59:60-05:00", "2100-02-28T00:00:00z"}).Draw(t, "text"))
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = digit.Draw(t, "to")[0]
		}
		for _, s := range []string{string(text), string(text[:10]), string(text[11:])} {
			for _, name := range []string{"date-time", "date", "time"} {
				if got, want := fastFormat(name)([]byte(s)), jsonschema.Formats[name](s); got != want {
					t.Fatalf("%s %q: %v, want %v", name, s, got, want)
				}
			}
		}
	})
}

// numbers are texts of JSON numbers, many of them equal or nearly so.
var numbers = rapid.StringMatching(`-?(0|[1-9][05]{0,3}|[1-9][0-9]{0,30})(\.[0-9]?0{0,2}[05]?|\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?`).
	Filter(func(text string) bool { return json.Valid([]byte(text)) })

func TestDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		d, e := parseDecimal([]byte(a)), parseDecimal([]byte(b))
		if got, want := d.compare(&e), x.Cmp(y); got != want {
			t.Errorf("%s and %s compare as %d, want %d", a, b, got, want)
		}
		if got := string(d.appendKey(nil)) == string(e.appendKey(nil)); got != (x.Cmp(y) == 0) {
			t.Errorf("the keys of %s and %s: the same: %v", a, b, got)
		}
		if got := isInteger([]byte(a)); got != x.IsInt() {
			t.Errorf("%s is an integer: %v", a, got)
		}
		if y.Sign() > 0 {
			if got, want := d.isMultipleOf(&e), new(big.Rat).Quo(x, y).IsInt(); got != want {
				t.Errorf("%s is a multiple of %s: %v", a, b, got)
			}
		}
		if got, want := isSafe([]byte(a)), jsonstream.SafeNumber([]byte(a)); got != want {
			t.Errorf("%s is safe: %v", a, got)
		}
	})
}
