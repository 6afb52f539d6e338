// Package tier selects one of two tiers of tests. The first tier, "go test ./...", runs every test, with a
// sample of the cases if a test has many. The second tier runs all cases. CONTRIBUTING.md describes both.
package tier

import "os"

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
