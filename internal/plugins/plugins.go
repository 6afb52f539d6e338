// Package plugins has the plugins for coding agents: the skill, the MCP server and a hook, in the form that each
// agent loads.
package plugins

import (
	"bytes"
	"encoding/json"
	"path"
	"path/filepath"

	"github.com/eaapl/handoff/skills"
)

// A Home returns the folder in an environment variable or, if that is not set, the named one in the home directory,
// "" if that is unknown.
type Home func(variable, folder string) string

// A File is a file of a plugin.
type File struct {
	Path string // with slashes, below the plugin's folder
	Text []byte
}

// An Agent is a coding agent that loads plugins.
type Agent struct {
	Name  string // of the argument of handoff install
	Title string
	// Folder returns the folder from which the agent loads the files, "" if the home directory is unknown.
	Folder func(Home) string
	// Files returns the files of a version of handoff, in order.
	Files func(version string) []File
	// Config returns the configuration file that gets the entries of [Missing]; nil if the agent needs none.
	Config func(Home) string
	Next   string // the next step of the user
}

const (
	name        = "handoff"
	description = "Hand work over from one AI agent to another, and take over such work: build, check, sign and accept handoff messages"
	repository  = "https://github.com/eaapl/handoff"
	license     = "Apache-2.0"
	check       = "handoff hook" // the command of the hook
	codexTools  = "apply_patch|Write|Edit"
)

// Agents returns the supported agents.
func Agents() []Agent {
	return []Agent{
		{
			Name: "claude-code", Title: "Claude Code",
			Folder: func(home Home) string { return below(home("CLAUDE_CONFIG_DIR", ".claude"), "skills", name) },
			Files:  claudeFiles,
			Next:   "Claude Code loads the plugin in its next session; /plugin lists it.",
		},
		{
			Name: "codex", Title: "Codex",
			Folder: func(home Home) string { return below(home("", ".agents"), "skills", name) },
			Files:  func(string) []File { return []File{{"SKILL.md", skills.Handoff}} },
			Config: func(home Home) string { return below(home("CODEX_HOME", ".codex"), "config.toml") },
			Next:   "Codex asks in its next session whether to trust the hook: /hooks shows it, and /mcp the server.",
		},
		{
			Name: "gemini", Title: "Gemini CLI",
			Folder: func(home Home) string { return below(home("", ".gemini"), "extensions", name) },
			Files:  GeminiFiles,
			Next:   "Gemini CLI loads the extension in its next session; /extensions list shows it.",
		},
	}
}

func below(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

// Repository returns the manifests in the repository for a version of handoff: the marketplaces that the agents'
// own commands read, their plugins, and the entry of the MCP registry.
func Repository(version string) []File {
	files := []File{
		{".claude-plugin/marketplace.json", document(object{
			{"name", name}, {"owner", object{{"name", "EAAPL"}}}, {"description", description},
			{"plugins", []any{object{{"name", name}, {"source", "./plugins/claude-code"}, {"description", description}}}},
		})},
		{".agents/plugins/marketplace.json", document(object{
			{"name", name}, {"interface", object{{"displayName", "Handoff"}}},
			{"plugins", []any{object{
				{"name", name}, {"source", object{{"source", "local"}, {"path", "./plugins/codex"}}},
				{"policy", object{{"installation", "AVAILABLE"}, {"authentication", "ON_INSTALL"}}}, {"category", "Productivity"},
			}}},
		})},
		{"server.json", document(registered(version))},
	}
	for _, f := range claudeFiles(version) {
		files = append(files, File{"plugins/claude-code/" + f.Path, f.Text})
	}
	for _, f := range codexFiles(version) {
		files = append(files, File{"plugins/codex/" + f.Path, f.Text})
	}
	for _, f := range GeminiFiles(version) { // the repository is the extension
		if path.Dir(f.Path) != "skills/handoff" {
			files = append(files, f)
		}
	}
	return files
}

// claudeFiles are the files of the plugin for Claude Code. Without a version in the manifest, Claude Code updates
// it with each commit of its source.
func claudeFiles(string) []File {
	return []File{
		{".claude-plugin/plugin.json", document(append(manifest(), member{"keywords", []any{"agents", "handoff", "mcp"}}))},
		{".mcp.json", servers()},
		{"hooks/hooks.json", hooks(hook{"PreToolUse", "Read"}, hook{"PostToolUse", "Write|Edit|MultiEdit"})},
		{"skills/handoff/SKILL.md", skills.Handoff},
	}
}

func codexFiles(version string) []File {
	return []File{
		{".codex-plugin/plugin.json", document(append(manifest(),
			member{"version", version}, member{"skills", "./skills/"}, member{"mcpServers", "./.mcp.json"}, member{"hooks", "./hooks/hooks.json"},
			member{"interface", object{{"displayName", "Handoff"}, {"shortDescription", "Hand work over to other agents"}, {"developerName", "EAAPL"}, {"category", "Productivity"}, {"websiteURL", repository}}},
		))},
		{".mcp.json", servers()},
		{"hooks/hooks.json", hooks(hook{"PostToolUse", codexTools})},
		{"skills/handoff/SKILL.md", skills.Handoff},
	}
}

// GeminiFiles are the files of the extension for Gemini CLI.
func GeminiFiles(version string) []File {
	return []File{
		{"gemini-extension.json", document(object{{"name", name}, {"version", version}, {"description", description}, {"mcpServers", server()}})},
		{"hooks/hooks.json", hooks(hook{"BeforeTool", "read_file"}, hook{"AfterTool", "write_file|replace"})},
		{"skills/handoff/SKILL.md", skills.Handoff},
	}
}

func manifest() object {
	return object{
		{"name", name}, {"description", description}, {"author", object{{"name", "EAAPL"}, {"url", repository}}},
		{"homepage", repository}, {"repository", repository}, {"license", license},
	}
}

func server() object {
	return object{{name, object{{"command", name}, {"args", []any{"mcp"}}}}}
}

func servers() []byte { return document(object{{"mcpServers", server()}}) }

// registered is the entry of the MCP registry, whose schema names it. The registry compares the name with
// mcpName in the npm package.
func registered(version string) object {
	return object{
		{"$schema", "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
		{"name", "io.github.eaapl/handoff"}, {"title", "Handoff"},
		{"description", "Build, validate, scan, trim and convert the messages that AI agents hand to each other"},
		{"version", version}, {"websiteUrl", repository}, {"repository", object{{"url", repository}, {"source", "github"}}},
		{"packages", []any{object{
			{"registryType", "npm"}, {"identifier", "@eaapl/handoff"}, {"version", version}, {"transport", object{{"type", "stdio"}}},
			{"packageArguments", []any{object{{"type", "positional"}, {"value", "mcp"}}}},
		}}},
	}
}

// A hook runs the check around the tools that matcher matches.
type hook struct{ event, matcher string }

func hooks(list ...hook) []byte {
	var events object
	for _, h := range list {
		events = append(events, member{h.event, []any{object{
			{"matcher", h.matcher}, {"hooks", []any{object{{"type", "command"}, {"command", check}}}},
		}}})
	}
	return document(object{{"hooks", events}})
}

// An object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		key, err := marshal(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// document returns an indented JSON document of strings, lists and objects.
func document(o object) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(o); err != nil {
		panic(err) // strings, lists and objects only
	}
	return b.Bytes()
}
