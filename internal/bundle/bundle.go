// Package bundle packs a session of a coding agent, its handoff message and the files that it names into one
// archive, and unpacks it without trust in its author.
//
// A bundle is a tar file, compressed with gzip. Its first entry, manifest.json, names all others with their SHA-256
// digests: session, message.json, and files/DIGEST for each file. [Read] accepts no other entries.
package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Version is the version of the manifest.
const Version = 1

// Limits of a bundle. The files count decompressed.
const (
	MaxFiles = 1000
	MaxFile  = 16 << 20
	MaxBytes = 256 << 20 // of all entries
)

// The names of entries.
const (
	manifestName = "manifest.json"
	sessionName  = "session"
	messageName  = "message.json"
	filesFolder  = "files/"
)

// A Manifest describes the contents of a bundle.
type Manifest struct {
	Version int    `json:"version"`
	Agent   string `json:"agent"`  // whose session it is
	ID      string `json:"id"`     // of the session
	Name    string `json:"name"`   // of the session's file, without folders
	Folder  string `json:"folder"` // the agent's working folder
	Session string `json:"session"`
	Message string `json:"message"`
	Files   []File `json:"files"`
}

// A File is a file that the session names.
type File struct {
	Path   string `json:"path"`   // in the working folder, with slashes
	SHA256 string `json:"sha256"` // in lower-case hexadecimal digits
}

// A Bundle is the content of an archive.
type Bundle struct {
	Manifest
	SessionText, MessageText []byte
	Contents                 map[string][]byte // of the files, by their digests
}

// New returns a bundle of a session and its message. about has the description of the session; its digests and
// files are ignored.
func New(about Manifest, session, message []byte) *Bundle {
	about.Version, about.Session, about.Message, about.Files = Version, digest(session), digest(message), []File{}
	return &Bundle{about, session, message, map[string][]byte{}}
}

// Add adds a file at a path in the working folder, with slashes. The error reports a path outside of the folder, or
// a limit.
func (b *Bundle) Add(name string, text []byte) error {
	switch {
	case !isLocal(name):
		return fmt.Errorf("%q is not a path in the working folder", name)
	case len(text) > MaxFile || b.size()+len(text) > MaxBytes || len(b.Files) >= MaxFiles:
		return fmt.Errorf("%q is too large for the bundle, or one file too many", name)
	}
	sum := digest(text)
	b.Files, b.Contents[sum] = append(b.Files, File{name, sum}), text
	return nil
}

func (b *Bundle) size() int {
	n := len(b.SessionText) + len(b.MessageText)
	for _, text := range b.Contents {
		n += len(text)
	}
	return n
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// isLocal reports whether a path with slashes stays in its folder, on every system.
func isLocal(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name && name != "." && !strings.ContainsAny(name, "\\:\x00")
}

// Write writes the archive. The same bundle gives the same bytes.
func (b *Bundle) Write(w io.Writer) error {
	manifest, err := json.Marshal(b.Manifest, json.Deterministic(true))
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(w)
	archive := tar.NewWriter(packed)
	add := func(name string, text []byte) {
		if err != nil {
			return
		}
		if err = archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(text))}); err == nil {
			_, err = archive.Write(text)
		}
	}
	add(manifestName, append(manifest, '\n'))
	add(sessionName, b.SessionText)
	add(messageName, b.MessageText)
	written := map[string]bool{}
	for _, f := range b.Files {
		if !written[f.SHA256] {
			add(filesFolder+f.SHA256, b.Contents[f.SHA256])
			written[f.SHA256] = true
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(archive.Close(), packed.Close())
}

// ErrInvalid reports an archive that is not a bundle, or whose contents differ from its manifest.
var ErrInvalid = errors.New("not a valid bundle")

// Read reads an archive. Every digest is verified, and every entry is within the limits. The error wraps
// [ErrInvalid], or is that of r.
func Read(r io.Reader) (*Bundle, error) {
	packed, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%w: it is not compressed with gzip: %w", ErrInvalid, err)
	}
	limited := io.LimitReader(packed, MaxBytes+MaxBytes/8) // with the headers
	archive := tar.NewReader(limited)
	b := &Bundle{Contents: map[string][]byte{}}
	seen := map[string]bool{}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		if err := b.entry(header, archive, seen); err != nil {
			return nil, err
		}
	}
	if _, err := io.Copy(io.Discard, limited); err != nil { // to verify the checksum
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	for _, name := range []string{manifestName, sessionName, messageName} {
		if !seen[name] {
			return nil, fmt.Errorf("%w: %s is missing", ErrInvalid, name)
		}
	}
	for _, f := range b.Files {
		if b.Contents[f.SHA256] == nil {
			return nil, fmt.Errorf("%w: the file %q is missing", ErrInvalid, f.Path)
		}
	}
	return b, nil
}

// entry reads an entry.
func (b *Bundle) entry(header *tar.Header, r io.Reader, seen map[string]bool) error {
	name := header.Name
	sum, isFile := strings.CutPrefix(name, filesFolder)
	limit := int64(MaxBytes - b.size())
	switch {
	case header.Typeflag != tar.TypeReg:
		return fmt.Errorf("%w: the entry %q is not a regular file", ErrInvalid, name)
	case seen[name]:
		return fmt.Errorf("%w: the entry %q is there twice", ErrInvalid, name)
	case len(seen) == 0 && name != manifestName:
		return fmt.Errorf("%w: the first entry is %q, not %s", ErrInvalid, name, manifestName)
	case name == manifestName:
		limit = MaxFile
	case isFile:
		limit = min(limit, MaxFile)
		if !slices.ContainsFunc(b.Files, func(f File) bool { return f.SHA256 == sum }) {
			return fmt.Errorf("%w: the manifest does not name the entry %q", ErrInvalid, name)
		}
	case name != sessionName && name != messageName:
		return fmt.Errorf("%w: the entry %q is unknown", ErrInvalid, name)
	}
	if header.Size > limit {
		return fmt.Errorf("%w: the entry %q has %d bytes, more than %d", ErrInvalid, name, header.Size, limit)
	}
	text, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil {
		return fmt.Errorf("%w: the entry %q: %w", ErrInvalid, name, err)
	}
	seen[name] = true
	want := sum
	switch name {
	case manifestName:
		return b.describe(text)
	case sessionName:
		b.SessionText, want = text, b.Session
	case messageName:
		b.MessageText, want = text, b.Message
	default:
		b.Contents[sum] = text
	}
	if digest(text) != want {
		return fmt.Errorf("%w: the entry %q has another digest than in the manifest", ErrInvalid, name)
	}
	return nil
}

// describe reads the manifest.
func (b *Bundle) describe(text []byte) error {
	if err := json.UnmarshalRead(bytes.NewReader(text), &b.Manifest); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrInvalid, manifestName, err)
	}
	if b.Version != Version {
		return fmt.Errorf("%w: version %d, supported is %d", ErrInvalid, b.Version, Version)
	}
	if b.Name != path.Base(b.Name) || !isLocal(b.Name) {
		return fmt.Errorf("%w: %q is not the name of a file", ErrInvalid, b.Name)
	}
	if len(b.Files) > MaxFiles {
		return fmt.Errorf("%w: it has %d files, more than %d", ErrInvalid, len(b.Files), MaxFiles)
	}
	paths := map[string]bool{}
	for _, f := range b.Files {
		if !isLocal(f.Path) {
			return fmt.Errorf("%w: %q is not a path in the working folder", ErrInvalid, f.Path)
		}
		folded := strings.ToLower(f.Path) // some systems ignore case
		if paths[folded] {
			return fmt.Errorf("%w: the file %q is there twice", ErrInvalid, f.Path)
		}
		paths[folded] = true
	}
	return nil
}
