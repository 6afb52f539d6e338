package cmd

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/plugins"
)

// TestManifests checks the manifests for agents and registries: files that they name exist, the MCP registry's
// entry has the name of the npm package and a permitted length, and aqua's entry names the release's files.
func TestManifests(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, f := range plugins.Repository(newestVersion(t)) {
		if path.Ext(f.Path) != ".json" {
			continue
		}
		var any map[string]any
		if err := json.Unmarshal(f.Text, &any); err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
		root := strings.TrimSuffix(path.Dir(f.Path), "/.claude-plugin")
		root = strings.TrimSuffix(root, "/.codex-plugin")
		for _, member := range []string{"skills", "mcpServers", "hooks"} {
			if name, ok := any[member].(string); ok {
				if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(root), filepath.FromSlash(name))); err != nil {
					t.Errorf("%s: %v", f.Path, err)
				}
			}
		}
	}
	var server struct {
		Name, Description, Version string
		Packages                   []struct{ Identifier, Version string }
	}
	if err := json.Unmarshal([]byte(read("server.json")), &server); err != nil {
		t.Fatal(err)
	}
	if p := server.Packages[0]; len(server.Description) > 100 || p.Identifier != "@eaapl/handoff" || p.Version != server.Version || !strings.Contains(read("packaging/npm/make.mjs"), "mcpName: '"+server.Name+"'") {
		t.Errorf("server.json does not fit the package: %+v", server)
	}
	var aqua struct {
		Packages []struct {
			Asset    string
			Checksum struct{ Asset string }
		}
	}
	readYAML(t, "../packaging/aqua/registry.yaml", &aqua)
	var release struct {
		Archives []struct {
			Name string `yaml:"name_template"`
		}
		Checksum struct {
			Name string `yaml:"name_template"`
		}
	}
	readYAML(t, "../.goreleaser.yaml", &release)
	name := strings.NewReplacer("{{ .Version }}", "{{trimV .Version}}", "{{ .Os }}", "{{.OS}}", "{{ .Arch }}", "{{.Arch}}").Replace(release.Archives[0].Name)
	if p := aqua.Packages[0]; p.Asset != name+".{{.Format}}" || p.Checksum.Asset != release.Checksum.Name {
		t.Errorf("aqua's entry has %+v, and the release %q and %q", p, name, release.Checksum.Name)
	}
}
