// Package docs embeds the documents that the program shows.
package docs

import (
	_ "embed" // for the archive
	"io/fs"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/packed"
)

// Archive is the name of the archive of the documents, which is embedded instead of them: all except the generated
// ones about rules, providers, commands and requirements.
const Archive = "docs.zip"

//go:embed docs.zip
var archive string

var files = sync.OnceValue(func() fs.FS { return packed.Zip(archive) })

// Page returns the text of a document, in Markdown, by its name without suffix; ok is false if there is none.
func Page(name string) (text string, ok bool) {
	page, err := fs.ReadFile(files(), name+".md")
	return string(page), err == nil
}

// Names returns the names of the documents, in order.
func Names() []string {
	names, err := fs.Glob(files(), "*.md")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".md")
	}
	return names
}
