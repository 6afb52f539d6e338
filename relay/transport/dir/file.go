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

// maxHeaders is how many bytes before the body are read.
const maxHeaders = 64 << 10

// reasonHeader is the first line of a dead letter.
const reasonHeader = "Handoff-Dead-Letter"

// An unusable says why a file is no message: it becomes a dead letter.
type unusable struct{ reason string }

func (e *unusable) Error() string { return e.reason }

// writeFile makes a file with a message, which is safe on the disk when it returns nil, but
// for its name.
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

// readFile reads a message, whose body has limit bytes at most.
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

// parse returns the message that the bytes of a file are; they are the message's then.
func parse(data []byte, limit int64) (m transport.Message, err error) {
	rest := data
	for {
		end := bytes.IndexByte(rest[:min(len(rest), maxHeaders-(len(data)-len(rest)))], '\n')
		if end < 0 {
			return m, &unusable{"it does not begin with header lines and an empty line"}
		}
		line := strings.TrimSuffix(string(rest[:end]), "\r") // of an editor
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
	return &unusable{fmt.Sprintf("it has %d bytes, and %d at most are taken", size, limit)}
}

// bury makes a file a dead letter that begins with the reason. Where that cannot be written,
// the file becomes one as it is.
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

// withhold is bury for a file of which nothing is kept: letter is the dead letter.
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

// writeLetter writes a dead letter beside its place, and returns where.
func writeLetter(target, reason string, rest func(*os.File) error) (temporary string, err error) {
	temporary = filepath.Join(filepath.Dir(target), writing+filepath.Base(target))
	return temporary, durable.Create(temporary, func(f *os.File) error {
		if _, err := fmt.Fprintf(f, "%s: %s\n", reasonHeader, transport.OneLine(reason)); err != nil {
			return err
		}
		return rest(f)
	})
}

// replace gives a dead letter its name, and removes its message when the letter is on the disk.
func replace(path, temporary, target string) error {
	if err := move(temporary, target); err != nil {
		return err
	}
	return os.Remove(path)
}

// move renames a file, and returns nil when its new name is on the disk.
func move(path, target string) error {
	if err := os.Rename(path, target); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(target))
}

// makeFolder makes a folder, if it is not there, and returns nil when its name is on the disk.
func makeFolder(path string) error {
	err := os.Mkdir(path, 0o700)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return errors.Join(err, os.Remove(path)) // so that the next one makes and syncs it
	}
	return nil
}

// syncFolder is a variable for tests, in which it fails.
var syncFolder = durable.SyncFolder
