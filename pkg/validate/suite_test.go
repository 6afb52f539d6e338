package validate

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"
)

// suite is the official JSON Schema test suite; its version is in package schema.
const suite = "../internal/schema/testdata/json-schema-test-suite.zip"

// Every invalid case of draft 2020-12 has findings with a text and a place.
func TestJSONSchemaSuite(t *testing.T) {
	archive, err := zip.OpenReader(suite)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	load := func(url string) ([]byte, error) {
		name, ok := strings.CutPrefix(url, "http://localhost:1234/")
		if !ok {
			return nil, errors.New("unexpected reference to " + url)
		}
		return fs.ReadFile(archive, path.Join("remotes", name))
	}
	files, err := fs.Glob(archive, "tests/draft2020-12/*.json")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, file := range files {
		text, err := fs.ReadFile(archive, file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			s, err := CompileSchema("file:///schema.json", g.Schema, load)
			if err != nil {
				t.Errorf("%s: %v", g.Description, err)
				continue
			}
			for _, c := range g.Tests {
				cases++
				findings := s.Check(parseMessage(t, string(c.Data)).Root())
				if valid := len(findings) == 0; valid != c.Valid && path.Base(file) != "format.json" { // formats are annotations there
					t.Errorf("%s, %s: valid %v, want %v: %v", g.Description, c.Description, valid, c.Valid, findings)
				}
				for _, f := range findings {
					if f.Message == "" || f.Rule == "" || f.Line < 1 || f.Column < 1 || strings.ContainsAny(f.Message, "\n\t") || strings.Contains(f.Message, "breaks the rule") {
						t.Errorf("%s, %s: %+v", g.Description, c.Description, f)
					}
				}
			}
		}
	}
	if cases < 1200 {
		t.Errorf("only %d cases", cases)
	}
}
