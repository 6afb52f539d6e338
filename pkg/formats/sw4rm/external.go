package sw4rm

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/gzipped"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Blob is binary data that was replaced by a reference in a context. The reference is "sha256:"
// with the SHA-256 of the content in hexadecimal, and after a semicolon the form of the replaced
// string:
//
//	sha256:HEX;base64            base64 of the content
//	sha256:HEX;data:image/png    a data URL with base64 of the content
//	sha256:HEX;json              something else; the content is the JSON text of the string
type Blob struct {
	Pointer string // of the string, in the message or after /context_snapshot
	Name    string // the SHA-256 in hexadecimal, usable as a file name
	Content []byte
}

const referencePrefix = "sha256:"

// ErrNoBlob reports a reference without content.
var ErrNoBlob = errors.New("the file does not exist")

// Externalize returns a context, or a request with a snapshot, with references in place of the
// embedded binary data that [Check] reports, and the data. All other bytes are unchanged.
// [Internalize] reverses it. f is [format.SW4RMContext] or [format.SW4RMRequest].
func Externalize(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) (text []byte, blobs []Blob, err error) {
	text, err = inContext(doc, f, limits, func(v jsonstream.Value) ([]byte, error) {
		if !isBinary(v.Raw()) {
			return nil, nil
		}
		content, form := contentOf(v)
		sum := sha256.Sum256(content)
		b := Blob{v.Pointer(), hex.EncodeToString(sum[:]), content}
		blobs = append(blobs, b)
		return appendString(nil, referencePrefix+b.Name+";"+form), nil
	})
	return text, blobs, err
}

// contentOf returns the content of a string of binary data, and the form to restore the string.
func contentOf(v jsonstream.Value) (content []byte, form string) {
	text, scheme := v.Text(), "base64"
	prefix, encoded, isURL := strings.Cut(text, ";base64,")
	if isURL && strings.HasPrefix(prefix, "data:") {
		scheme = prefix
	} else {
		prefix, encoded = "", text
	}
	content, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || string(stringOf(content, scheme)) != string(v.Raw()) {
		return v.Raw(), "json"
	}
	return content, scheme
}

// stringOf restores the JSON string from its content and form.
func stringOf(content []byte, form string) []byte {
	if form == "json" {
		return content
	}
	text := base64.StdEncoding.EncodeToString(content)
	if form != "base64" {
		text = form + ";base64," + text
	}
	return appendString(nil, text)
}

// Internalize returns a message with content in place of each reference made by [Externalize], and
// the number of references. read returns the content for a name, or [ErrNoBlob]. Internalize checks
// the content against the name.
func Internalize(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits, read func(name string) ([]byte, error)) (text []byte, restored int, err error) {
	text, err = inContext(doc, f, limits, func(v jsonstream.Value) ([]byte, error) {
		name, form, ok := reference(v.Text())
		if !ok {
			return nil, nil
		}
		content, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %s%s: %w", v.Pointer(), referencePrefix, name, err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != name {
			return nil, fmt.Errorf("%s: %s%s: the content was changed: its SHA-256 is now %x", v.Pointer(), referencePrefix, name, sum)
		}
		quoted := stringOf(content, form)
		if value, err := parsed(quoted); err != nil || value.Kind() != jsonstream.String {
			return nil, fmt.Errorf("%s: %s%s: the content is not a JSON string", v.Pointer(), referencePrefix, name)
		}
		restored++
		return quoted, nil
	})
	return text, restored, err
}

// reference parses a reference.
func reference(text string) (name, form string, ok bool) {
	rest, ok := strings.CutPrefix(text, referencePrefix)
	name, form, found := strings.Cut(rest, ";")
	if !ok || !found || len(name) != 2*sha256.Size || strings.Trim(name, "0123456789abcdef") != "" {
		return "", "", false
	}
	return name, form, form == "base64" || form == "json" || strings.HasPrefix(form, "data:")
}

// inContext replaces strings in the context of a message by the results of change; a nil
// result leaves a string unchanged.
func inContext(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits, change func(jsonstream.Value) ([]byte, error)) ([]byte, error) {
	root, encoded, snapshot := doc.Root(), false, jsonstream.Value{}
	if f == format.SW4RMRequest {
		var problem string
		snapshot = root.Get(snapshotMember)
		if root, encoded, _, problem = openSnapshot(snapshot, limits); problem != "" {
			return nil, fmt.Errorf("/%s: %s", snapshotMember, problem)
		}
	}
	holder := doc.Root() // the value whose text has the strings
	if encoded {
		holder = root
	}
	draft, changed := jsonstream.NewDraft(holder), false
	for v := range root.All() {
		if v.Kind() != jsonstream.String {
			continue
		}
		with, err := change(v)
		if err != nil {
			return nil, err
		}
		if with == nil {
			continue
		}
		if err := draft.Set(v.Pointer(), with); err != nil {
			return nil, err
		}
		changed = true
	}
	switch {
	case !changed:
		return doc.Raw().Bytes, nil
	case !encoded:
		return draft.Bytes(), nil
	}
	return jsonstream.Set(doc, "/"+snapshotMember, gzipped.AppendBase64(nil, draft.Bytes(), gzipped.IsBase64(snapshot.Text())))
}
