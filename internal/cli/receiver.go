package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// ReceiverFlags describe the receiver of a message.
type ReceiverFlags struct {
	Keys          KeyFlags
	Profile       string
	as            string
	requiredState []string
}

func (f *ReceiverFlags) Register(c *cobra.Command) {
	flags := c.Flags()
	f.RegisterKeys(c)
	flags.StringVar(&f.as, "as", "", "receiver to check as, `TYPE[@VERSION]`")
	flags.StringSliceVar(&f.requiredState, "require-state", nil, "required members of currentState: names or JSON Pointers")
	CompleteWith(c, "as", addressees)
}

// RegisterKeys registers the flags for the signatures that the receiver accepts.
func (f *ReceiverFlags) RegisterKeys(c *cobra.Command) {
	f.Keys.Register(c)
	c.Flags().StringVar(&f.Profile, "receiver", "", "receiver profile `FILE`, YAML or JSON")
}

// Load returns the receiver, nil if no flag describes one.
func (f *ReceiverFlags) Load(g *Globals, stdin io.Reader) (*validate.Receiver, error) {
	if f.Profile == "" && f.as == "" && len(f.requiredState) == 0 {
		return nil, nil
	}
	r := &validate.Receiver{}
	if f.Profile != "" {
		text, err := g.ReadSettings(f.Profile, stdin)
		if err != nil {
			return nil, err
		}
		r, err = validate.ParseReceiver(text, func(name string) (*validate.Schema, error) {
			return g.LoadSchema(Beside(f.Profile, name), nil, g.Limits)
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Profile, err)
		}
	}
	if f.as != "" {
		if err := r.As(f.as); err != nil {
			return nil, fmt.Errorf("--as: %w", err)
		}
	}
	for _, name := range f.requiredState {
		if err := r.RequireState(name); err != nil {
			return nil, fmt.Errorf("--require-state: %w", err)
		}
	}
	return r, nil
}

// Verifier returns a verifier with the keys of the flags and of the receiver and with the receiver's trust,
// nil without any keys.
func (f *ReceiverFlags) Verifier(g *Globals, c *cobra.Command, r *validate.Receiver) (*sign.Verifier, error) {
	keys, err := f.Keys.Load(g, c)
	if err != nil {
		return nil, err
	}
	return f.verifier(g, c, keys, r)
}

// TrustVerifier returns a verifier with the keys and the trust of a profile, nil if file is "".
func TrustVerifier(g *Globals, c *cobra.Command, file string) (*sign.Verifier, error) {
	if file == "" {
		return nil, nil
	}
	f := ReceiverFlags{Profile: file}
	r, err := f.Load(g, c.InOrStdin())
	if err != nil {
		return nil, err
	}
	v, err := f.verifier(g, c, nil, r)
	if err == nil && v == nil {
		err = fmt.Errorf("%s: names no keys: name their files in keys", file)
	}
	return v, err
}

// verifier returns a verifier with keys, the receiver's keys, and the receiver's trust.
func (f *ReceiverFlags) verifier(g *Globals, c *cobra.Command, keys []sign.Key, r *validate.Receiver) (*sign.Verifier, error) {
	if r != nil {
		var files []string
		for _, name := range r.Keys {
			files = append(files, Beside(f.Profile, name))
		}
		more, err := f.Keys.LoadFiles(g, c, files)
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	if len(keys) == 0 {
		if r != nil && r.Trust != nil {
			return nil, fmt.Errorf("%s: /trust: lists trusted keys, but the profile has no key: name key files in keys", f.Profile)
		}
		return nil, nil
	}
	v, err := sign.NewVerifier(keys)
	if err != nil || r == nil || r.Trust == nil {
		return v, err
	}
	for i, b := range r.Trust {
		if !v.HasKey(b.KeyID) {
			return nil, fmt.Errorf("%s: /trust/%d/keyId: no key has the ID %s: name its file in keys", f.Profile, i, finding.Quote(b.KeyID))
		}
	}
	return v.WithTrust(r.Trust), nil
}

// Beside resolves a file name in a file relative to that file's directory.
func Beside(file, name string) string {
	if filepath.IsAbs(name) || file == "-" {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}

// LoadSchema compiles a JSON Schema file. Its references may lead only to other files. The error for invalid
// JSON has the place, and shows no content of a referenced file.
func (g *Globals) LoadSchema(path string, stdin io.Reader, limits jsonstream.Limits) (*validate.Schema, error) {
	doc, name, err := g.LoadDocument(path, stdin, limits)
	if err != nil {
		return nil, err
	}
	schemaURL, err := FileURL(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var damaged error // of the first unusable referenced file
	schema, err := validate.CompileSchema(schemaURL, doc.Raw().Bytes, func(ref string) ([]byte, error) {
		doc, err := g.ReferredSchema(ref, limits)
		damaged = cmp.Or(damaged, err)
		if err != nil {
			return nil, err
		}
		return doc.Raw().Bytes, nil
	})
	if damaged != nil {
		return nil, fmt.Errorf("%s: %w", name, damaged)
	}
	if number := (*jsonstream.NumberError)(nil); errors.As(err, &number) {
		return nil, input.InFile(name, number)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return schema, nil
}

// FileURL returns the URL of a file, the base of the references in it.
func FileURL(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	u := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(absolute), "/")}
	return u.String(), nil
}

// ReferredSchema reads a file that a schema references.
func (g *Globals) ReferredSchema(ref string, limits jsonstream.Limits) (*jsonstream.Document, error) {
	u, err := url.Parse(ref)
	if err != nil || u.Scheme != "file" {
		return nil, fmt.Errorf("refers to %s, which is not fetched: keep it as a file, and refer to that", term.Visible(ref))
	}
	path := filePath(u)
	text, err := g.ReadAll(path, nil, limits)
	if err != nil {
		return nil, fmt.Errorf("refers to %w", err)
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return nil, fmt.Errorf("refers to %s, which is not JSON from line %d, column %d on", term.Visible(path), e.Line, e.Column)
	}
	if err != nil {
		return nil, err
	}
	if err := jsonstream.CheckNumbers(doc.Root()); err != nil {
		return nil, fmt.Errorf("refers to %w", input.InFile(term.Visible(path), err))
	}
	return doc, nil
}

// filePath returns the path of a file URL; on Windows, with its drive.
func filePath(u *url.URL) string {
	path := u.Path
	if len(path) > 2 && path[2] == ':' {
		path = path[1:]
	}
	return filepath.FromSlash(path)
}
