// Package migrate converts messages to another version of their schema, with migrations that are published
// next to the versions (EAAPL-MAG006, section 14.3).
//
// In the directory of a registry, NAME/FROM-to-TO.json is a migration: a JSON Patch (RFC 6902), or a table of
// steps ([step]). Each step records its changes, so that no value is lost or made up silently.
package migrate

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/patch"
)

// ErrNoPath reports that no migrations lead from one version to the other.
var ErrNoPath = errors.New("no migrations lead to this version")

// A Migration converts from one version of a schema to another. It is immutable and safe for concurrent use.
type Migration struct {
	From, To string // versions, such as 2.0
	File     string // within the registry
	patch    *patch.Patch
	steps    []step
}

// Open reads the migrations of a schema in the directory of a registry. limits apply to each file.
func Open(dir fs.FS, name string, limits jsonstream.Limits) ([]*Migration, error) {
	files, err := fs.Glob(dir, path.Join(name, "*-to-*.json"))
	if err != nil {
		return nil, err
	}
	var list []*Migration
	for _, file := range files {
		from, to, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".json"), "-to-")
		m := &Migration{From: from, To: to, File: file}
		text, err := fs.ReadFile(dir, file)
		if err == nil {
			err = m.parse(text, limits)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, m)
	}
	return list, nil
}

func (m *Migration) parse(text []byte, limits jsonstream.Limits) error {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return fmt.Errorf("line %d, column %d: %w", e.Line, e.Column, e)
	}
	if err != nil {
		return err
	}
	if doc.Root().Kind() == jsonstream.Array {
		m.patch, err = patch.Parse(doc, patch.JSON)
		if e := (*patch.FormatError)(nil); errors.As(err, &e) {
			return fmt.Errorf("line %d, column %d: %w", e.Line, e.Column, e)
		}
		return err
	}
	m.steps, err = parseSteps(doc.Root())
	return err
}

// Path returns the shortest sequence of migrations from one version to another, none if the versions are the
// same. The error is [ErrNoPath].
func Path(all []*Migration, from, to string) ([]*Migration, error) {
	type way struct {
		at   string
		path []*Migration
	}
	seen := map[string]bool{from: true}
	for todo := []way{{at: from}}; len(todo) > 0; todo = todo[1:] {
		if todo[0].at == to {
			return todo[0].path, nil
		}
		for _, m := range all {
			if m.From == todo[0].at && !seen[m.To] {
				seen[m.To] = true
				todo = append(todo, way{m.To, append(slices.Clip(todo[0].path), m)})
			}
		}
	}
	return nil, ErrNoPath
}

// A Done is one change of a migration.
type Done struct {
	From   string `json:"from"` // the versions
	To     string `json:"to"`
	Did    string `json:"did"`     // rename, remove, replace, add or patch
	Place  string `json:"pointer"` // in the message as it was before this step
	Detail string `json:"detail"`  // for people: the change
	// MadeUp reports that the value came from the migration, not from the message.
	MadeUp bool `json:"madeUp,omitzero"`
}

// Apply applies a migration to a message. It returns the result, in which all other values keep their bytes,
// and the changes. The error explains why the message cannot be migrated.
func (m *Migration) Apply(doc *jsonstream.Document, limits jsonstream.Limits) (*jsonstream.Document, []Done, error) {
	if m.patch != nil {
		result, err := m.patch.Apply(doc, limits)
		if e := (*patch.OpError)(nil); errors.As(err, &e) {
			return nil, nil, fmt.Errorf("%s: operation %d: %w", m.File, e.Index, e)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", m.File, err)
		}
		return result, []Done{{From: m.From, To: m.To, Did: "patch", Detail: "the JSON Patch " + m.File + " was applied"}}, nil
	}
	var done []Done
	for i, s := range m.steps {
		next, did, err := s.apply(doc, limits)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: /steps/%d: %w", m.File, i, err)
		}
		for _, d := range did {
			d.From, d.To = m.From, m.To
			done = append(done, d)
		}
		doc = next
	}
	return doc, done, nil
}
