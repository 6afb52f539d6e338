package rooted

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/eaapl/handoff/internal/term"
)

// endings are the allowed extensions of written files: tools write JSON and plain text. Markdown is not
// allowed, since agents take it for instructions.
var endings = []string{".json", ".jsonl", ".ndjson", ".patch", ".txt"}

// reserved are names of files that agents, editors, package managers and build tools read. Each is reserved
// with all allowed extensions, and with additional parts, as in tsconfig.base.json.
var reserved = strings.Fields(`
agents claude gemini codex cursor copilot opencode crush memory instructions copilot-instructions rules hooks plugin plugins marketplace llms llms-full
mcp mcp_config mcp-config mcp_settings cline_mcp_settings claude_desktop_config gemini-extension
config settings tasks launch keybindings extensions workspace devcontainer devcontainer-feature
cmakelists cmakepresets cmakeuserpresets cmakesettings vcpkg vcpkg-configuration
package package-lock npm-shrinkwrap bower composer deno import_map jsr tsconfig jsconfig babel nodemon lerna nx project turbo rush angular
vercel now firebase netlify renovate app manifest wrangler cdk global appsettings pyrightconfig biome oxlint dprint elm haxelib
requirements constraints robots`)

// checkName returns an error if a clean path below a folder must not be written: a hidden file, one that
// agents or programs read, or one with a name that a file system may take for another.
func checkName(path string) error {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for _, part := range parts {
		switch {
		case strings.HasPrefix(part, "."):
			return errName(path, "it is a hidden file or folder, where programs look for settings")
		case strings.TrimSpace(part) != part, strings.HasSuffix(part, "."), strings.ContainsFunc(part, func(r rune) bool { return !isNameRune(r) }):
			return errName(path, "file systems may treat the name as another one: use letters, digits, and - _ . within the name")
		}
	}
	name := strings.ToLower(norm.NFKC.String(parts[len(parts)-1])) // as a file system may normalize it
	ending := filepath.Ext(name)
	if !slices.Contains(endings, ending) {
		return errName(path, "tools do not write this type of file: use a name that ends in "+strings.Join(endings, ", "))
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(name, ending), ".") {
		if slices.Contains(reserved, part) || isRequirements(part) {
			return errName(path, "agents or programs read files of this name as instructions or settings")
		}
	}
	return nil
}

// isRequirements reports whether a file name is one from which pip, by convention, installs packages.
func isRequirements(name string) bool {
	return strings.HasPrefix(name, "requirements") || strings.HasSuffix(name, "requirements")
}

// isNameRune reports whether a character is allowed in a name. A tilde is not: PACKAG~1.JSO is package.json
// on Windows.
func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || strings.ContainsRune(" -_.+@=,()", r)
}

func errName(path, why string) error {
	return fmt.Errorf("%s: %s; nothing was written: choose another name, such as handoff.json", term.Visible(path), why)
}
