// Package docs has the documents that the program itself shows.
package docs

import (
	"embed"
	"strings"
)

// The documents but those that commands print: of rules, providers, commands and requirements.
//
//go:embed a2a.md accepting.md architecture.md audit.md building.md chain.md chat-formats.md ci.md comparing.md compression.md
//go:embed configuration.md cookbook.md delivery.md dependencies.md environment.md exit-codes.md formats.md frameworks.md glossary.md index.md limits.md macp.md
//go:embed metrics.md openai-agents.md openai.md performance.md pipelines.md privacy.md proving.md receiving.md rendering.md
//go:embed repair.md report.md reports.md safety.md schemas.md sessions.md signing.md streaming.md sw4rm.md threats.md tour.md
//go:embed transport-helpers.md transports-http.md transports.md trimming.md
var pages embed.FS

// Page returns the text of a document, in Markdown, by its name without suffix; false if there is
// none.
func Page(name string) (text string, ok bool) {
	page, err := pages.ReadFile(name + ".md")
	return string(page), err == nil
}

// Names returns the names of the documents, in order.
func Names() []string {
	entries, err := pages.ReadDir(".")
	if err != nil {
		panic("reading what is embedded: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = strings.TrimSuffix(entry.Name(), ".md")
	}
	return names
}
