package about

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/checkup"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/plugins"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

// NewInstall returns the command install, which writes plugins for coding agents.
func NewInstall(g *cli.Globals) *cobra.Command {
	var names []string
	for _, a := range plugins.Agents() {
		names = append(names, a.Name)
	}
	return &cobra.Command{
		Use:   "install AGENT...",
		Short: "Install the skill, the MCP server and the hook for a coding agent",
		Long: `Install writes the files by which a coding agent finds handoff: a skill that teaches it
to make and take handoffs, the MCP server ("handoff mcp") and a hook ("handoff hook")
that checks the messages that it reads and writes.

  claude-code  the plugin ~/.claude/skills/handoff ($CLAUDE_CONFIG_DIR)
  codex        the skill ~/.agents/skills/handoff, and entries at the end of
               ~/.codex/config.toml ($CODEX_HOME)
  gemini       the extension ~/.gemini/extensions/handoff

It prints the path of each file after writing it. It replaces its own unchanged files, and
adds missing entries to a configuration. If another file is in the way, it writes nothing:
this is an error. "handoff doctor" checks the installed files.`,
		Example: `  handoff install claude-code
  handoff install codex gemini`,
		ValidArgs: names,
		Args:      cobra.MatchAll(cobra.MinimumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(c *cobra.Command, args []string) error {
			for _, a := range plugins.Agents() {
				if slices.Contains(args, a.Name) {
					if err := installAgent(g, c.OutOrStdout(), a); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

// installAgent writes the files of an agent, all or, if one of them must not be replaced, none.
func installAgent(g *cli.Globals, stdout io.Writer, a plugins.Agent) error {
	state, folder := cli.StateDir(), a.Folder(agentHome)
	if state == "" || folder == "" {
		return errNoHome
	}
	record := filepath.Join(state, "agents.json")
	written, err := readRecord(record)
	if err != nil {
		return err
	}
	var changes []plugins.File
	for _, f := range a.Files(pluginVersion()) {
		f.Path = filepath.Join(folder, filepath.FromSlash(f.Path))
		old, err := readOld(f.Path)
		switch {
		case err != nil:
			return err
		case bytes.Equal(old, f.Text):
		case old != nil && written[f.Path] != digest(old):
			return fmt.Errorf("%s: exists, and was not written by handoff or was changed since: move it first", f.Path)
		default:
			changes = append(changes, f)
		}
		written[f.Path] = digest(f.Text)
	}
	if a.Config != nil {
		f, err := extended(a)
		if err != nil {
			return err
		}
		if f.Text != nil {
			changes = append(changes, f)
		}
	}
	for _, f := range changes {
		if err := writeAgentFile(g, f.Path, f.Text); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(stdout, "wrote", term.Visible(f.Path)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(written, json.Deterministic(true), jsontext.WithIndent("  "))
	if err == nil {
		err = writeAgentFile(g, record, append(text, '\n'))
	}
	if err != nil {
		return err
	}
	said := a.Next
	if len(changes) == 0 {
		said = a.Title + " already has everything."
	}
	_, err = fmt.Fprintln(stdout, said)
	return err
}

// extended returns the configuration file of an agent with the missing entries, without text if it has all of
// them.
func extended(a plugins.Agent) (plugins.File, error) {
	f := plugins.File{Path: a.Config(agentHome)}
	if f.Path == "" {
		return f, errNoHome
	}
	old, err := readOld(f.Path)
	if err != nil {
		return f, err
	}
	added, err := plugins.Missing(old)
	if err != nil {
		return f, fmt.Errorf("%s: %w", f.Path, err)
	}
	if added == "" {
		return f, nil
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		added = "\n" + added
	}
	f.Text = append(old, added...)
	return f, nil
}

// readRecord returns the digests of the files that were written for agents, by path.
func readRecord(path string) (map[string]string, error) {
	text, err := readOld(path)
	if err != nil || text == nil {
		return map[string]string{}, err
	}
	var written map[string]string
	if err := json.Unmarshal(text, &written); err != nil || written == nil {
		return nil, fmt.Errorf("%s: is not a record of installed files: remove it, and move the files of agents that handoff wrote", path)
	}
	return written, nil
}

// readOld returns the contents of a file, nil if there is none.
func readOld(path string) ([]byte, error) {
	const most = 16 << 20
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", path, term.PlainError(err))
	}
	defer f.Close() // read only: nothing can be lost
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil || len(text) > most {
		return nil, fmt.Errorf("%s: cannot be read: %w", path, term.PlainError(errors.Join(err, fs.ErrInvalid)))
	}
	return append([]byte{}, text...), nil
}

func writeAgentFile(g *cli.Globals, path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return output.Error(path, err)
	}
	return g.WriteData(path, nil, text)
}

// agentHome implements [plugins.Home].
func agentHome(variable, folder string) string {
	if dir := os.Getenv(variable); variable != "" && filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, folder)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// pluginVersion returns the version of this program as a semantic version, which manifests need.
func pluginVersion() string {
	if v, ok := strings.CutPrefix(report.BuildVersion(), "v"); ok {
		return v
	}
	return "0.0.0"
}

// agentChecks returns the checks of the agents whose files were installed.
func agentChecks() []checkup.Check {
	state := cli.StateDir()
	if state == "" {
		return nil
	}
	written, err := readRecord(filepath.Join(state, "agents.json"))
	if err != nil {
		return []checkup.Check{{Kind: "agents", Place: state, Look: func(context.Context, *checkup.Result) error { return err }}}
	}
	var checks []checkup.Check
	for _, a := range plugins.Agents() {
		folder := a.Folder(agentHome)
		files := a.Files(pluginVersion())
		for i, f := range files {
			files[i].Path = filepath.Join(folder, filepath.FromSlash(f.Path))
		}
		if folder != "" && slices.ContainsFunc(files, func(f plugins.File) bool { return written[f.Path] != "" }) {
			checks = append(checks, checkup.Check{Kind: a.Name, Place: folder, Look: func(_ context.Context, r *checkup.Result) error { return lookAtAgent(a, files, r) }})
		}
	}
	return checks
}

// lookAtAgent checks the installed files of an agent.
func lookAtAgent(a plugins.Agent, files []plugins.File, r *checkup.Result) error {
	again := "run handoff install " + a.Name + " again"
	for _, f := range files {
		old, err := readOld(f.Path)
		switch {
		case err != nil:
			return err
		case old == nil:
			return fmt.Errorf("%s is missing: %s", f.Path, again)
		case !bytes.Equal(old, f.Text):
			r.Notes = append(r.Notes, fmt.Sprintf("%s is of another version, or was changed: %s", f.Path, again))
		}
	}
	if a.Config != nil {
		if f, err := extended(a); err != nil {
			return err
		} else if f.Text != nil {
			return fmt.Errorf("%s lacks entries: %s", f.Path, again)
		}
	}
	if !slices.ContainsFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "handoff"))
		_, errWindows := os.Stat(filepath.Join(dir, "handoff.exe"))
		return err == nil || errWindows == nil
	}) {
		r.Notes = append(r.Notes, "handoff is not on PATH, where the agent looks for it")
	}
	return nil
}
