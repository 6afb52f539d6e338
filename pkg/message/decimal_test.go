package message_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/message"
)

func decimal(t tester, n message.Number) message.Decimal {
	t.Helper()
	d, err := n.Decimal()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Values are exact within the bounds of jsonstream.SafeNumber, and errors beyond: the bounds
// limit the cost of every number.
func TestNumberDecimal(t *testing.T) {
	for number, want := range map[message.Number]string{
		"0": "0", "-0": "0", "0.10": "0.1", "1e3": "1000", "1E-3": "0.001", "9007199254740993": "9007199254740993",
		"-0.050": "-0.05", "-12.5e1": "-125", "1.25e+1": "12.5", "0e5": "0", "100": "100",
		"0.1e-1000": "within", "1e1000": "within",
		"1e1001": "beyond", "1e5000000": "beyond", "1e-999999999": "beyond", "1e99999999999999999999": "beyond",
		message.Number(strings.Repeat("9", 1001)): "beyond", "": "beyond", "x": "beyond", ".": "beyond", "1_0": "beyond", "0x1": "beyond", "1.-5": "beyond", "1e": "beyond", "1/2": "beyond",
	} {
		d, err := number.Decimal()
		switch {
		case (err != nil) != (want == "beyond"):
			t.Errorf("%.30s: error %v", number, err)
		case err != nil && len(err.Error()) > 200:
			t.Errorf("%.30s: an error of %d bytes", number, len(err.Error()))
		case err == nil && want != "within" && d.String() != want:
			t.Errorf("%s: got %s, want %s", number, d, want)
		}
	}
}

// Halves are rounded away from zero.
func TestDecimalQuo(t *testing.T) {
	for _, tt := range []struct {
		d, e   message.Number
		places int
		want   string
	}{
		{"1", "3", 4, "0.3333"}, {"2", "3", 4, "0.6667"}, {"-2", "3", 1, "-0.7"}, {"0.5", "1", 0, "1"}, {"-0.5", "1", 0, "-1"},
		{"0.4999", "1", 0, "0"}, {"1", "0.001", 2, "1000"}, {"2.5", "-1", 0, "-3"}, {"0", "7", 3, "0"},
	} {
		if got := decimal(t, tt.d).Quo(decimal(t, tt.e), tt.places).String(); got != tt.want {
			t.Errorf("%s / %s to %d places: got %s, want %s", tt.d, tt.e, tt.places, got, tt.want)
		}
	}
	if got := message.NewDecimal(-1255, 3).Round(2).String(); got != "-1.26" {
		t.Errorf("-1.255 to 2 places: %s", got)
	}
}

// Arithmetic equals that of math/big's fractions: 0.1 + 0.2 is 0.3.
func TestDecimalIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Custom(func(t *rapid.T) message.Number {
			return message.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,2})?`).Draw(t, "text"))
		})
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		rat := func(text string) *big.Rat {
			r, ok := new(big.Rat).SetString(text)
			if !ok {
				t.Fatalf("%s is no number", text)
			}
			return r
		}
		d, e, x, y := decimal(t, a), decimal(t, b), rat(string(a)), rat(string(b))
		for _, c := range []struct {
			what string
			got  message.Decimal
			want *big.Rat
		}{
			{"a", d, x}, {"a + b", d.Add(e), new(big.Rat).Add(x, y)}, {"a - b", d.Sub(e), new(big.Rat).Sub(x, y)}, {"a b", d.Mul(e), new(big.Rat).Mul(x, y)},
			{"-a", d.Neg(), new(big.Rat).Neg(x)}, {"|a|", d.Abs(), new(big.Rat).Abs(x)}, {"0 + a", message.Decimal{}.Add(d), x},
			{"a to 3 places", d.Round(3), rat(x.FloatString(3))},
		} {
			if text := c.got.String(); rat(text).Cmp(c.want) != 0 || strings.Contains(text, ".") && strings.HasSuffix(text, "0") {
				t.Fatalf("%s: got %s, want %s", c.what, text, c.want)
			}
		}
		if d.Cmp(e) != x.Cmp(y) || d.Sign() != x.Sign() || d.Equal(e) != (x.Cmp(y) == 0) {
			t.Fatalf("compared: %d, sign %d", d.Cmp(e), d.Sign())
		}
		if y.Sign() != 0 {
			if got, want := d.Quo(e, 5).String(), new(big.Rat).Quo(x, y).FloatString(5); rat(got).Cmp(rat(want)) != 0 {
				t.Fatalf("a / b: got %s, want %s", got, want)
			}
		}
	})
}
