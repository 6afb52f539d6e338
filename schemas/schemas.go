// Package schemas holds the JSON Schemas (draft 2020-12) of the documents that
// handoff reads: the single source of every structural rule. They are published
// as they stand here, for validators in any language.
package schemas

import (
	"embed"
	"strings"
)

//go:embed *.schema.json examples
var files embed.FS

// Names of the schemas, for [Read] and the schemas' own references.
const (
	Message  = "handoff-message-2.0.schema.json"
	State    = "agent-state-1.schema.json"
	Receiver = "receiver-profile-1.schema.json"
)

// Base is what the $id of every schema begins with; its name follows.
const Base = "https://github.com/eaapl/handoff/schemas/"

// Read returns a schema by its name or its $id. There is no error but
// [io/fs.ErrNotExist].
func Read(name string) ([]byte, error) {
	return files.ReadFile(strings.TrimPrefix(name, Base))
}

// Example returns a complete, valid document of one kind: message, state or
// receiver.
func Example(kind string) ([]byte, error) {
	return files.ReadFile("examples/" + kind + ".json")
}
