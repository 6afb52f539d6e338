package repair

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/internal/undo"
)

// ErrNoEntry reports that an archive has no entry for a text.
var ErrNoEntry = errors.New("the archive has no entry for the message")

// An entry is the record of one repair.
type entry struct {
	Repaired string `json:"repaired"` // SHA-256 of the message after the repair, in lower-case hexadecimal
	undo.Change
}

// archive returns the archive line that restores before from after.
func archive(before, after []byte) []byte {
	return line(entry{undo.Sum(after), undo.Of(before, after)})
}

// line returns an entry as the line of an archive.
func line(e entry) []byte {
	line, err := json.Marshal(e)
	if err != nil {
		panic(err) // strings and integers
	}
	return line
}

// An Archive holds the lines of repairs.
type Archive map[string][]byte // by the digest of the repaired message

// ReadArchive reads an archive. It ignores lines that are cut off or not of a repair. The error is that of
// the reader.
func ReadArchive(r io.Reader) (Archive, error) {
	a := Archive{}
	lines := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF { // without a line end, a line was cut off
			return a, nil
		}
		if err != nil {
			return nil, err
		}
		if rest, ok := bytes.CutPrefix(line, []byte(`{"repaired":"`)); ok {
			digest, _, _ := bytes.Cut(rest, []byte{'"'})
			a[string(digest)] = line
		}
	}
}

// Restore returns the text before its repair. The error wraps [ErrNoEntry], or reports that the archive was
// changed.
func (a Archive) Restore(text []byte) ([]byte, error) {
	found := a[undo.Sum(text)]
	if found == nil {
		return nil, ErrNoEntry
	}
	var e entry
	if err := json.Unmarshal(found, &e); err != nil {
		return nil, fmt.Errorf("the archive was changed: %w", err)
	}
	return e.Undo(text)
}
