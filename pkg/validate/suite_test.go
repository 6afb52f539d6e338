package validate

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// suite is the official JSON Schema test suite, of which ../shared/vectors has a
// copy: https://github.com/json-schema-org/JSON-Schema-Test-Suite.
const suite = "../../../shared/vectors/json-schema-draft2020-12"

// Groups that the library, version 5, decides otherwise than the suite, or that
// do not apply here: by file and description, "" for the whole file.
var suiteLimits = []struct{ file, group, why string }{
	{"format.json", "", "the suite asks that formats be comments; here they are rules"},
	{"enum.json", "empty enum", "the library takes an empty enum for none"},
	{"dynamicRef.json", "$dynamicRef skips over intermediate resources - direct reference", "the library takes the scope for wider"},
	{"uri.json", "validation of URIs", "the library accepts what Go's net/url does"},
}

// errRemote is what the suite's own server would answer.
var errRemote = errors.New("localhost:1234 is not asked")

// Valid and invalid are what the suite says; every invalid case has findings
// with words and a place.
func TestJSONSchemaSuite(t *testing.T) {
	readFile(t, filepath.Join(suite, "LICENSE")) // skips where there is no copy
	files, err := filepath.Glob(filepath.Join(suite, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	formats, err := filepath.Glob(filepath.Join(suite, "format", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	cases, remote := 0, 0
	for _, file := range append(files, formats...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct {
					Description string
					Data        json.RawMessage
					Valid       bool
				}
			}
			if err := json.Unmarshal(readFile(t, file), &groups); err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				if isSuiteLimit(filepath.Base(file), g.Description) {
					continue
				}
				s, err := CompileSchema("file:///schema.json", g.Schema, func(url string) ([]byte, error) {
					if strings.HasPrefix(url, "http://localhost:1234/") {
						return nil, errRemote
					}
					return nil, errors.New("unexpected reference to " + url)
				})
				if errors.Is(err, errRemote) {
					remote++
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", g.Description, err)
					continue
				}
				for _, c := range g.Tests {
					cases++
					findings := s.Check(parseMessage(t, string(c.Data)).Root())
					if valid := len(findings) == 0; valid != c.Valid {
						t.Errorf("%s, %s: valid %v, want %v: %v", g.Description, c.Description, valid, c.Valid, findings)
					}
					for _, f := range findings {
						if f.Message == "" || f.Rule == "" || f.Line < 1 || f.Column < 1 || strings.ContainsAny(f.Message, "\n\t") ||
							strings.Contains(f.Message, "breaks the rule") && f.Rule != "schema/minimum" /* of the metaschema */ {
							t.Errorf("%s, %s: %+v", g.Description, c.Description, f)
						}
					}
				}
			}
		})
	}
	if cases < 1000 || remote > 30 {
		t.Errorf("%d cases ran and %d groups need the suite's server: is the copy complete?", cases, remote)
	}
	t.Logf("%d cases; %d groups need the suite's server", cases, remote)
}

func isSuiteLimit(file, group string) bool {
	for _, limit := range suiteLimits {
		if limit.file == file && (limit.group == "" || limit.group == group) {
			return true
		}
	}
	return false
}

// The list of limits names groups that exist.
func TestSuiteLimitsAreNamed(t *testing.T) {
	for _, limit := range suiteLimits {
		if limit.group == "" {
			continue
		}
		folder := suite
		if limit.file == "uri.json" {
			folder += "/format"
		}
		var groups []struct{ Description string }
		if err := json.Unmarshal(readFile(t, filepath.Join(folder, limit.file)), &groups); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(groups, func(g struct{ Description string }) bool { return g.Description == limit.group }) {
			t.Errorf("%s has no group %q", limit.file, limit.group)
		}
	}
}
