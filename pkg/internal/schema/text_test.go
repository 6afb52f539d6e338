package schema

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"
)

// UUIDs are decided as the library decides; the times have a test of their own in
// package rfc3339.
func FuzzFormats(f *testing.F) {
	for _, text := range []string{
		"6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "6F9619FF-8B86-4D01-B42D-00CF4FC964FF", "6f9619ff8b864d01b42d00cf4fc964ff", "6f9619ff-8b86-4d01-b42d-00cf4fc964fg", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := isUUID([]byte(text)), jsonschema.Formats["uuid"](text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
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
		if got := isInteger([]byte(a)); got != x.IsInt() {
			t.Errorf("%s is an integer: %v", a, got)
		}
		if y.Sign() > 0 {
			if got, want := d.isMultipleOf(&e), new(big.Rat).Quo(x, y).IsInt(); got != want {
				t.Errorf("%s is a multiple of %s: %v", a, b, got)
			}
		}
	})
}
