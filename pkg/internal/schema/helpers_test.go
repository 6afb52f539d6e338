package schema

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

const schemaURL = "https://example.com/schema.json"

func parse(t testing.TB, text []byte) *jsonstream.Document {
	t.Helper()
	d, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return d
}

// A Verdict is the result of a validation.
type Verdict int

const (
	Undecided Verdict = iota // it has unsafe numbers, or the library fails
	Valid
	Invalid
)

func verdict(r *Run, v jsonstream.Value) Verdict {
	switch {
	case hasUnsafeNumber(v):
		return Undecided
	case r.Valid(v):
		return Valid
	default:
		return Invalid
	}
}

func (v Verdict) String() string {
	return [...]string{"undecided", "valid", "invalid"}[v]
}

func options() Options {
	return Options{Formats: map[string]func(string) bool{
		"semver-range":      isSemverRange,
		"iso8601-date-time": iso8601.IsDateTime[string],
		"date-time":         rfc3339.IsDateTime[string],
		"date":              rfc3339.IsDate[string],
		"time":              rfc3339.IsTime[string],
	}}
}

func isSemverRange(text string) bool {
	_, err := semver.ParseRange(text)
	return err == nil && strings.TrimSpace(text) != ""
}

// A reference is the library's schema with which programs must agree.
type reference struct {
	library  *Library
	document jsonstream.Value
}

// newReference compiles a schema with the library, in the vocabulary of package validate.
func newReference(url string, text []byte) (reference, error) {
	document, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		return reference{}, err
	}
	o := options()
	o.Load = loadOurs
	library, err := NewLibrary(url, document, o)
	return reference{library, document.Root()}, err
}

// verdict returns [Undecided] if the library fails.
func (ref reference) verdict(v jsonstream.Value) Verdict {
	if hasUnsafeNumber(v) {
		return Undecided
	}
	causes, err := ref.library.Explain(v, allCauses)
	switch {
	case err != nil:
		return Undecided
	case len(causes) > 0:
		return Invalid
	default:
		return Valid
	}
}

// allCauses is a limit that no test reaches.
const allCauses = 1 << 20

// explainAlike fails unless a program and the library find the same causes in a document. Programs
// that do not stream are excepted, because the library repeats causes, and so are those of other
// drafts.
func explainAlike(t *testing.T, p *Program, ref reference, v jsonstream.Value) {
	t.Helper()
	if p.Streams() != nil || p.schema.resource.dialect.version != 2020 {
		return
	}
	if hasUnsafeNumber(v) || bytes.Contains(v.Raw(), []byte(`"":`)) { // the library's places omit empty names
		return
	}
	got := p.Explain(v, allCauses)
	want, err := ref.library.Explain(v, allCauses)
	if err != nil {
		return
	}
	if diff := cmp.Diff(describeAll(want), describeAll(got)); diff != "" {
		t.Fatalf("(-library +program):\n%s\n%s\n%s", diff, ref.document.Raw(), v.Raw())
	}
}

// describeAll returns the places of causes, each once.
func describeAll(causes []Cause) []string {
	var list []string
	for _, c := range causes {
		list = append(list, describe(c))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func describe(c Cause) string {
	text := fmt.Sprintf("%q %v %s at %s%s, %q repeats %q", c.Value.Pointer(), c.OfName, c.Keyword, c.url, c.Rule.Pointer(), c.Place.Pointer(), c.Earlier.Pointer())
	if c.Keyword == "contains" || c.Keyword == "minContains" {
		text += fmt.Sprint(", found ", c.Found)
	}
	for _, b := range c.Branches {
		text += fmt.Sprintf("; lacks %q, rejected by %q", b.Lacks.Pointer(), describeAll(b.Rejections))
	}
	return text
}

// hasUnsafeNumber reports whether a document has a number about which neither decides.
func hasUnsafeNumber(v jsonstream.Value) bool {
	for n := range v.All() {
		if n.Kind() == jsonstream.Number && !jsonstream.SafeNumber(n.Raw()) {
			return true
		}
	}
	return false
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skipf("%s is not here", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}
