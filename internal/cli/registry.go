package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/registry"
	"github.com/eaapl/handoff/pkg/validate"
)

// OpenRegistry reads the registry in a directory.
func OpenRegistry(dir string, limits jsonstream.Limits) (*registry.Registry, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	r, err := registry.Open(regular.DirFS(dir), limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(dir), err)
	}
	return r, nil
}

// OpenVersions reads the registry in a directory and returns the versions of the named schema, or of the only
// one if name is "". flag is the flag for the schema, for errors.
func OpenVersions(dir, name, flag string, limits jsonstream.Limits) (*registry.Registry, []*registry.Schema, error) {
	r, err := OpenRegistry(dir, limits)
	if err != nil {
		return nil, nil, err
	}
	versions, err := r.Versions(name)
	switch {
	case errors.Is(err, registry.ErrUnknown):
		return nil, nil, term.WithHint(fmt.Errorf("%s: %w", term.Visible(name), err), "handoff schema list --schema-registry "+term.Visible(dir)+" lists the schemas")
	case err != nil:
		return nil, nil, term.WithHint(fmt.Errorf("%s: %w", term.Visible(dir), err), "name it with "+flag)
	}
	return r, versions, nil
}

// ShownVersions formats versions as a list for people.
func ShownVersions(versions []*registry.Schema) string {
	list := make([]string, len(versions))
	for i, s := range versions {
		list[i] = s.Version
	}
	return term.Visible(strings.Join(list, ", "))
}

// CompileRegistered compiles a schema of a registry. Its references lead to the registry or to built-in
// schemas.
func CompileRegistered(r *registry.Registry, s *registry.Schema) (*validate.Schema, error) {
	schema, err := validate.CompileSchema(s.URL(), s.Document().Raw().Bytes, func(url string) ([]byte, error) {
		doc, err := r.Load(url)
		if err != nil {
			return nil, fmt.Errorf("refers to %s: %w", url, err)
		}
		return doc.Raw().Bytes, nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(s.File), err)
	}
	return schema, nil
}

// SchemasByVersion compiles all versions. It returns a function that returns the schema for reading messages
// with a schemaVersion ([registry.For]), or an error for an invalid version.
func SchemasByVersion(r *registry.Registry, versions []*registry.Schema) (func(version string) (*validate.Schema, string), error) {
	compiled := map[*registry.Schema]*validate.Schema{}
	for _, s := range versions {
		schema, err := CompileRegistered(r, s)
		if err != nil {
			return nil, err
		}
		compiled[s] = schema
	}
	return func(version string) (*validate.Schema, string) {
		s := registry.For(versions, version)
		if s == nil {
			return nil, fmt.Sprintf("the registry has no schema for the version %s: it has %s; migrate the message", finding.Quote(version), ShownVersions(versions))
		}
		return compiled[s], ""
	}, nil
}
