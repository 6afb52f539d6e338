package dir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/relay/internal/durable"
	"github.com/eaapl/handoff/relay/transport"
)

// maxHeaders is the maximum number of header bytes.
const maxHeaders = 64 << 10

// reasonHeader is the first line of a dead letter.
const reasonHeader = "Handoff-Dead-Letter"

// An unusable is the reason why a file is not a message: it becomes a dead letter.
type unusable struct{ reason string }

func (e *unusable) Error() string { return e.reason }

// writeFile creates a file with a message. The content is durable when it returns nil, but not yet
// the name.
func writeFile(path string, m *transport.Message) error {
	return durable.Create(path, func(f *os.File) error { return write(f, m) })
}

// write writes a message.
func write(f *os.File, m *transport.Message) error {
	var b bytes.Buffer
	for _, h := range m.Headers() {
		fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Value)
	}
	b.WriteByte('\n')
	if _, err := f.Write(b.Bytes()); err != nil {
		return err
	}
	_, err := f.Write(m.Body)
	return err
}

// readFile reads a message with a body of at most limit bytes.
func readFile(path string, limit int64) (m transport.Message, err error) {
	f, err := regular.OpenNamed(path)
	if errors.Is(err, regular.ErrNot) {
		return m, &unusable{"it is not a regular file"}
	}
	if err != nil {
		return m, err
	}
	defer f.Close() // read only
	info, err := f.Stat()
	switch {
	case err != nil:
		return m, err
	case info.Size()-maxHeaders > limit:
		return m, tooLong(info.Size(), limit)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return parse(data, limit)
}

// parse parses the content of a file, which it does not copy.
func parse(data []byte, limit int64) (m transport.Message, err error) {
	rest := data
	for {
		end := bytes.IndexByte(rest[:min(len(rest), maxHeaders-(len(data)-len(rest)))], '\n')
		if end < 0 {
			return m, &unusable{"it does not begin with header lines and an empty line"}
		}
		line := strings.TrimSuffix(string(rest[:end]), "\r") // written by an editor
		rest = rest[end+1:]
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return m, &unusable{"it has a header line without a colon"}
		}
		m.SetHeader(name, strings.TrimSpace(value))
	}
	if int64(len(rest)) > limit {
		return m, tooLong(int64(len(rest)), limit)
	}
	m.Body = rest
	return m, nil
}

func tooLong(size, limit int64) error {
	return &unusable{fmt.Sprintf("it has %d bytes, more than the limit of %d", size, limit)}
}

// bury turns a file into a dead letter that begins with the reason. If the letter cannot be written,
// the file is moved unchanged.
func bury(path, folder, reason string) error {
	if err := makeFolder(folder); err != nil {
		return err
	}
	target := filepath.Join(folder, filepath.Base(path))
	from, err := regular.OpenNamed(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return move(path, target)
	}
	temporary, err := writeLetter(target, reason, func(f *os.File) error {
		_, err := io.Copy(f, from)
		return err
	})
	_ = from.Close() // read only
	if err != nil {
		return move(path, target)
	}
	return replace(path, temporary, target)
}

// withhold is like bury, for a message that must not be kept: letter replaces the message.
func withhold(path, folder string, letter transport.Message, reason string) error {
	if err := makeFolder(folder); err != nil {
		return err
	}
	target := filepath.Join(folder, filepath.Base(path))
	temporary, err := writeLetter(target, reason, func(f *os.File) error { return write(f, &letter) })
	if err != nil {
		return err
	}
	return replace(path, temporary, target)
}

// writeLetter writes a dead letter under a temporary name and returns that name.
func writeLetter(target, reason string, rest func(*os.File) error) (temporary string, err error) {
	temporary = filepath.Join(filepath.Dir(target), writing+filepath.Base(target))
	return temporary, durable.Create(temporary, func(f *os.File) error {
		if _, err := fmt.Fprintf(f, "%s: %s\n", reasonHeader, transport.OneLine(reason)); err != nil {
			return err
		}
		return rest(f)
	})
}

// replace gives a dead letter its final name, and removes its message once the letter is durable.
func replace(path, temporary, target string) error {
	if err := move(temporary, target); err != nil {
		return err
	}
	return os.Remove(path)
}

// move renames a file, and returns nil once the new name is durable.
func move(path, target string) error {
	if err := os.Rename(path, target); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(target))
}

// makeFolder creates a missing folder, and returns nil once its name is durable.
func makeFolder(path string) error {
	err := os.Mkdir(path, 0o700)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return errors.Join(err, os.Remove(path)) // so that the next call creates and syncs it
	}
	return nil
}

// syncFolder is a variable so that tests can make it fail.
var syncFolder = durable.SyncFolder
