package plugins

import (
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// The entries of Codex's configuration, each of which may be added to the end of the file.
const (
	codexServer = `
[mcp_servers.handoff]
command = "handoff"
args = ["mcp"]
`
	codexHook = `
[[hooks.PostToolUse]]
matcher = "` + codexTools + `"

[[hooks.PostToolUse.hooks]]
type = "command"
command = "` + check + `"
`
)

// Missing returns the text that, at the end of a configuration of Codex, adds the missing entries, "" if it has
// all of them. The error reports a configuration that is not TOML, or cannot be extended.
func Missing(config []byte) (string, error) {
	var found struct {
		Servers map[string]any `toml:"mcp_servers"`
		Hooks   struct {
			After []struct {
				Hooks []struct {
					Command string `toml:"command"`
				} `toml:"hooks"`
			} `toml:"PostToolUse"`
		} `toml:"hooks"`
	}
	if err := toml.Unmarshal(config, &found); err != nil {
		return "", notTOML(err)
	}
	added := codexServer
	if found.Servers[name] != nil {
		added = ""
	}
	hooked := false
	for _, group := range found.Hooks.After {
		for _, h := range group.Hooks {
			hooked = hooked || h.Command == check
		}
	}
	if !hooked {
		added += codexHook
	}
	if err := toml.Unmarshal([]byte(string(config)+"\n"+added), &map[string]any{}); err != nil {
		return "", errors.New("cannot be extended, because it has an inline table: add the entries of docs/coding-agents.md yourself")
	}
	return added, nil
}

func notTOML(err error) error {
	if e := (*toml.DecodeError)(nil); errors.As(err, &e) {
		line, column := e.Position()
		return fmt.Errorf("is not TOML from line %d, column %d on: correct it", line, column)
	}
	return errors.New("is not TOML: correct it")
}
