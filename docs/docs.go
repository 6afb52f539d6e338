// Package docs embeds the documents that the program shows.
package docs

import (
	"embed"
	"strings"
)

// The documents, except the generated ones about rules, providers, commands and requirements.
//
//go:embed a2a.md accepting.md architecture.md assurance.md audit.md building.md chain.md chat-formats.md ci.md
//go:embed claims.md coding-agents.md comparing.md
//go:embed compression.md configuration.md cookbook.md delivery.md dependencies.md environment.md exit-codes.md
//go:embed formats.md frameworks.md glossary.md index.md install.md limits.md macp.md mcp.md metrics.md openai-agents.md
//go:embed openai.md performance.md pipelines.md privacy.md proving.md receiving.md releases.md rendering.md repair.md
//go:embed report.md reports.md safety.md schemas.md sessions.md signing.md streaming.md sw4rm.md threats.md tour.md
//go:embed transport-helpers.md transports-http.md transports.md trimming.md vectors.md
var pages embed.FS

// Page returns the text of a document, in Markdown, by its name without suffix; ok is false if there is none.
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
