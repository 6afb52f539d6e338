package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// errStoreSize reports a session of OpenCode over the limit.
var errStoreSize = errors.New("the session is too large")

// ExportOpenCode returns a session in the form of "opencode export". storage is the folder of that name, in which
// OpenCode stores a session, its messages and their parts as files; name is the file of the session in it, such
// as session/PROJECT/ID.json. A brief export has no messages. A session may have limit bytes.
func ExportOpenCode(storage fs.FS, name string, limit int64, brief bool) ([]byte, error) {
	e := export{FS: storage, left: limit}
	e.text = []byte(`{"info":`)
	if err := e.file(name); err != nil {
		return nil, err
	}
	e.text = append(e.text, ",\n\"messages\":["...)
	id := strings.TrimSuffix(path.Base(name), ".json")
	messages, err := e.list(path.Join("message", id))
	if err != nil {
		return nil, err
	}
	if brief {
		messages = nil
	}
	for i, message := range messages {
		e.text = append(e.text, separator(i)+`{"info":`...)
		if err := e.file(path.Join("message", id, message)); err != nil {
			return nil, err
		}
		e.text = append(e.text, `,"parts":[`...)
		of := path.Join("part", strings.TrimSuffix(message, ".json"))
		parts, err := e.list(of)
		if err != nil {
			return nil, err
		}
		for j, part := range parts {
			e.text = append(e.text, strings.TrimSuffix(separator(j), "\n")...)
			if err := e.file(path.Join(of, part)); err != nil {
				return nil, err
			}
		}
		e.text = append(e.text, "]}"...)
	}
	return append(e.text, "]}\n"...), nil
}

// separator returns the text before the element of an array with an index.
func separator(index int) string {
	if index == 0 {
		return "\n"
	}
	return ",\n"
}

// An export is a session being put together.
type export struct {
	fs.FS
	text []byte
	left int64
}

// list returns the names of the JSON files in a folder, in the order of their ids, which is that of time.
func (e *export) list(folder string) (names []string, err error) {
	entries, err := fs.ReadDir(e, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".json") && !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// file appends the JSON object in a file.
func (e *export) file(name string) error {
	in, err := e.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, e.left+1))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if e.left -= int64(len(text)); e.left < 0 {
		return errStoreSize
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	e.text = jsonstream.AppendCompact(e.text, doc.Root().Raw())
	return nil
}
