// Package registry finds the versions of JSON Schemas: the built-in ones and the ones in a directory
// (EAAPL-MAG006, sections 7.1 and 14.3). [Bundle] combines a schema and all documents that it refers to into
// one document, for validators that follow no references to other documents.
package registry

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// ErrUnknown reports that a registry does not have a schema.
var ErrUnknown = errors.New("no such schema")

// A Schema is one version of a schema.
type Schema struct {
	Name    string `json:"name"`
	Version string `json:"version"` // MAJOR or MAJOR.MINOR
	ID      string `json:"id,omitzero"`
	Title   string `json:"title,omitzero"`
	File    string `json:"file"` // within the registry

	document *jsonstream.Document
	number   semver.Version // 0.0.0 for a schema without a version
}

// URL returns the schema's $id, or else a URL by which [Registry.Load] finds it.
func (s *Schema) URL() string { return cmp.Or(s.ID, "file:///"+s.File) }

// Document returns the schema itself.
func (s *Schema) Document() *jsonstream.Document { return s.document }

// A Registry holds versions of schemas. It is immutable and safe for concurrent use.
type Registry struct{ list []*Schema }

var embedded = sync.OnceValues(func() (*Registry, error) {
	r := &Registry{}
	for _, file := range schemas.Names() {
		text, err := schemas.Read(file)
		if err != nil {
			return nil, err
		}
		name, version := splitVersion(strings.TrimSuffix(file, ".schema.json"))
		if err := r.add(name, version, file, text, jsonstream.Limits{}); err != nil {
			return nil, err
		}
	}
	r.sort()
	return r, nil
})

// Embedded returns the registry of the built-in schemas.
func Embedded() (*Registry, error) { return embedded() }

// versions matches the versions of schemas.
var versions = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8}))?$`) })

// splitVersion splits NAME-VERSION.
func splitVersion(file string) (name, version string) {
	i := strings.LastIndexByte(file, '-')
	if i < 0 || !versions().MatchString(file[i+1:]) {
		return file, ""
	}
	return file[:i], file[i+1:]
}

// VersionOf returns the version at the end of a file name, or else of an $id, as in
// message/2.1.json and message-2.1.schema.json; "" if there is none.
func VersionOf(file, id string) string {
	for _, name := range []string{file, id} {
		name = strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".json"), ".schema")
		if versions().MatchString(name) {
			return name
		}
		if _, version := splitVersion(name); version != "" {
			return version
		}
	}
	return ""
}

// Open reads a registry directory, where NAME/VERSION.json is a version of a schema:
// message/2.0.json, message/2.1.json. Other files are skipped. The limits apply to each file.
func Open(dir fs.FS, limits jsonstream.Limits) (*Registry, error) {
	files, err := fs.Glob(dir, "*/*.json")
	if err != nil {
		return nil, err
	}
	r := &Registry{}
	for _, file := range files {
		version := strings.TrimSuffix(path.Base(file), ".json")
		if !versions().MatchString(version) {
			continue
		}
		text, err := fs.ReadFile(dir, file)
		if err == nil {
			err = r.add(path.Dir(file), version, file, text, limits)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if len(r.list) == 0 {
		return nil, errors.New("has no schemas: a registry has files NAME/VERSION.json, such as message/2.0.json")
	}
	r.sort()
	return r, nil
}

func (r *Registry) add(name, version, file string, text []byte, limits jsonstream.Limits) error {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return fmt.Errorf("line %d, column %d: %w", e.Line, e.Column, e)
	}
	if err != nil {
		return err
	}
	root := doc.Root()
	number, _ := semver.ParsePartial(version)
	r.list = append(r.list, &Schema{name, version, root.Get("$id").Text(), root.Get("title").Text(), file, doc, number})
	return nil
}

func (r *Registry) sort() {
	slices.SortStableFunc(r.list, func(a, b *Schema) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), a.number.Compare(b.number))
	})
}

// All returns all schemas, by name, then by version. The caller owns the slice.
func (r *Registry) All() []*Schema { return slices.Clone(r.list) }

// Find returns the schema that the name called identifies: NAME, for the latest version, NAME-VERSION, its
// file or its $id. The error is [ErrUnknown].
func (r *Registry) Find(called string) (*Schema, error) {
	for _, s := range slices.Backward(r.list) {
		if called == s.Name || called == s.Name+"-"+s.Version || called == s.File || s.ID != "" && called == s.ID {
			return s, nil
		}
	}
	return nil, ErrUnknown
}

// Versions returns the versions of a schema, in order. Without a name, it is the only schema of the registry.
func (r *Registry) Versions(name string) ([]*Schema, error) {
	var list []*Schema
	for _, s := range r.list {
		if name == "" && len(list) > 0 && s.Name != list[0].Name {
			return nil, fmt.Errorf("the registry has several schemas, such as %s and %s: select one", list[0].Name, s.Name)
		}
		if name == "" || s.Name == name {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil, ErrUnknown
	}
	return list, nil
}

// For returns the schema for messages of a version, from versions in order: the schema of that version or,
// since minor versions are backward compatible (section 14.3), the next one of its major version, or the
// latest one for newer messages. It is nil if there is none.
func For(versions []*Schema, version string) *Schema {
	wanted, err := semver.ParsePartial(version)
	if err != nil {
		return nil
	}
	var best *Schema
	for _, s := range versions {
		if s.number.Major != wanted.Major {
			continue
		}
		best = s
		if s.number.Compare(wanted) >= 0 {
			break
		}
	}
	return best
}

// Load returns the schema document with a [Schema.URL], from the registry or built in. The error is
// [ErrUnknown]. It is for [Bundle].
func (r *Registry) Load(id string) (*jsonstream.Document, error) {
	builtIn, err := Embedded()
	if err != nil {
		return nil, err
	}
	for _, registry := range []*Registry{r, builtIn} {
		for _, s := range registry.list {
			if strings.TrimSuffix(s.URL(), "#") == id {
				return s.document, nil
			}
		}
	}
	return nil, ErrUnknown
}
