package schema

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// suite is the official JSON Schema test suite,
// https://github.com/json-schema-org/JSON-Schema-Test-Suite at commit 44401e0c: the supported
// drafts, and the schemas to which its cases refer.
const suite = "testdata/json-schema-test-suite.zip"

// suiteDrafts are the metaschemas of the suite's folders.
var suiteDrafts = map[string]string{
	"draft4":       "http://json-schema.org/draft-04/schema#",
	"draft6":       "http://json-schema.org/draft-06/schema#",
	"draft7":       "http://json-schema.org/draft-07/schema#",
	"draft2019-09": "https://json-schema.org/draft/2019-09/schema",
	"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}

// deviations are the cases with another verdict than in the suite: by file and group, "" for the
// whole file.
var deviations = []struct{ file, group, why string }{
	{"format.json", "", "the suite asks that formats be annotations; here they are asserted"},
	{"draft7/optional/content.json", "", "contentEncoding and contentMediaType are annotations since 2019-09"},
	{"optional/zeroTerminatedFloats.json", "", "1.0 is an integer, as in all drafts since 6"},
	{"optional/format/idn-hostname.json", "", "the formats of IDNA are annotations"},
	{"optional/format/idn-email.json", "", "the formats of IDNA are annotations"},
	{"optional/format/hostname.json", "validation of A-label (punycode) host names", "A-labels are not decoded"},
}

// A suiteGroup is a schema of the suite with its cases.
type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// TestSuite compares runs and causes with the official test suite of every draft, except for the deviations.
func TestSuite(t *testing.T) {
	archive, err := zip.OpenReader(suite)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	o := options()
	o.Load = func(url string) (*jsonstream.Document, error) {
		text, err := fs.ReadFile(archive, path.Join("remotes", strings.TrimPrefix(url, "http://localhost:1234/")))
		if err != nil {
			return nil, err
		}
		return jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	}
	cases := map[string]int{}
	for _, file := range archive.File {
		name, isTest := strings.CutPrefix(file.Name, "tests/")
		if !isTest {
			continue
		}
		draft, _, _ := strings.Cut(name, "/")
		for _, g := range groupsOf(t, file) {
			if isDeviation(name, g.Description) {
				continue
			}
			p, err := Compile("file:///schema.json", parse(t, ofDraft(g.Schema, suiteDrafts[draft])), o)
			if err != nil {
				t.Errorf("%s: %s: %v", name, g.Description, err)
				continue
			}
			r := p.NewRun()
			for _, c := range g.Tests {
				cases[draft]++
				v := parse(t, c.Data).Root()
				valid := r.Valid(v)
				if valid != c.Valid {
					t.Errorf("%s: %s: %s: %v, the suite says otherwise", name, g.Description, c.Description, valid)
				}
				if causes := p.Explain(v, allCauses); valid != (len(causes) == 0) {
					t.Errorf("%s: %s: %s: %v, and the causes are %v", name, g.Description, c.Description, valid, causes)
				}
			}
		}
	}
	for draft := range suiteDrafts {
		if cases[draft] < 800 {
			t.Errorf("%s: only %d cases", draft, cases[draft])
		}
	}
}

func isDeviation(file, group string) bool {
	for _, d := range deviations {
		if strings.HasSuffix("/"+file, "/"+d.file) && (d.group == "" || d.group == group) {
			return true
		}
	}
	return false
}

func groupsOf(t *testing.T, file *zip.File) []suiteGroup {
	t.Helper()
	r, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatalf("%s: %v", file.Name, err)
	}
	return groups
}

// ofDraft adds $schema to a schema that has none.
func ofDraft(schema []byte, metaschema string) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil || members["$schema"] != nil {
		return schema
	}
	comma := ","
	if len(members) == 0 {
		comma = ""
	}
	return bytes.Replace(schema, []byte("{"), []byte(`{"$schema":"`+metaschema+`"`+comma), 1)
}
