package cmd

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// receiverFlags describe the receiver of a message.
type receiverFlags struct {
	keys          keyFlags
	profile       string
	as            string
	requiredState []string
}

func (f *receiverFlags) register(c *cobra.Command) {
	flags := c.Flags()
	f.keys.register(c)
	flags.StringVar(&f.profile, "receiver", "", "receiver profile `FILE`, YAML or JSON")
	flags.StringVar(&f.as, "as", "", "check as this receiver, as `TYPE[@VERSION]`")
	flags.StringSliceVar(&f.requiredState, "require-state", nil, "members of currentState that must be there: names or JSON Pointers")
	completeWith(c, "as", addressees)
}

// load returns the receiver, nil if no flag describes one.
func (f *receiverFlags) load(stdin io.Reader, limits jsonstream.Limits) (*validate.Receiver, error) {
	if f.profile == "" && f.as == "" && len(f.requiredState) == 0 {
		return nil, nil
	}
	r := &validate.Receiver{}
	if f.profile != "" {
		text, err := readAll(f.profile, stdin, limits)
		if err != nil {
			return nil, err
		}
		r, err = validate.ParseReceiver(text, func(name string) (*validate.Schema, error) {
			return loadSchema(beside(f.profile, name), nil, limits)
		})
		if err != nil {
			return nil, problemsIn(f.profile, err)
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

// verifier returns what checks signatures with the keys of the flags and of the
// receiver, nil without any.
func (f *receiverFlags) verifier(c *cobra.Command, r *validate.Receiver) (*sign.Verifier, error) {
	keys, err := f.keys.load(c)
	if err != nil {
		return nil, err
	}
	if r != nil {
		var files []string
		for _, name := range r.Keys {
			files = append(files, beside(f.profile, name))
		}
		more, err := loadKeys(c, files)
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return sign.NewVerifier(keys)
}

// problemsIn puts the file's name before each line of an error.
func problemsIn(file string, err error) error {
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		lines = append(lines, file+": "+line)
	}
	return errors.New(strings.Join(lines, "\nhandoff: "))
}

// beside resolves a name in a file against that file's folder.
func beside(file, name string) string {
	if filepath.IsAbs(name) || file == "-" {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}

// loadSchema compiles a JSON Schema file. Its references may lead to other
// files, and to nothing else.
func loadSchema(path string, stdin io.Reader, limits jsonstream.Limits) (*validate.Schema, error) {
	text, err := readAll(path, stdin, limits)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	schemaURL := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(absolute), "/")}
	schema, err := validate.CompileSchema(schemaURL.String(), text, func(ref string) ([]byte, error) {
		u, err := url.Parse(ref)
		if err != nil || u.Scheme != "file" {
			return nil, fmt.Errorf("refers to %s, which is not fetched: keep it as a file, and refer to that", ref)
		}
		return readAll(filePath(u), nil, limits)
	})
	if err != nil {
		return nil, problemsIn(path, err)
	}
	return schema, nil
}

// filePath returns the path of a file URL; on Windows it begins with a drive.
func filePath(u *url.URL) string {
	path := u.Path
	if len(path) > 2 && path[2] == ':' {
		path = path[1:]
	}
	return filepath.FromSlash(path)
}
