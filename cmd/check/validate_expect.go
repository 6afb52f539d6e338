package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// expectations are the values of --expect.
func expectations() []string {
	list := []string{"auto", "valid", "invalid"}
	for _, reason := range validate.Reasons() {
		list = append(list, "invalid:"+string(reason))
	}
	return list
}

func checkExpectation(expect string) error {
	if expect == "" || slices.Contains(expectations(), expect) {
		return nil
	}
	return fmt.Errorf("--expect %q: use one of %s", expect, strings.Join(expectations(), ", "))
}

// expectationFor resolves auto by the directories above a file: the nearest one called valid or invalid
// counts and, below invalid, one with the name of a reason. A file in neither is expected to be valid.
func expectationFor(expect, path string) string {
	if expect != "auto" {
		return expect
	}
	folders := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' })
	if len(folders) > 0 {
		folders = folders[:len(folders)-1]
	}
	for i, folder := range slices.Backward(folders) {
		switch folder {
		case "valid":
			return "valid"
		case "invalid":
			if i+1 < len(folders) && slices.Contains(validate.Reasons(), finding.Reason(folders[i+1])) {
				return "invalid:" + folders[i+1]
			}
			return "invalid"
		}
	}
	return "valid"
}

// expectOf compares the outcome with the expected one.
func expectOf(r *report.Record, expected string) {
	verdict, reason, _ := strings.Cut(expected, ":")
	r.Expected = expected
	r.Unexpected = r.Valid != (verdict == "valid") || string(r.Reason) != cmp.Or(reason, string(r.Reason))
}
