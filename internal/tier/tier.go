// Package tier tells tests which of two tiers runs. The first tier, "go test ./...", runs every
// test, with a sample of the cases where a test has many. The second tier runs all cases.
// CONTRIBUTING.md lists both.
package tier

import (
	"os"
	"testing"
)

// Variable is the environment variable that selects the second tier: any value but the empty
// string does.
const Variable = "FULL_TESTS"

// Full reports whether the second tier runs.
func Full() bool { return os.Getenv(Variable) != "" }

// Count returns the number of cases to run: sample in the first tier, full in the second.
func Count(sample, full int) int {
	if Full() {
		return full
	}
	return sample
}

// SkipUnlessFull skips a test in the first tier. The reason says what makes the test slow and which
// test of the first tier covers the same rule.
func SkipUnlessFull(t testing.TB, reason string) {
	t.Helper()
	if !Full() {
		t.Skipf("set %s=1 to run this test: %s", Variable, reason)
	}
}
