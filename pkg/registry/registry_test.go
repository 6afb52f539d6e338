package registry_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/registry"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

func parse(t *testing.T, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// Every built-in schema is in the registry, with the name and version of its file.
func TestEmbedded(t *testing.T) {
	r, err := registry.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(r.All()), len(schemas.Names()); got != want || got == 0 {
		t.Fatalf("%d schemas, want %d", got, want)
	}
	for _, s := range r.All() {
		if s.Version == "" || s.Name+"-"+s.Version+".schema.json" != s.File || s.ID != schemas.Base+s.File {
			t.Errorf("%+v", s)
		}
	}
}

func TestFind(t *testing.T) {
	r, err := registry.Open(fstest.MapFS{
		"message/2.9.json":  {Data: []byte(`{"$id":"https://example.com/2.9","title":"nine"}`)},
		"message/2.10.json": {Data: []byte(`{"title":"ten"}`)},
		"message/notes.txt": {Data: []byte(`x`)},
		"message/new.json":  {Data: []byte(`not a version`)},
		"answer/1.json":     {Data: []byte(`true`)},
	}, jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for called, want := range map[string]string{
		"message": "message/2.10.json", "message-2.9": "message/2.9.json", "message/2.9.json": "message/2.9.json",
		"https://example.com/2.9": "message/2.9.json", "answer": "answer/1.json",
	} {
		if s, err := r.Find(called); err != nil || s.File != want {
			t.Errorf("%s: %+v, error %v", called, s, err)
		}
	}
	for _, called := range []string{"", "message-3.0", "nowhere"} {
		if s, err := r.Find(called); !errors.Is(err, registry.ErrUnknown) {
			t.Errorf("%q: %+v, error %v", called, s, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"no versions": {"message/latest.json": {Data: []byte(`{}`)}},
		"no JSON":     {"message/2.0.json": {Data: []byte("{\n\"a\"}")}},
	} {
		if _, err := registry.Open(files, jsonstream.Limits{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestBundle(t *testing.T) {
	others := map[string]string{
		"https://example.com/b.json": `{"$id":"https://example.com/b.json","$schema":"x","$defs":{"n":{"type":"integer"}},"properties":{"self":{"$ref":"#"},"n":{"$ref":"#/$defs/n"},"back":{"$ref":"a.json#/properties/$ref"}}}`,
	}
	load := func(url string) (*jsonstream.Document, error) {
		if text, ok := others[url]; ok {
			return parse(t, text), nil
		}
		return nil, registry.ErrUnknown
	}
	for _, tt := range []struct{ name, in, want, problem string }{
		{name: "nothing to do", in: `{"properties": {"a":{"$ref":"#/$defs/x"}}, "$defs":{"x":{}}}`, want: `{"properties": {"a":{"$ref":"#/$defs/x"}}, "$defs":{"x":{}}}`},
		{name: "data is left alone", in: `{"const":{"$ref":"b.json"}}`, want: `{"const":{"$ref":"b.json"}}`},
		{
			name: "documents that refer to each other, and a member called $ref",
			in:   `{"$id":"https://example.com/a.json","properties":{"$ref":{"type":"string"},"b":{"$ref":"b.json#/$defs/n"}},"$defs":{"b":{}}}`,
			want: `{"$id":"https://example.com/a.json","properties":{"$ref":{"type":"string"},"b":{"$ref":"#/$defs/b-2/$defs/n"}},"$defs":{"b":{},"b-2":{"$defs":{"n":{"type":"integer"}},"properties":{"self":{"$ref":"#/$defs/b-2"},"n":{"$ref":"#/$defs/b-2/$defs/n"},"back":{"$ref":"#/properties/$ref"}}}}}`,
		},
		{name: "unknown", in: `{"$ref":"https://example.com/c.json"}`, problem: "no such schema"},
		{name: "an $id inside", in: `{"properties":{"a":{"$id":"x"}}}`, problem: "has an $id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := registry.Bundle(parse(t, tt.in), "", load, jsonstream.Limits{})
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got.Root().Raw())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A bundle of each built-in schema needs no other document, and gives the same verdicts about the
// examples as the schema.
func TestBundleOfEmbedded(t *testing.T) {
	r, err := registry.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.All() {
		bundle, err := registry.Bundle(s.Document(), s.URL(), r.Load, jsonstream.Limits{})
		if err != nil {
			t.Errorf("%s: %v", s.File, err)
			continue
		}
		for v := range bundle.Root().All() {
			if v.Name() == "$ref" && v.Kind() == jsonstream.String && !strings.HasPrefix(v.Text(), "#") {
				t.Errorf("%s: %s leads to %s", s.File, v.Pointer(), v.Text())
			}
		}
		bundled, err := validate.CompileSchema("urn:bundle", bundle.Root().Raw(), nil)
		if err != nil {
			t.Errorf("%s: %v", s.File, err)
			continue
		}
		original, err := validate.EmbeddedSchema(s.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range schemas.Examples() {
			text, err := schemas.Example(kind)
			if err != nil {
				t.Fatal(err)
			}
			root := parse(t, string(text)).Root()
			if got, want := len(bundled.Check(root)), len(original.Check(root)); got != want {
				t.Errorf("%s, example %s: %d findings by the bundle, %d by the schema", s.File, kind, got, want)
			}
		}
	}
}

// Section 7.1: minor versions are backward compatible, so a receiver can read earlier ones.
func TestFor(t *testing.T) {
	r, err := registry.Open(fstest.MapFS{
		"message/2.1.json": {Data: []byte(`{}`)}, "message/2.3.json": {Data: []byte(`{}`)}, "message/3.0.json": {Data: []byte(`{}`)},
	}, jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	versions, err := r.Versions("")
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{"2.0": "2.1", "2.1": "2.1", "2.2": "2.3", "2.3": "2.3", "2.9": "2.3", "3.0": "3.0", "3.4": "3.0", "1.0": "", "4.0": "", "x": "", "": ""} {
		got := ""
		if s := registry.For(versions, version); s != nil {
			got = s.Version
		}
		if got != want {
			t.Errorf("%q is read by %q, want %q", version, got, want)
		}
	}
}

func TestVersionOf(t *testing.T) {
	for _, tt := range []struct{ file, id, want string }{
		{"message/2.1.json", "", "2.1"}, {"message-2.1.schema.json", "", "2.1"}, {"a/message-3.json", "", "3"},
		{"new.json", "https://example.com/message-2.1.schema.json", "2.1"}, {"new.json", "https://example.com/2.1", "2.1"}, {"new.json", "", ""},
	} {
		if got := registry.VersionOf(tt.file, tt.id); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
