package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/bundle"
	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/session"
)

// pack writes a session, its message and the files that it names into an archive. If r is not nil, one is a
// redacted copy of original.
func (f *continueFlags) pack(c *cobra.Command, original, one file, r *redaction) error {
	if _, err := f.File(original.path, c.InOrStdin()); err != nil { // so that the archive does not replace it
		return err
	}
	read := session.Options{TailBytes: savedBytes}
	s, _, err := f.read(one, read)
	if err != nil {
		return err
	}
	source := s // has the paths of the files
	if r != nil {
		if source, _, err = f.read(original, read); err != nil {
			return err
		}
	}
	text, err := one.text(f.Unpacking, bundle.MaxBytes)
	if err != nil {
		return err
	}
	m, err := ownMessage(s, "bundle", s.When(f.now()))
	if err != nil {
		return fmt.Errorf("%s: %w", term.Visible(one.path), err)
	}
	about := bundle.Manifest{Agent: string(s.Agent), ID: s.ID, Name: plainName(filepath.Base(one.path)), Folder: s.Folder}
	b := bundle.New(about, text, m)
	for _, named := range source.Files {
		if err := addFile(b, source.Folder, named, r); err != nil {
			term.Warn(c.ErrOrStderr(), fmt.Sprintf("%s: is not in the bundle: %v", term.Visible(named.Path), term.PlainError(err)))
		}
	}
	out, err := f.OpenAs(claim.AsOutput, compress.None, f.bundle, c.OutOrStdout())
	if err != nil {
		return err
	}
	out.Check = func() error { // the digests of the manifest cover the contents
		there, err := readBundle(out.File.Name())
		if err == nil && !reflect.DeepEqual(there.Manifest, b.Manifest) {
			err = errors.New("the written archive has another manifest")
		}
		return err
	}
	if err := out.Close(b.Write(out)); err != nil {
		return err
	}
	if !out.Stdout {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s: the session %s, its message and %s\n", term.Visible(f.bundle), term.Visible(s.ID), term.Counted(len(b.Files), "file"))
	}
	return err
}

// readBundle reads and verifies an archive.
func readBundle(path string) (*bundle.Bundle, error) {
	in, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
	}
	b, err := bundle.Read(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
	}
	return b, nil
}

// errNoFolder reports a file of a session whose working folder is unknown.
var errNoFolder = errors.New("the working folder of the session is unknown")

// addFile adds a file that a session names, redacted unless r is nil.
func addFile(b *bundle.Bundle, folder string, named session.File, r *redaction) error {
	if named.Deleted {
		return nil
	}
	if folder == "" {
		return errNoFolder
	}
	path := named.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	name, err := filepath.Rel(folder, path)
	if err != nil || !filepath.IsLocal(name) {
		return errors.New("it is outside of the working folder")
	}
	in, err := regular.Open(path)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(in, bundle.MaxFile+1))
	if err = errors.Join(err, in.Close()); err != nil {
		return err
	}
	name = filepath.ToSlash(name)
	if r == nil {
		return b.Add(name, text)
	}
	redacted, err := r.text(string(text))
	if err != nil {
		return err
	}
	if name, err = r.text(name); err != nil {
		return err
	}
	return b.Add(name, []byte(redacted))
}

// runBundle writes the session in an archive for an agent.
func (f *continueFlags) runBundle(c *cobra.Command) error {
	b, err := readBundle(f.from)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "handoff-bundle-")
	if err != nil {
		return term.PlainError(err)
	}
	defer os.RemoveAll(temporary)
	one, err := copyInto(temporary, b.Name, b.SessionText, b.Folder)
	if err != nil {
		return err
	}
	if f.unpack != "" {
		if err := f.unpackInto(f.unpack, b); err != nil {
			return err
		}
	} else if len(b.Files) > 0 {
		term.Warn(c.ErrOrStderr(), fmt.Sprintf("%s: has %s besides the session and its message: --unpack DIR writes them", term.Visible(f.from), term.Counted(len(b.Files), "file")))
	}
	return f.run(c, one)
}

// copyInto writes a session into an empty folder, with its working folder where the Gemini CLI has it.
func copyInto(dir, name string, text []byte, workingFolder string) (file, error) {
	chats := filepath.Join(dir, "chats")
	one := file{folder: folder{FS: regular.DirFS(chats)}, name: name, path: filepath.Join(chats, name)}
	err := os.Mkdir(chats, 0o700)
	if err == nil {
		err = os.WriteFile(one.path, text, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, projectRootFile), []byte(workingFolder), 0o600)
	}
	return one, term.PlainError(err)
}

// unpackInto writes the message and the files of a bundle into a new folder.
func (f *continueFlags) unpackInto(folder string, b *bundle.Bundle) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("--unpack %s: %w", term.Visible(folder), term.PlainError(err))
	}
	write := func(name string, text []byte) error {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
		}
		out, err := f.OpenAs(claim.AsOutput, compress.None, path, nil)
		if err != nil {
			return err
		}
		_, err = out.Write(text)
		return out.Close(err)
	}
	if err := write("message.json", b.MessageText); err != nil {
		return err
	}
	for _, one := range b.Files {
		if err := write("files/"+one.Path, b.Contents[one.SHA256]); err != nil {
			return err
		}
	}
	return nil
}
