package check

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
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
// counts and, below invalid, one with the name of a reason. A file in neither is expected to be valid. A folder
// that looks like a reason, but is none, is an error: its fixtures could fail for any reason.
func expectationFor(expect, path string) (string, error) {
	if expect != "auto" {
		return expect, nil
	}
	folders := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' })
	if len(folders) > 0 {
		folders = folders[:len(folders)-1]
	}
	for i, folder := range slices.Backward(folders) {
		switch folder {
		case "valid":
			return "valid", nil
		case "invalid":
			switch {
			case i+1 == len(folders):
				return "invalid", nil
			case slices.Contains(validate.Reasons(), finding.Reason(folders[i+1])):
				return "invalid:" + folders[i+1], nil
			case hasReasonForm(folders[i+1]) || slices.Contains(validate.Reasons(), finding.Reason(strings.ToUpper(folders[i+1]))):
				return "", fmt.Errorf("the folder invalid/%s is not named after a reason: use one of %s", term.Visible(folders[i+1]), strings.Join(cli.Names(validate.Reasons()), ", "))
			}
			return "invalid", nil
		}
	}
	return "valid", nil
}

// hasReasonForm reports whether a name consists of words in capitals, joined by underscores, as most reasons do.
func hasReasonForm(name string) bool {
	words := strings.Split(name, "_")
	return len(words) > 1 && !slices.ContainsFunc(words, func(word string) bool { return word == "" || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" })
}

// profileName is the name of receiver profiles that --expect auto finds.
const profileName = "receiver.yaml"

// profileFor returns the receiver profile beside a file or, if there is none, in the nearest folder above it;
// "" if there is none.
func profileFor(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		profile := filepath.Join(dir, profileName)
		if info, err := os.Stat(profile); err == nil && info.Mode().IsRegular() {
			return profile
		}
		if base := filepath.Base(dir); base == "." || base == ".." || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// validatorFor returns the validator for a source: with --expect auto, and without a receiver in the flags, that
// of the receiver whose profile is nearest to it. It may be called concurrently.
func (v *validation) validatorFor(c *cobra.Command, path string) (*validate.Validator, error) {
	otherFormat := v.flags.From != "" && v.flags.From != format.EAAPL // which has no receiver
	if v.flags.expect != "auto" || path == "" || otherFormat || v.options.Receiver != nil || v.options.Schema != nil {
		return v.validator, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	dir := filepath.Dir(path)
	profile, known := v.profiles[dir]
	if !known {
		profile = profileFor(path)
		v.profiles[dir] = profile
	}
	if found := v.validators[profile]; found != nil {
		return found, nil
	}
	flags, o := v.flags.receiver, v.options
	flags.Profile = profile
	var err error
	if o.Receiver, err = flags.Load(v.flags.Globals, nil); err != nil {
		return nil, err
	}
	if o.Verifier, err = flags.Verifier(v.flags.Globals, c, o.Receiver); err != nil {
		return nil, err
	}
	o.Formats = nil // as with --receiver
	v.validators[profile] = validate.New(o)
	return v.validators[profile], nil
}

// expectOf compares the outcome with the expected one.
func expectOf(r *report.Record, expected string) {
	verdict, reason, _ := strings.Cut(expected, ":")
	r.Expected = expected
	r.Unexpected = r.Valid != (verdict == "valid") || string(r.Reason) != cmp.Or(reason, string(r.Reason))
}
