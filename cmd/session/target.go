package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/session"
)

// A target is an agent for which a session is written.
type target struct {
	agent session.Agent
	// place returns the files of a session with a text, the session itself first.
	place func(s *session.Session, text []byte) ([]output, error)
	// resume returns the command that resumes the session in a file.
	resume func(id, path string) string
	// noFolder and noBranch report that the text of a session has no working folder and no branch.
	noFolder, noBranch bool
}

// An output is a file to be written.
type output struct {
	path string
	text []byte
}

// targetOf returns an agent as a target, nil for an unknown one. now is the current time.
func targetOf(agent session.Agent, now time.Time) *target {
	switch agent {
	case session.ClaudeCode:
		return &target{agent: agent, place: placeClaude, resume: func(id, _ string) string { return "claude --resume " + id }}
	case session.Codex:
		return &target{agent: agent, place: placeCodex, resume: func(id, _ string) string { return "codex resume " + id }}
	case session.GeminiCLI:
		place := func(s *session.Session, text []byte) ([]output, error) { return placeGemini(s, text, now) }
		return &target{agent: agent, place: place, resume: func(id, _ string) string { return "gemini --resume " + id }, noFolder: true, noBranch: true}
	case session.OpenCode:
		resume := func(id, path string) string {
			return "opencode import " + cli.ShellQuoted(path) + " && opencode --session " + id
		}
		return &target{agent: agent, place: placeOpenCode, resume: resume, noBranch: true}
	case session.CopilotCLI:
		return &target{agent: agent, place: placeCopilot, resume: func(id, _ string) string { return "copilot --resume=" + id }}
	}
	return nil
}

// command returns the shell command that resumes a session in its working folder.
func (t *target) command(s *session.Session, path string) string {
	command := t.resume(s.ID, path)
	if s.Folder == "" {
		return command
	}
	return "cd " + cli.ShellQuoted(s.Folder) + " && " + command
}

// errNoHome reports that the folder of an agent is unknown.
func errNoHome(variable string) error {
	return fmt.Errorf("the home directory is unknown: set %s or HOME", variable)
}

func placeClaude(s *session.Session, text []byte) ([]output, error) {
	root := home("CLAUDE_CONFIG_DIR", ".claude")
	switch {
	case root == "":
		return nil, errNoHome("CLAUDE_CONFIG_DIR")
	case s.Folder == "":
		return nil, errUnknownFolder
	}
	slug := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '-'
	}, s.Folder)
	return []output{{filepath.Join(root, "projects", slug, s.ID+".jsonl"), text}}, nil
}

// errUnknownFolder reports a session that its agent stores by the working folder, which is unknown.
var errUnknownFolder = errors.New("the working folder of the session is unknown: name it with --path-map =NEW")

func placeCodex(s *session.Session, text []byte) ([]output, error) {
	root := home("CODEX_HOME", ".codex")
	if root == "" {
		return nil, errNoHome("CODEX_HOME")
	}
	began := s.Began.UTC()
	return []output{{filepath.Join(root, "sessions", began.Format("2006"), began.Format("01"), began.Format("02"), "rollout-"+began.Format("2006-01-02T15-04-05")+"-"+s.ID+".jsonl"), text}}, nil
}

func placeCopilot(s *session.Session, text []byte) ([]output, error) {
	root := home("COPILOT_HOME", ".copilot")
	if root == "" {
		return nil, errNoHome("COPILOT_HOME")
	}
	return []output{{filepath.Join(root, "session-state", s.ID, "events.jsonl"), text}}, nil
}

// placeOpenCode places a session in the current folder: OpenCode stores sessions in a database, and imports files.
func placeOpenCode(s *session.Session, text []byte) ([]output, error) {
	path, err := filepath.Abs(s.ID + ".json")
	return []output{{path, text}}, term.PlainError(err)
}

// placeGemini places a session into the folder of its project, which a file names. The Gemini CLI deletes sessions
// that were not updated for 30 days, so the session becomes one that was updated today.
func placeGemini(s *session.Session, text []byte, now time.Time) ([]output, error) {
	root := geminiHome()
	switch {
	case root == "":
		return nil, errNoHome("GEMINI_CLI_HOME")
	case s.Folder == "":
		return nil, errUnknownFolder
	}
	folder, err := geminiProject(root, s.Folder)
	if err != nil {
		return nil, err
	}
	ending := ".jsonl"
	if oneDocument(text, jsonstream.Unlimited()) != nil {
		ending = ".json" // of the first versions
	} else if today := now.UTC().Truncate(24 * time.Hour); s.Ended.Before(today) {
		text = slices.Concat(text, format.Fill(`{"$set":{"lastUpdated":%}}`, today.Format("2006-01-02T15:04:05.000Z")), []byte{'\n'})
	}
	name := "session-" + s.Began.UTC().Format("2006-01-02T15-04") + "-" + s.ID[:min(8, len(s.ID))] + ending
	outputs := []output{{filepath.Join(folder, "chats", name), text}}
	if projectRoot(folder) == "" {
		outputs = append(outputs, output{filepath.Join(folder, projectRootFile), []byte(s.Folder)})
	}
	return outputs, nil
}

// projectName matches the name of a folder that the Gemini CLI gives a project.
var projectName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9-]+$`) })

// geminiProject returns the folder in which the Gemini CLI stores the sessions of a working folder: the one that its
// registry has, one that names the working folder, or a new one.
func geminiProject(root, folder string) (string, error) {
	var registry struct {
		Projects map[string]string `json:"projects"`
	}
	text, err := regular.ReadFile(filepath.Join(root, "projects.json"))
	if err == nil {
		err = json.Unmarshal(text, &registry)
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", term.Visible(filepath.Join(root, "projects.json")), term.PlainError(err))
	}
	projects := filepath.Join(root, "tmp")
	if name := registry.Projects[folder]; projectName().MatchString(name) {
		if owner := projectRoot(filepath.Join(projects, name)); owner == "" || owner == folder {
			return filepath.Join(projects, name), nil
		}
	}
	entries, err := os.ReadDir(projects)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", term.PlainError(err)
	}
	taken := map[string]bool{}
	for _, name := range registry.Projects {
		taken[name] = true
	}
	for _, entry := range entries {
		if projectRoot(filepath.Join(projects, entry.Name())) == folder {
			return filepath.Join(projects, entry.Name()), nil
		}
		taken[entry.Name()] = true
	}
	base := projectSlug(filepath.Base(folder))
	for name, n := base, 1; ; name, n = fmt.Sprintf("%s-%d", base, n), n+1 {
		if _, err := os.Lstat(filepath.Join(root, "history", name)); !taken[name] && errors.Is(err, os.ErrNotExist) {
			return filepath.Join(projects, name), nil
		}
	}
}

// projectSlug returns the name that the Gemini CLI gives the folder of a project.
func projectSlug(name string) string {
	letters := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || 'z' < r) && (r < '0' || '9' < r) })
	if len(letters) == 0 {
		return "project"
	}
	return strings.Join(letters, "-")
}
