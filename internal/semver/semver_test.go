package semver

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	oracle "github.com/Masterminds/semver/v3"
)

// The example of Semantic Versioning 2.0.0, item 11.
func TestPrecedence(t *testing.T) {
	ordered := strings.Fields("1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 2.0.0 2.1.0 2.1.1")
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := mustParse(t, a).Compare(mustParse(t, b)), compareInts(i, j); got != want {
				t.Errorf("%s to %s: %d", a, b, got)
			}
		}
	}
}

func compareInts(i, j int) int {
	switch {
	case i < j:
		return -1
	case i > j:
		return 1
	}
	return 0
}

func mustParse(t *testing.T, text string) Version {
	v, err := Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

func TestRange(t *testing.T) {
	for _, tt := range []struct{ text, in, out string }{
		{"1.2.3", "1.2.3 1.2.3+build", "1.2.4 1.2.3-alpha"},
		{"=1.2", "1.2.0 1.2.9", "1.3.0 1.1.9"},
		{">=2.0 <3", "2.0.0 2.9.9", "1.9.9 3.0.0 2.5.0-alpha"},
		{">=2.0, <3", "2.0.0", "3.0.0"},
		{">1", "2.0.0", "1.9.9 1.0.0"},
		{">1.2", "1.3.0", "1.2.9"},
		{"<=1", "1.9.9 0.1.0", "2.0.0"},
		{"<=1.2", "1.2.9", "1.3.0"},
		{"~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"},
		{"~1", "1.0.0 1.9.9", "2.0.0"},
		{"^1.2.3", "1.2.3 1.9.9", "2.0.0 1.2.2"},
		{"^0.2.3", "0.2.3 0.2.9", "0.3.0"},
		{"^0.0.3", "0.0.3", "0.0.4"},
		{"^0.0", "0.0.9", "0.1.0"},
		{"^*", "0.0.1 7.0.0", "1.0.0-alpha"},
		{"1.x", "1.0.0 1.9.9", "2.0.0"},
		{"*", "0.0.0 1.2.3", "1.2.3-alpha"},
		{"!=1.2", "1.3.0", "1.2.3"},
		{"1.2 - 1.4", "1.2.0 1.4.9", "1.5.0 1.1.0"},
		{">=1.0.0-beta", "1.0.0-beta 1.0.0-rc.1 1.0.0 2.0.0-alpha", "1.0.0-alpha"},
		{"^1 || ^3", "1.2.3 3.2.1", "2.0.0"},
	} {
		r, err := ParseRange(tt.text)
		if err != nil {
			t.Fatalf("%q: %v", tt.text, err)
		}
		for v := range strings.FieldsSeq(tt.in) {
			if !r.Contains(mustParse(t, v)) {
				t.Errorf("%q does not contain %s", tt.text, v)
			}
		}
		for v := range strings.FieldsSeq(tt.out) {
			if r.Contains(mustParse(t, v)) {
				t.Errorf("%q contains %s", tt.text, v)
			}
		}
	}
}

func TestInvalid(t *testing.T) {
	for _, text := range []string{"", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3+", "1.2.x", "1.2.3.4", "1.2.3-a..b", "1.2.3 ", "99999999999999999999.0.0"} {
		if v, err := Parse(text); err != ErrVersion {
			t.Errorf("%q: %v, %v", text, v, err)
		}
	}
	for _, text := range []string{"", " ", "||", "^1 ||", ">", ">=1.2<2", "1,", ",1", "1.2 -1.4", ">1 - 2", "1 - 2 - 3", "=> =1", "1.2.3.4", "latest", "1|2", strings.Repeat("1 ", 300), strings.Repeat("1||", 40) + "1"} {
		if r, err := ParseRange(text); err != ErrRange {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
}

// TestOracle compares with github.com/Masterminds/semver/v3 on random texts.
func TestOracle(t *testing.T) {
	valid := 0
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := randomRange(r)
		if compare(t, text, randomVersion(r)) {
			valid++
		}
	}
	if valid < 5_000 {
		t.Errorf("only %d valid ranges", valid)
	}
}

func FuzzRange(f *testing.F) {
	f.Add(">=2.0 <3 || ^0.2.3-alpha.1", "2.1.0")
	f.Add("1.2 - v1.4.x, !=1.3", "1.4.0-rc.1+build")
	f.Fuzz(func(t *testing.T, text, version string) { compare(t, text, version) })
}

// compare compares the verdicts about a range and a version, and reports whether both read the range. They
// differ on purpose: the oracle reads a part after a wildcard that is not a number, reads A - B without a space
// after it but not after another comparison, and, against its documentation, ^* and <=* are not all releases and
// ~0.0.0 is.
func compare(t *testing.T, text, version string) bool {
	t.Helper()
	ours, err := ParseRange(text)
	theirs, err2 := oracle.NewConstraint(text)
	if (err == nil) != (err2 == nil) {
		if !slices.Contains(strings.Fields(text), "-") && (err == nil || !strings.ContainsAny(text, "xX*")) {
			t.Fatalf("%q: %v, oracle %v", text, err, err2)
		}
		return false
	}
	v, err3 := Parse(version)
	w, err4 := oracle.StrictNewVersion(version)
	if (err3 == nil) != (err4 == nil) {
		t.Fatalf("%q: %v, oracle %v", version, err3, err4)
	}
	p, err5 := ParsePartial(version)
	q, err6 := oracle.NewVersion(version)
	if (err5 == nil) != (err6 == nil) || err5 == nil && p.String() != oracle.New(q.Major(), q.Minor(), q.Patch(), q.Prerelease(), "").String() {
		t.Fatalf("%q: %v %v, oracle %v %v", version, p, err5, q, err6)
	}
	if err != nil || err3 != nil {
		return false
	}
	for _, a := range ours.either {
		for _, c := range a.comparisons {
			if c.numbers == 0 && (c.operator == "^" || c.operator == "<=" || c.operator == "=<") || strings.HasPrefix(c.operator, "~") && c.numbers == 3 && c.Major+c.Minor+c.Patch == 0 {
				return true
			}
		}
	}
	if got, want := ours.Contains(v), theirs.Check(w); got != want {
		t.Fatalf("%q, %s: %v, oracle %v", text, version, got, want)
	}
	return true
}

func randomVersion(r *rand.Rand) string {
	text := fmt.Sprintf("%d.%d.%d", r.IntN(3), r.IntN(3), r.IntN(3))
	if r.IntN(3) == 0 {
		text += "-" + pick(r, "alpha", "alpha.1", "beta", "0", "1", "10", "a-b")
	}
	if r.IntN(8) == 0 {
		text += "+" + pick(r, "b", "b-1", "01")
	}
	return text
}

func randomRange(r *rand.Rand) string {
	var b strings.Builder
	for n := 1 + r.IntN(3); n > 0; n-- {
		b.WriteString(pick(r, "", " ", ""))
		b.WriteString(pick(r, "", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^", "^", "<>"))
		b.WriteString(pick(r, "", "", " "))
		b.WriteString(pick(r, "", "", "", "v"))
		numbers := strings.Split(randomVersion(r), ".")
		for i := range min(3, len(numbers)) {
			if r.IntN(6) == 0 {
				numbers[i] = pick(r, "x", "X", "*", "01", "1x", "")
			}
		}
		b.WriteString(strings.Join(numbers[:1+r.IntN(len(numbers))], "."))
		if n > 1 {
			b.WriteString(pick(r, " ", " ", ", ", ",", " || ", "||", " - ", " -", ""))
		}
	}
	return b.String()
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }
