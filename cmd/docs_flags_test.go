package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// otherFlags are flags of other programs that documents mention, and the programs.
var otherFlags = map[string]string{
	"--once": "agent", "--resume": "agent", "--data-binary": "curl", "--json": "curl", "--output-format": "claude",
	"--global": "git", "--ext-diff": "git", "--tool": "git", "--long": "zstd", "--no-dictID": "zstd", "--omit": "npm",
	"--cask": "brew", "--allow-untrusted": "apk", "--bundle": "cosign", "--certificate-identity": "cosign",
	"--certificate-oidc-issuer": "cosign", "--check": "sha256sum", "--ignore-missing": "sha256sum", "--repo": "gh", "--rm": "docker",
	"--arg": "jq",
}

// pageAbout are the commands of a page, in addition to those named at its beginning.
var pageAbout = map[string][]string{
	"docs/architecture.md":    {"convert"},
	"docs/audit.md":           {"accept"},
	"docs/configuration.md":   {"build", "redact"},
	"docs/cookbook.md":        {"audit verify"},
	"docs/coverage.md":        {"openai", "sw4rm"},
	"docs/frameworks.md":      {"openai", "validate", "trim", "accept"},
	"docs/limits.md":          {"diff"},
	"docs/metrics.md":         {"receive"},
	"docs/performance.md":     {"audit"},
	"docs/tour.md":            {"inspect"},
	"docs/transports.md":      {"send"},
	"skills/handoff/SKILL.md": {"validate", "rollback"},
}

// TestDocsFlags checks that each flag in a document, a skill or a --help belongs to its command: in a call,
// to the called command; alone, to a command of its section or, failing that, of the beginning of the page.
func TestDocsFlags(t *testing.T) {
	root := newRoot()
	pages, err := filepath.Glob("../docs/*.md")
	skills, err2 := filepath.Glob("../skills/*/*.md")
	if err != nil || err2 != nil || len(pages) < 10 || len(skills) == 0 {
		t.Fatalf("found %q and %q, %v, %v", pages, skills, err, err2)
	}
	flags := 0
	for _, page := range slices.Concat(pages, skills, []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md"}) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(filepath.ToSlash(page), "../")
		page := string(text)
		if name == "docs/commands.md" { // generated from --help
			continue
		}
		if name == "CHANGELOG.md" {
			_, page, _ = strings.Cut(page, "\n## [Unreleased]")
			page, _, _ = strings.Cut(page, "\n## [")
		}
		flags += flagsOfPage{t, root, name}.check(page, nil)
	}
	everyCommand(root, func(c *cobra.Command) {
		texts := []string{c.Short, c.Long, c.Example}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { texts = append(texts, f.Usage) })
		flags += flagsOfPage{t, root, "the help of " + c.CommandPath()}.check(strings.Join(texts, "\n\n"), c)
	})
	if flags < 1000 {
		t.Errorf("found only %d flags", flags)
	}
}

var (
	headingLine = regexp.MustCompile(`(?m)^#+ .*$`)
	namedFlag   = regexp.MustCompile(`(^|[^\w-])(--[a-z][a-zA-Z0-9-]*)`)
	// namedCommand matches possible words of a command: after "handoff ", at the beginning of a code span, or
	// before a flag.
	namedCommand = regexp.MustCompile("(`?handoff\\s|`)([a-z][a-z0-9-]*(?:\\s[a-z][a-z0-9-]*)*)")
	beforeFlag   = regexp.MustCompile(`((?:[a-z][a-z0-9-]*\s){1,3})--[a-z]`)
	codeSpan     = regexp.MustCompile("`([^`\n]+(?:\n[^`\n]+)?)`")
	shortFlag    = regexp.MustCompile(`^-[a-zA-Z]$`)
)

// flagsOfPage are the flags in a document or a --help.
type flagsOfPage struct {
	*testing.T
	root *cobra.Command
	name string
}

// check checks the flags of the text, and returns their number. own is the command whose help it is, nil for
// a document.
func (p flagsOfPage) check(text string, own *cobra.Command) (n int) {
	p.Helper()
	intro, _, _ := strings.Cut(text, "\n## ")
	for _, name := range pageAbout[p.name] {
		intro += "`" + name + "`\n"
	}
	onPage := append(commandsIn(p.root, text, own), below(commandsIn(p.root, intro, own))...)
	start := 0
	for _, at := range append(headingLine.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		section := text[start:at[0]]
		start = at[0]
		commands := commandsIn(p.root, section, own)
		about := p.headed(section)
		switch {
		case about != nil:
			commands = append(commands, about...)
		case len(commands) == 0:
			commands = onPage
		default:
			commands = append(commands, below(commandsIn(p.root, intro, own))...)
		}
		has := func(list []*cobra.Command, flag string) bool {
			return slices.ContainsFunc(list, func(c *cobra.Command) bool { return p.has(c, flag) })
		}
		for _, m := range namedFlag.FindAllStringSubmatch(section, -1) {
			n++
			if !has(commands, m[2]) && otherFlags[m[2]] == "" {
				p.Errorf("%s: no command that it names has %s", p.name, m[2])
			}
		}
		for _, span := range codeSpan.FindAllStringSubmatch(section, -1) {
			code := strings.ReplaceAll(span[1], "\n", " ")
			if shortFlag.MatchString(code) && !has(commands, code) && otherFlags[code] == "" {
				p.Errorf("%s: no command that it names has %s", p.name, code)
			}
			p.checkSpan(strings.TrimPrefix(code, "handoff "))
		}
	}
	return n
}

// checkSpan checks the flags in a span of code that begins with the words of a command.
func (p flagsOfPage) checkSpan(code string) {
	p.Helper()
	words := strings.Fields(code)
	if len(words) < 2 {
		return
	}
	c, rest, err := p.root.Find(words)
	if err != nil || c == p.root {
		return
	}
	for _, word := range rest {
		if word == "--" || word == "|" || word == ">" {
			return
		}
		flag, _, _ := strings.Cut(strings.Trim(word, "[]…,."), "=")
		if (strings.HasPrefix(flag, "--") && len(flag) > 2 || shortFlag.MatchString(flag)) && !p.has(c, flag) {
			p.Errorf("%s: %s: handoff %s has no flag %s", p.name, code, strings.TrimPrefix(c.CommandPath(), "handoff "), flag)
		}
	}
}

// headed returns the commands in the heading of a section; several may have the same name.
func (p flagsOfPage) headed(section string) (list []*cobra.Command) {
	heading := headingLine.FindString(section)
	everyCommand(p.root, func(c *cobra.Command) {
		if strings.TrimLeft(heading, "# ") == c.Name() {
			list = append(list, c)
		}
	})
	return list
}

// below returns commands and all their subcommands.
func below(commands []*cobra.Command) (list []*cobra.Command) {
	for _, c := range commands {
		everyCommand(c, func(c *cobra.Command) { list = append(list, c) })
	}
	return list
}

// commandsIn returns the commands named in a text, and own with its subcommands.
func commandsIn(root *cobra.Command, text string, own *cobra.Command) (list []*cobra.Command) {
	if own != nil {
		list = below([]*cobra.Command{own})
	}
	named := func(words []string) bool {
		c, rest, err := root.Find(words)
		if err != nil || c == root || len(rest) > 0 {
			return false
		}
		list = append(list, c)
		return true
	}
	for _, m := range namedCommand.FindAllStringSubmatch(text, -1) {
		for words := strings.Fields(m[2]); len(words) > 0 && !named(words); words = words[:len(words)-1] {
		}
	}
	for _, m := range beforeFlag.FindAllStringSubmatch(text, -1) {
		for words := strings.Fields(m[1]); len(words) > 0 && !named(words); words = words[1:] {
		}
	}
	return list
}

// has reports whether a command has a flag.
func (p flagsOfPage) has(c *cobra.Command, flag string) bool {
	name := strings.TrimLeft(flag, "-")
	if name == "help" || name == "h" || name == "version" {
		return true
	}
	for _, flags := range []*pflag.FlagSet{c.Flags(), c.InheritedFlags()} {
		f := flags.Lookup(name)
		if !strings.HasPrefix(flag, "--") {
			f = flags.ShorthandLookup(name)
		}
		if f != nil && !f.Hidden {
			return true
		}
	}
	return false
}
