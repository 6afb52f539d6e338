package session

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A move replaces a folder by another. from is "" for sessions without a folder.
type move struct{ from, to string }

// parseMoves parses the values of --path-map.
func parseMoves(flags []string) (all []move, err error) {
	for _, text := range flags {
		from, to, ok := strings.Cut(text, "=")
		if !ok || to == "" {
			return nil, fmt.Errorf("--path-map %q: write it as OLD=NEW, such as /home/ann=/Users/ann", text)
		}
		all = append(all, move{strings.TrimRight(from, `/\`), strings.TrimRight(to, `/\`)})
	}
	return all, nil
}

// apply returns the path, changed by the first move whose folder it is in.
func apply(moves []move, path string) string {
	for _, m := range moves {
		if rest, ok := strings.CutPrefix(path, m.from); ok && (rest == "" || m.from != "" && (rest[0] == '/' || rest[0] == '\\')) {
			return m.to + rest
		}
	}
	return path
}

// moveFolders returns a session, which is one document or JSON Lines, with moved working folders.
func moveFolders(text []byte, moves []move, limits jsonstream.Limits) ([]byte, error) {
	if doc := oneDocument(text, limits); doc != nil {
		return moveIn(doc, moves)
	}
	var out []byte
	for line := range bytes.Lines(text) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(bytes.TrimSpace(line)), limits)
		if err != nil { // a damaged line stays as it is
			out = append(out, line...)
			continue
		}
		moved, err := moveIn(doc, moves)
		if err != nil {
			return nil, err
		}
		out = append(append(out, moved...), '\n')
	}
	return out, nil
}

// moveIn returns a line or document with moved working folders.
func moveIn(doc *jsonstream.Document, moves []move) ([]byte, error) {
	pointers := []string{"/cwd", "/payload/cwd", "/data/context/cwd", "/info/directory"}
	if doc.Root().Get("info").Exists() { // OpenCode
		for i := range doc.Root().Get("messages").Len() {
			at := fmt.Sprintf("/messages/%d/info/path/", i)
			pointers = append(pointers, at+"cwd", at+"root")
		}
	}
	d := jsonstream.NewDraft(doc.Root())
	start, folder := doc.Root(), apply(moves, "")
	if folder != "" && start.Get("type").Text() == "session.start" && !start.At("/data/context/cwd").Exists() { // of the Copilot CLI
		if err := d.Set("/data/context", format.Fill(`{"cwd":%}`, folder)); err != nil {
			return nil, err
		}
	}
	for _, pointer := range pointers {
		if folder := doc.Root().At(pointer); folder.Kind() == jsonstream.String {
			if err := d.Set(pointer, format.Fill("%", apply(moves, folder.Text()))); err != nil {
				return nil, err
			}
		}
	}
	return d.Bytes(), nil
}
