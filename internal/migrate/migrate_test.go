package migrate_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/migrate"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// open returns the only migration of a registry, from 1.0 to 1.1.
func open(text string) (*migrate.Migration, error) {
	list, err := migrate.Open(fstest.MapFS{"m/1.0-to-1.1.json": {Data: []byte(text)}}, "m", jsonstream.Limits{})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

func TestApply(t *testing.T) {
	tests := []struct{ name, migration, in, want, did string }{
		{"rename keeps the place and the bytes", `{"steps":[{"rename":"/a","to":"c"}]}`, `{"a":1.50, "b":2}`, `{"c":1.50, "b":2}`, "rename /a"},
		{"rename in all elements", `{"steps":[{"rename":"/l/*/a","to":"b"}]}`, `{"l":[{"a":1},{"x":1},{"a":2}]}`, `{"l":[{"b":1},{"x":1},{"b":2}]}`, "rename /l/0/a, rename /l/2/a"},
		{"remove elements", `{"steps":[{"remove":"/l/*"}]}`, `{"l":[1,2]}`, `{"l":[]}`, "remove /l/0, remove /l/1"},
		{"remove one element", `{"steps":[{"remove":"/l/1"}]}`, `{"l":[1,2]}`, `{"l":[1]}`, "remove /l/1"},
		{"replace some values", `{"steps":[{"replace":"/s","values":{"x":null}}]}`, `{"s":"x"}`, `{"s":null}`, "replace /s"},
		{"replace no other values", `{"steps":[{"replace":"/s","values":{"x":"y"}}]}`, `{"s":"z"}`, `{"s":"z"}`, ""},
		{"add only what is not there", `{"steps":[{"add":"/a","value":1},{"add":"/b","value":2}]}`, `{"a":0}`, `{"a":0,"b":2}`, "add /b made up"},
		{"add nothing to what is not there", `{"steps":[{"add":"/x/a","value":1}]}`, `{"x":[]}`, `{"x":[]}`, ""},
		{"nothing at the place", `{"steps":[{"remove":"/a/b"},{"rename":"/a/b","to":"c"}]}`, `{"a":1}`, `{"a":1}`, ""},
		{"escaped names", `{"steps":[{"remove":"/a~1b/*~0"}]}`, `{"a/b":{"*~":1}}`, `{"a/b":{}}`, "remove /a~1b/*~0"},
		{"a member that is called *", `{"steps":[{"remove":"/a/*"}]}`, `{"a":{"*":1,"b":2}}`, `{"a":{"b":2}}`, "remove /a/*"},
		{"a JSON Patch", `[{"op":"move","from":"/a","path":"/b"}]`, `{"a":1}`, `{"b":1}`, "patch "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := open(tt.migration)
			if err != nil {
				t.Fatal(err)
			}
			got, done, err := m.Apply(parse(t, tt.in), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if text := string(got.Raw().Bytes); text != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
			var did []string
			for _, d := range done {
				text := d.Did + " " + d.Place
				if d.MadeUp {
					text += " made up"
				}
				did = append(did, text)
				if d.From != "1.0" || d.To != "1.1" || d.Detail == "" {
					t.Errorf("%+v", d)
				}
			}
			if text := strings.Join(did, ", "); text != tt.did {
				t.Errorf("did %q, want %q", text, tt.did)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for migration, want := range map[string]string{
		`{"steps":[{"rename":"/a","to":"b"}]}`:      `m/1.0-to-1.1.json: /steps/0: /a: a member "b" already exists`,
		`{"steps":[{"rename":"/l/0","to":"b"}]}`:    `m/1.0-to-1.1.json: /steps/0: /l/0: only members have names`,
		`[{"op":"remove","path":"/none"}]`:          `m/1.0-to-1.1.json: operation 0: `,
		`{"steps":[{"remove":"a"}]}`:                `remove: expected a JSON Pointer to a member: found "a"`,
		`{"steps":[{"remove":"/a","rename":"/b"}]}`: `has "remove" and "rename": make it two steps`,
		`{"steps":[{"rename":"/a"}]}`:               `rename needs a member "to"`,
		`{"steps":[{"add":"/a"}]}`:                  `add needs a member "value"`,
		`{"steps":[{}]}`:                            `expected a member rename, remove, replace or add`,
		`{"steps":[{"replace":"/a","values":[]}]}`:  `"values" is an object`,
		`{"steps":{}}`:                              `neither a JSON Patch nor an object`,
		`{"steps":[`:                                `line 1, column `,
		`[{"op":"none","path":"/a"}]`:               `line 1, column `,
	} {
		m, err := open(migration)
		if err == nil {
			_, _, err = m.Apply(parse(t, `{"a":1,"b":2,"l":[1]}`), jsonstream.Limits{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", migration, err, want)
		}
	}
}

func TestPath(t *testing.T) {
	of := func(from, to string) *migrate.Migration { return &migrate.Migration{From: from, To: to} }
	all := []*migrate.Migration{of("1.0", "1.1"), of("1.1", "2.0"), of("2.0", "1.1"), of("2.0", "3.0"), of("1.1", "3.0"), of("3.0", "1.0")}
	for ends, want := range map[[2]string]string{
		{"1.0", "1.0"}: "", {"1.0", "3.0"}: "1.0-1.1 1.1-3.0", {"3.0", "2.0"}: "3.0-1.0 1.0-1.1 1.1-2.0",
	} {
		path, err := migrate.Path(all, ends[0], ends[1])
		var steps []string
		for _, m := range path {
			steps = append(steps, m.From+"-"+m.To)
		}
		if got := strings.Join(steps, " "); err != nil || got != want {
			t.Errorf("%v: %q, error %v, want %q", ends, got, err, want)
		}
	}
	if _, err := migrate.Path(all, "1.0", "4.0"); !errors.Is(err, migrate.ErrNoPath) {
		t.Error(err)
	}
}

// For any migration and message, the result is JSON, and a step that reports no change changed nothing.
func FuzzApply(f *testing.F) {
	f.Add(`{"steps":[{"rename":"/a/*/b","to":"c"},{"add":"/d","value":[1]}]}`, `{"a":[{"b":1},{"b":2}]}`)
	f.Add(`{"steps":[{"remove":"/a/*"},{"replace":"/s","values":{"x":{}}}]}`, `{"a":[1,[2]],"s":"x"}`)
	f.Add(`[{"op":"add","path":"/a","value":1}]`, `{}`)
	f.Fuzz(func(t *testing.T, migration, message string) {
		m, err := open(migration)
		if err != nil {
			return
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(message)), jsonstream.Limits{})
		if err != nil {
			return
		}
		got, done, err := m.Apply(doc, jsonstream.Limits{})
		if err != nil {
			return
		}
		parse(t, string(got.Raw().Bytes))
		if len(done) == 0 && cmp.Diff(got.Raw().Bytes, doc.Raw().Bytes) != "" {
			t.Errorf("%s made %s of %s without a word", migration, got.Raw().Bytes, message)
		}
	})
}
