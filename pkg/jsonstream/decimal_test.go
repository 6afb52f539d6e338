package jsonstream

import (
	"encoding/json"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// numbers are texts of JSON numbers, many of them equal or nearly so.
var numbers = rapid.StringMatching(`-?(0|[1-9][05]{0,3}|[1-9][0-9]{0,30})(\.[0-9]?0{0,2}[05]?|\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?`).
	Filter(func(text string) bool { return json.Valid([]byte(text)) })

func TestDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		d, e := ParseDecimal([]byte(a)), ParseDecimal([]byte(b))
		if got, want := d.Compare(&e), x.Cmp(y); got != want {
			t.Errorf("%s and %s compare as %d, want %d", a, b, got, want)
		}
		if got := IsInteger([]byte(a)); got != x.IsInt() {
			t.Errorf("%s is an integer: %v", a, got)
		}
		if y.Sign() > 0 {
			if got, want := d.IsMultipleOf(&e), new(big.Rat).Quo(x, y).IsInt(); got != want {
				t.Errorf("%s is a multiple of %s: %v", a, b, got)
			}
		}
	})
}
