package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/session"
)

// A search selects sessions and the folders that contain them.
type search struct {
	*cli.Globals
	root  string
	agent string
}

func (f *search) register(c *cobra.Command) {
	c.Flags().StringVar(&f.root, "session-dir", "", "`DIR` to search for sessions, instead of the agents' own folders")
	c.Flags().StringVar(&f.agent, "agent", "", "use only sessions of this `AGENT`: "+strings.Join(cli.Names(session.Agents()), ", "))
	cli.Complete(c, "agent", cli.Names(session.Agents())...)
}

func (f *search) check() error {
	if f.agent != "" && !slices.Contains(session.Agents(), session.Agent(f.agent)) {
		return fmt.Errorf("--agent %s: use one of %s", term.Visible(f.agent), strings.Join(cli.Names(session.Agents()), ", "))
	}
	return nil
}

// A folder may contain sessions.
type folder struct {
	fs.FS
	path  string
	agent session.Agent // the agent of the sessions, "" for any
}

// folders returns the folders with sessions. The error reports that they are unknown.
func (f *search) folders() ([]folder, error) {
	if f.root != "" {
		if info, err := os.Stat(f.root); err != nil {
			return nil, fmt.Errorf("--session-dir %s: %w", term.Visible(f.root), term.PlainError(err))
		} else if !info.IsDir() {
			return nil, fmt.Errorf("--session-dir %s: is not a folder", term.Visible(f.root))
		}
		return []folder{{regular.DirFS(f.root), f.root, ""}}, nil
	}
	claude, codex, gemini := home("CLAUDE_CONFIG_DIR", ".claude"), home("CODEX_HOME", ".codex"), geminiHome()
	if claude == "" || codex == "" {
		return nil, errors.New("the home directory is unknown: set HOME, or name the folder of the sessions with --session-dir")
	}
	stores := []folder{
		{nil, filepath.Join(claude, "projects"), session.ClaudeCode},
		{nil, filepath.Join(codex, "sessions"), session.Codex}, {nil, filepath.Join(codex, "archived_sessions"), session.Codex},
	}
	if gemini != "" {
		stores = append(stores, folder{nil, filepath.Join(gemini, "tmp"), session.GeminiCLI})
	}
	if data := home("XDG_DATA_HOME", filepath.Join(".local", "share")); data != "" {
		stores = append(stores, folder{nil, filepath.Join(data, "opencode", "storage", "session"), session.OpenCode})
	}
	if copilot := home("COPILOT_HOME", ".copilot"); copilot != "" {
		stores = append(stores, folder{nil, filepath.Join(copilot, "session-state"), session.CopilotCLI})
	}
	var list []folder
	for _, d := range stores {
		if f.agent == "" || f.agent == string(d.agent) {
			d.FS = regular.DirFS(d.path)
			list = append(list, d)
		}
	}
	return list, nil
}

// databases returns the databases in which newer versions of OpenCode store sessions.
func (f *search) databases() []string {
	data := home("XDG_DATA_HOME", filepath.Join(".local", "share"))
	if f.root != "" || data == "" || f.agent != "" && f.agent != string(session.OpenCode) {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(data, "opencode", "opencode*.db"))
	if err != nil { // the path has characters of patterns
		return nil
	}
	return found
}

// inDatabase returns the remedy for sessions in a database of OpenCode.
func inDatabase(path string) string {
	return fmt.Sprintf("%s: its sessions cannot be read here; opencode export ID > FILE writes one that can", term.Visible(path))
}

// home returns the folder that a variable names, or the folder called name in the user's home
// directory.
func home(variable, name string) string {
	if dir := os.Getenv(variable); variable != "" && dir != "" {
		return dir
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, name)
}

// geminiHome returns the folder of the Gemini CLI, "" if it is unknown.
func geminiHome() string {
	if dir := os.Getenv("GEMINI_CLI_HOME"); dir != "" {
		return filepath.Join(dir, ".gemini")
	}
	return home("", ".gemini")
}

// A file may contain a session.
type file struct {
	folder folder
	name   string // in the folder; "" if the user named the file
	path   string
}

// files returns the files that may contain sessions, and the folders that cannot be listed as problems.
// Claude Code keeps the sessions of sub-agents in separate files, which are skipped.
func files(list []folder) (found []file, problems []error) {
	for _, d := range list {
		err := fs.WalkDir(d, ".", func(name string, e fs.DirEntry, err error) error {
			switch {
			case name == "." && errors.Is(err, fs.ErrNotExist):
				return fs.SkipAll
			case err != nil:
				problems = append(problems, fmt.Errorf("%s: %w", term.Visible(filepath.Join(d.path, name)), term.PlainError(err)))
				return nil
			case e.IsDir() && path.Base(name) == "subagents":
				return fs.SkipDir
			case e.IsDir() || !isSession(path.Base(name), d.agent):
				return nil
			}
			found = append(found, file{d, name, filepath.Join(d.path, filepath.FromSlash(name))})
			return nil
		})
		if err != nil {
			problems = append(problems, err)
		}
	}
	return found, problems
}

func isSession(base string, of session.Agent) bool {
	plain := plainName(base)
	switch of {
	case session.GeminiCLI: // beside logs.json
		return strings.HasPrefix(plain, "session-") && (strings.HasSuffix(plain, ".jsonl") || strings.HasSuffix(plain, ".json"))
	case session.OpenCode:
		return strings.HasSuffix(base, ".json")
	}
	return strings.HasSuffix(plain, ".jsonl") && !strings.HasPrefix(plain, "agent-") && (of != session.Codex || strings.HasPrefix(plain, "rollout-"))
}

// plainName returns the name of a file without its suffix for compression.
func plainName(base string) string {
	for _, c := range compress.Codecs() {
		base = strings.TrimSuffix(base, c.Suffix())
	}
	return base
}

// namedID matches the name of a rollout, or of a session of the Gemini CLI, which has the beginning of its id.
var namedID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:rollout-.*-([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})|session-\d{4}-\d\d-\d\dT\d\d-\d\d-(.{1,8}))$`)
})

// id returns the session ID in the file's name.
func (f file) id() string {
	name := strings.TrimSuffix(strings.TrimSuffix(plainName(filepath.Base(f.path)), ".jsonl"), ".json")
	if name == "events" { // of the Copilot CLI
		return filepath.Base(filepath.Dir(f.path))
	}
	if m := namedID().FindStringSubmatch(name); m != nil {
		return m[1] + m[2]
	}
	return name
}

// resolve returns the file of the session that the user named.
func (f *search) resolve(name string) (file, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return file{folder: folder{FS: regular.DirFS(filepath.Dir(name))}, name: filepath.Base(name), path: name}, nil
	} else if strings.ContainsAny(name, `/\`) {
		if err == nil {
			return file{}, fmt.Errorf("%s: is a folder: name the file of a session", term.Visible(name))
		}
		return file{}, fmt.Errorf("%s: %w", term.Visible(name), term.PlainError(err))
	}
	list, err := f.folders()
	if err != nil {
		return file{}, err
	}
	all, _ := files(list)
	var exact, matching []file
	for _, one := range all {
		switch id := one.id(); {
		case strings.EqualFold(id, name), one.folder.agent == session.GeminiCLI && len(name) > len(id) && strings.EqualFold(name[:len(id)], id):
			exact = append(exact, one)
		case len(name) <= len(id) && strings.EqualFold(id[:len(name)], name) && name != "":
			matching = append(matching, one)
		}
	}
	switch {
	case len(exact) == 1:
		return exact[0], nil
	case len(exact) > 1: // for example, if a folder was moved
		var paths []string
		for _, one := range exact[:min(len(exact), 5)] {
			paths = append(paths, term.Visible(one.path))
		}
		return file{}, fmt.Errorf("%s have the id %s: name one of them: %s", term.Plural(len(exact), "file"), term.Visible(name), strings.Join(paths, ", "))
	case len(matching) == 1:
		return matching[0], nil
	case len(matching) == 0:
		if err := notFile(name); err != nil {
			return file{}, err
		}
		hint := "handoff session list shows the sessions"
		if databases := f.databases(); len(databases) > 0 {
			hint = inDatabase(databases[0])
		}
		return file{}, term.WithHint(fmt.Errorf("no session %s among %s", term.Visible(name), term.Counted(len(all), "file")), hint)
	}
	var ids []string
	for _, m := range matching[:min(len(matching), 5)] {
		ids = append(ids, term.Visible(m.id()))
	}
	return file{}, fmt.Errorf("%s begin with %s: write more of the id: %s", term.Plural(len(matching), "session"), term.Visible(name), strings.Join(ids, ", "))
}

// notFile returns an error if name is a folder, or a link that leads to no file.
func notFile(name string) error {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder: name the file of a session", term.Visible(name))
	}
	if _, linked := os.Lstat(name); linked != nil {
		return nil
	}
	return fmt.Errorf("%s: is a link that leads to no file: %w", term.Visible(name), term.PlainError(err))
}

// An opened is an open file.
type opened struct {
	io.ReaderAt
	size     int64
	modified time.Time
	close    func() error
}

// openCodeStorage returns the folder in which OpenCode stores the messages of a session whose file this is; ok is
// false for any other file.
func (f file) openCodeStorage() (storage string, ok bool) {
	folder := filepath.Dir(filepath.Dir(f.path))
	return filepath.Dir(folder), strings.HasPrefix(filepath.Base(f.path), "ses_") && filepath.Base(folder) == "session"
}

// open opens a file, and decompresses it if it is compressed. A session in the store of OpenCode becomes one
// document, without messages if it is brief.
func (f file) open(o compress.ReaderOptions, limit int64, brief bool) (*opened, error) {
	if storage, ok := f.openCodeStorage(); ok {
		name, err := filepath.Rel(storage, f.path)
		if err != nil {
			return nil, term.PlainError(err)
		}
		text, err := session.ExportOpenCode(regular.DirFS(storage), filepath.ToSlash(name), limit, brief)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", term.Visible(f.path), term.PlainError(err))
		}
		return &opened{bytes.NewReader(text), int64(len(text)), time.Time{}, func() error { return nil }}, nil
	}
	in, err := f.folder.Open(f.name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(f.path), term.PlainError(err))
	}
	info, err := in.Stat()
	if err == nil {
		err = regular.Check(info)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", term.Visible(f.path), term.PlainError(err)), in.Close())
	}
	if at, ok := in.(io.ReaderAt); ok && plainName(f.name) == f.name {
		return &opened{at, info.Size(), info.ModTime(), in.Close}, nil
	}
	defer in.Close()
	r := compress.NewReader(in, o)
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(f.path), err)
	}
	return &opened{bytes.NewReader(text), int64(len(text)), info.ModTime(), func() error { return nil }}, nil
}

// text returns the text of a session. The error reports more than limit bytes, unless it is 0.
func (f file) text(o compress.ReaderOptions, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = jsonstream.DefaultMaxBytes
	}
	in, err := f.open(o, limit, false)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.NewSectionReader(in, 0, min(in.size, limit+1)))
	if err = errors.Join(err, in.close()); err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(f.path), term.PlainError(err))
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%s: the session has more than %d bytes", term.Visible(f.path), limit)
	}
	return text, nil
}

// read reads a session.
func (f *search) read(one file, o session.Options) (s *session.Session, modified time.Time, err error) {
	return f.load(one, o, session.Read, false)
}

// peek reads the description of a session.
func (f *search) peek(one file) (s *session.Session, modified time.Time, err error) {
	return f.load(one, session.Options{}, session.Peek, true)
}

func (f *search) load(one file, o session.Options, how func(io.ReaderAt, int64, session.Options) (*session.Session, error), brief bool) (s *session.Session, modified time.Time, err error) {
	limit := f.Limits.MaxBytes
	if limit <= 0 {
		limit = jsonstream.DefaultMaxBytes
	}
	in, err := one.open(f.Unpacking, limit, brief)
	if err != nil {
		return nil, modified, err
	}
	defer in.close()
	o.Limits = f.Limits
	if s, err = how(in, in.size, o); err != nil {
		return nil, in.modified, fmt.Errorf("%s: %w", term.Visible(one.path), err)
	}
	if s.ID == "" || s.Agent == session.ClaudeCode && uuid.Validate(one.id()) == nil {
		s.ID = one.id() // a continued session begins with lines of the one before
	}
	if s.Agent == session.GeminiCLI && s.Folder == "" {
		s.Folder = projectRoot(filepath.Dir(filepath.Dir(one.path)))
	}
	return s, in.modified, nil
}

// projectRootFile is the name of the file in which the Gemini CLI names the working folder of a project.
const projectRootFile = ".project_root"

// projectRoot returns the working folder that a file in a folder of the Gemini CLI names, "" if there is none.
func projectRoot(project string) string {
	in, err := regular.Open(filepath.Join(project, projectRootFile))
	if err != nil {
		return ""
	}
	defer in.Close()
	const longest = 4096 // bytes, as on Linux
	text, err := io.ReadAll(io.LimitReader(in, longest))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// atWork shows the elapsed time of the work on a session until it is stopped.
func (f *search) atWork(c *cobra.Command) *term.Progress {
	return f.StartDoing(c.ErrOrStderr(), "reading the session", -1)
}
