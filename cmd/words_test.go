package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/eaapl/handoff/internal/report"
)

// TestWords checks that handoff explain knows every reason, verdict and state that the source defines.
func TestWords(t *testing.T) {
	constant := regexp.MustCompile(`(?m)^(?:const |\t)\w+\s+(finding\.Reason|Reason|State|Event|Status|Code|AnswerCheck)\s+= "([^"]+)"`)
	for _, pattern := range []string{
		"pkg/sign", "internal/chunked", "pkg/provider", "pkg/validate", "pkg/formats/*", "relay/receiver", "relay/deliver", "relay/audit",
	} {
		files, err := filepath.Glob(filepath.Join("..", pattern, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range constant.FindAllSubmatch(text, -1) {
				if isMACP := filepath.Base(filepath.Dir(file)) == "macp"; isMACP && string(m[1]) != "finding.Reason" {
					continue // the states of its sessions are in documents, not in reports
				}
				found++
				if name := string(m[2]); report.WordsNamed(name) == nil {
					t.Errorf("%s: handoff explain does not know %q", file, name)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no constants", pattern)
		}
	}
	for _, r := range report.Rules() {
		if r.Reason != "" && report.WordsNamed(string(r.Reason)) == nil {
			t.Errorf("%s: handoff explain does not know its reason %s", r.ID, r.Reason)
		}
	}
}
