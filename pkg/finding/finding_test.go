package finding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func ExampleFinding() {
	f := finding.Finding{
		Layer: finding.Schema, Severity: finding.Error, Rule: "schema/type",
		Message: "expected array: found a string",
	}
	f = f.At("/constraints", jsonstream.Position{Line: 3, Column: 18, Offset: 71})
	fmt.Printf("%d:%d: %s: %s [%s]\n", f.Line, f.Column, f.Severity, f.PlacedMessage(), f.Rule)
	// Output: 3:18: error: /constraints: expected array: found a string [schema/type]
}

func TestDetails(t *testing.T) {
	if got := finding.Details([]finding.Finding{{Message: "a"}, {Pointer: "/b", Message: "b"}}); got != "a; /b: b" {
		t.Errorf("the details are %q", got)
	}
	long := make([]finding.Finding, 1000)
	for i := range long {
		long[i].Message = strings.Repeat("x", 1000)
	}
	if got := finding.Details([]finding.Finding{{Message: strings.Repeat("é", 1<<20)}}); len(got) > 10_000 || !strings.HasSuffix(got, "é…") {
		t.Errorf("one of %d bytes", len(got))
	}
	if got := finding.Details(long); len(got) > 10_000 || !strings.HasSuffix(got, "; and 992 more") {
		t.Errorf("%d bytes of details", len(got))
	}
}
