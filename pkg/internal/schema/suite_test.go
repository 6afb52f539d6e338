package schema

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
)

// suite is the official JSON Schema test suite, of which ../shared/vectors has a
// copy: https://github.com/json-schema-org/JSON-Schema-Test-Suite.
const suite = "../../../../shared/vectors/json-schema-draft2020-12"

// Groups that the library decides otherwise than the suite: by file and description, ""
// for the whole file.
var deviations = []struct{ file, group, why string }{
	{"format.json", "", "the suite asks that formats be comments; here they are rules"},
	{"enum.json", "empty enum", "the library takes an empty enum for none"},
	{"uri.json", "validation of URIs", "the library accepts what net/url does"},
}

func isDeviation(file, group string) bool {
	for _, d := range deviations {
		if d.file == file && (d.group == "" || d.group == group) {
			return true
		}
	}
	return false
}

// What the program says of the suite's cases is what jsonschema/v5 says, and, but for
// the deviations, what the suite says.
func TestSuite(t *testing.T) {
	readFile(t, filepath.Join(suite, "LICENSE"))
	files, err := filepath.Glob(filepath.Join(suite, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	formats, err := filepath.Glob(filepath.Join(suite, "format", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	groups, covered, cases, undecided := 0, 0, 0, 0
	for _, file := range append(files, formats...) {
		var list []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(readFile(t, file), &list); err != nil {
			t.Fatal(err)
		}
		for _, g := range list {
			groups++
			name := filepath.Base(file) + ": " + g.Description
			p, err := Compile(schemaURL, parse(t, g.Schema), options())
			if err != nil {
				if e := (*UncoveredError)(nil); !errors.As(err, &e) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			ref, err := newReference(schemaURL, g.Schema)
			if err != nil {
				t.Errorf("%s: the library rejects the schema: %v", name, err)
				continue
			}
			covered++
			r := p.NewRun()
			for _, c := range g.Tests {
				cases++
				v := parse(t, c.Data).Root()
				explainAlike(t, p, ref, v)
				got, want := verdict(r, v), ref.verdict(v)
				if got == Undecided {
					undecided++
					continue
				}
				if got != want {
					t.Errorf("%s: %s: %v, the library says %v", name, c.Description, got, want)
				}
				if c.Valid != (got == Valid) && !isDeviation(filepath.Base(file), g.Description) {
					t.Errorf("%s: %s: %v, the suite says otherwise", name, c.Description, got)
				}
			}
		}
	}
	t.Logf("%d of %d groups are covered, with %d cases, %d of them undecided", covered, groups, cases, undecided)
	if covered < 275 || cases-undecided < 1200 {
		t.Errorf("%d groups are covered, and %d cases decided: fewer than there were", covered, cases-undecided)
	}
}
