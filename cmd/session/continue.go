package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/session"
)

// continueFlags are the flags of session continue.
type continueFlags struct {
	search
	in     string
	moved  []string // OLD=NEW
	bundle string
	from   string // a bundle
	unpack string
	redact bool
	now    func() time.Time
}

// targetAgents are the agents whose sessions can be written.
var targetAgents = []session.Agent{session.ClaudeCode, session.Codex, session.CopilotCLI}

func newContinue(g *cli.Globals) *cobra.Command {
	f := &continueFlags{search: search{Globals: g}, now: time.Now}
	c := &cobra.Command{
		Use:   "continue [SESSION] --in AGENT",
		Short: "Write a session for another agent, and print the command that resumes it",
		Long: `Continue converts a session of any agent into one of Claude Code, the Codex CLI or the
Copilot CLI, or copies it for the same agent on another machine, into the folder where
the agent looks for it. It prints the file and the command that resumes the session there.

It compares the sessions first: if a request, an answer, a call, a result, the folder or
the branch would be missing, it writes nothing, and the exit code is 1. It reads back the
written file. An existing file is never replaced.

--bundle packs the session, its handoff message and the files that its tools read or
changed in the working folder into one archive, with their digests. On another machine,
--from-bundle continues the session in it. The archive is not trusted: its digests are
verified, and --unpack writes its message and files only into a new folder.

--redact replaces personal data, as handoff redact does, and credentials in the session,
its message and its files. A value has the same replacement everywhere. Files that are
not text are left out. Nothing restores the values.`,
		Example: `  handoff session continue 0d9b --in codex
  handoff session continue 019a2d7a-41c4 --in claude-code --path-map /work=/Users/ann
  handoff session continue 0d9b --bundle work.tar.gz --redact
  handoff session continue --from-bundle work.tar.gz --in copilot-cli --path-map /work=/Users/ann`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.dispatch(c, args)
		},
	}
	f.register(c)
	flags := c.Flags()
	flags.StringVar(&f.in, "in", "", "`AGENT` that continues the session: "+strings.Join(cli.Names(targetAgents), ", "))
	flags.StringArrayVar(&f.moved, "path-map", nil, "replace the folder OLD by NEW, as `OLD=NEW`, in the working folders of the session; may be repeated")
	flags.StringVar(&f.bundle, "bundle", "", "pack the session into an archive, `FILE` (tar, gzip), instead of writing it for an agent")
	flags.StringVar(&f.from, "from-bundle", "", "continue the session in this archive, `FILE`")
	flags.BoolVar(&f.redact, "redact", false, "replace personal data and credentials")
	flags.StringVar(&f.unpack, "unpack", "", "write the message and the files in the archive into a new folder, `DIR`")
	cli.Complete(c, "in", cli.Names(targetAgents)...)
	return c
}

// dispatch runs the command for a session or a bundle.
func (f *continueFlags) dispatch(c *cobra.Command, args []string) error {
	switch {
	case f.from != "" && f.redact:
		return errors.New("--redact and --from-bundle: use --redact when you make the bundle")
	case f.from != "" && (len(args) > 0 || f.bundle != ""):
		return errors.New("--from-bundle: the session is in the archive: leave out SESSION and --bundle")
	case f.from != "":
		return f.runBundle(c)
	case len(args) == 0:
		return errors.New("name a SESSION, or a bundle with --from-bundle")
	case f.unpack != "":
		return errors.New("--unpack needs --from-bundle")
	}
	one, err := f.resolve(args[0])
	switch {
	case err != nil:
		return err
	case f.bundle != "" && f.in != "":
		return errors.New("--bundle and --in: use one of them; --in is for the other machine")
	}
	var r *redaction
	redacted := one
	if f.redact {
		if r, err = newRedaction(f.Globals, c); err != nil {
			return err
		}
		temporary, err := os.MkdirTemp("", "handoff-redacted-")
		if err != nil {
			return term.PlainError(err)
		}
		defer os.RemoveAll(temporary)
		if redacted, err = r.session(&f.search, one, temporary); err != nil {
			return err
		}
	}
	if f.bundle != "" {
		err = f.pack(c, one, redacted, r)
	} else {
		err = f.run(c, redacted)
	}
	if err != nil || r == nil {
		return err
	}
	return r.report(c.ErrOrStderr())
}

// run writes a session for another agent.
func (f *continueFlags) run(c *cobra.Command, one file) error {
	to := session.Agent(f.in)
	if !slices.Contains(targetAgents, to) {
		return fmt.Errorf("--in %q: name the agent that continues the session, one of %s", f.in, strings.Join(cli.Names(targetAgents), ", "))
	}
	moves, err := parseMoves(f.moved)
	if err != nil {
		return err
	}
	all := session.Options{TailBytes: int(min(f.Limits.MaxBytes, 1<<30)), Limits: f.Limits}
	before, _, err := f.read(one, all)
	if err != nil {
		return err
	}
	text, err := f.convertSession(c, one, before.Agent, to)
	if err != nil {
		return err
	}
	after, err := session.Read(bytes.NewReader(text), int64(len(text)), all)
	if err != nil {
		return err
	}
	if want := apply(moves, before.Folder); after.Folder != want { // also where a conversion back restores the folder of the original
		if text, err = moveFolders(text, append(moves, move{after.Folder, want}), f.Limits); err != nil {
			return err
		}
		if after, err = session.Read(bytes.NewReader(text), int64(len(text)), all); err != nil {
			return err
		}
	}
	path, err := sessionPath(after)
	if err != nil {
		return err
	}
	if problem := difference(before, after, moves); problem != "" {
		term.PrintError(c.ErrOrStderr(), fmt.Errorf("%s: the session for %s would differ: %s", term.Visible(one.path), to, problem))
		return cli.ErrNo
	}
	if err := f.write(path, text); err != nil {
		return err
	}
	if _, err := os.Stat(after.Folder); after.Folder == "" || err != nil {
		term.Warn(c.ErrOrStderr(), fmt.Sprintf("the working folder %q is not on this machine: name it with --path-map OLD=NEW, or resume in another folder", after.Folder))
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n%s\n", term.Visible(path), term.Visible(resumeCommand(after)))
	return err
}

// convertSession returns the text of the session for an agent.
func (f *continueFlags) convertSession(c *cobra.Command, one file, from, to session.Agent) (text []byte, err error) {
	if from == to {
		return f.ReadAll(one.path, c.InOrStdin(), f.Limits)
	}
	doc, err := f.document(c, one)
	if err != nil {
		return nil, err
	}
	r, err := convert.Checked(c.Context(), doc, format.Format(to), convert.Options{Lenient: true}, f.Limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(one.path), err)
	}
	return r.Text, nil
}

// document returns the document of a session.
func (f *continueFlags) document(c *cobra.Command, one file) (*jsonstream.Document, error) {
	if _, ok := one.openCodeStorage(); ok {
		text, err := one.text(f.Unpacking, f.Limits.MaxBytes)
		if err != nil {
			return nil, err
		}
		return jsonstream.Parse(jsonstream.NewRaw(text), f.Limits)
	}
	var d input.Document
	for _, source := range f.Sources([]string{one.path}, c.InOrStdin(), c.ErrOrStderr()) {
		source.Documents(f.Limits, func(int) {}, func(first input.Document, _ bool) bool {
			d = first.Whole()
			return false
		})
	}
	return d.Parse(f.Limits)
}

// A move replaces a folder by another.
type move struct{ from, to string }

// parseMoves parses the values of --path-map.
func parseMoves(flags []string) (all []move, err error) {
	for _, text := range flags {
		from, to, ok := strings.Cut(text, "=")
		if !ok || from == "" || to == "" {
			return nil, fmt.Errorf("--path-map %q: write it as OLD=NEW, such as /home/ann=/Users/ann", text)
		}
		all = append(all, move{strings.TrimRight(from, `/\`), strings.TrimRight(to, `/\`)})
	}
	return all, nil
}

// apply returns the path, changed by the first move whose folder it is in.
func apply(moves []move, path string) string {
	for _, m := range moves {
		if rest, ok := strings.CutPrefix(path, m.from); ok && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
			return m.to + rest
		}
	}
	return path
}

// moveFolders returns the lines of a session with moved working folders.
func moveFolders(text []byte, moves []move, limits jsonstream.Limits) ([]byte, error) {
	var out []byte
	for line := range bytes.Lines(text) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(bytes.TrimSpace(line)), limits)
		if err != nil { // a damaged line stays as it is
			out = append(out, line...)
			continue
		}
		d := jsonstream.NewDraft(doc.Root())
		for _, pointer := range []string{"/cwd", "/payload/cwd", "/data/context/cwd"} {
			if folder := doc.Root().At(pointer); folder.Kind() == jsonstream.String {
				if err := d.Set(pointer, format.Fill("%", apply(moves, folder.Text()))); err != nil {
					return nil, err
				}
			}
		}
		out = append(append(out, d.Bytes()...), '\n')
	}
	return out, nil
}

// sessionPath returns the path where the agent of a session looks for it.
func sessionPath(s *session.Session) (string, error) {
	if strings.ContainsAny(s.ID, `/\`) || s.ID == "" {
		return "", fmt.Errorf("the session has the id %q, which cannot be the name of a file", s.ID)
	}
	if s.Agent == session.ClaudeCode {
		root := home("CLAUDE_CONFIG_DIR", ".claude")
		if root == "" || s.Folder == "" {
			return "", errors.New("the folder of the session is unknown: set CLAUDE_CONFIG_DIR or HOME, and name the working folder with --path-map")
		}
		slug := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
				return r
			}
			return '-'
		}, s.Folder)
		return filepath.Join(root, "projects", slug, s.ID+".jsonl"), nil
	}
	if s.Agent == session.CopilotCLI {
		root := home("COPILOT_HOME", ".copilot")
		if root == "" {
			return "", errors.New("the home directory is unknown: set COPILOT_HOME or HOME")
		}
		return filepath.Join(root, "session-state", s.ID, "events.jsonl"), nil
	}
	root := home("CODEX_HOME", ".codex")
	if root == "" {
		return "", errors.New("the home directory is unknown: set CODEX_HOME or HOME")
	}
	began := s.Began.UTC()
	return filepath.Join(root, "sessions", began.Format("2006"), began.Format("01"), began.Format("02"), "rollout-"+began.Format("2006-01-02T15-04-05")+"-"+s.ID+".jsonl"), nil
}

// resumeCommand returns the shell command that resumes a session.
func resumeCommand(s *session.Session) string {
	command := "claude --resume " + s.ID
	switch s.Agent {
	case session.Codex:
		command = "codex resume " + s.ID
	case session.CopilotCLI:
		command = "copilot --resume=" + s.ID
	}
	if s.Folder == "" {
		return command
	}
	return "cd '" + strings.ReplaceAll(s.Folder, "'", `'\''`) + "' && " + command
}

// write writes a new file, and reads it back. It accepts a file with the same text.
func (f *continueFlags) write(path string, text []byte) error {
	if there, err := regular.ReadFile(path); err == nil {
		if bytes.Equal(there, text) {
			return nil
		}
		return fmt.Errorf("%s: exists, with other content: remove it to write the session again", term.Visible(path))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return term.PlainError(err)
	}
	out, err := f.Open(path, nil)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	if err := out.Close(err); err != nil {
		return err
	}
	there, err := regular.ReadFile(path)
	if err == nil && !bytes.Equal(there, text) {
		err = errors.New("the written file has other content")
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
	if failed := os.Remove(path); failed != nil {
		err = errors.Join(err, failed)
	}
	return err
}

// difference describes the first difference between a session and its conversion, "" if there is none. The
// conversion may have more: summaries and texts of the program become texts of the user.
func difference(before, after *session.Session, moves []move) string {
	if want := apply(moves, before.Folder); want != after.Folder && want != "" {
		return fmt.Sprintf("its working folder is %q, and would be %q", want, after.Folder)
	}
	if before.Branch != after.Branch {
		return fmt.Sprintf("its branch is %q, and would be %q", before.Branch, after.Branch)
	}
	for _, kind := range []string{"user", "assistant", "call", "tool"} {
		now := textsOf(after, kind)
		for i, text := range textsOf(before, kind) {
			n := slices.Index(now, text)
			if n < 0 {
				return fmt.Sprintf("%s %d would be missing: %s", nouns[kind], i+1, term.Visible(session.Clip(text, 100)))
			}
			now = now[n+1:]
		}
	}
	return ""
}

var nouns = map[string]string{"user": "request", "assistant": "paragraph", "call": "call", "tool": "result"}

// textsOf returns the requests, paragraphs, calls or results of a session, in order. The agents divide responses
// in different ways, so the paragraphs of the assistant are compared.
func textsOf(s *session.Session, kind string) (all []string) {
	for _, t := range s.Turns {
		switch {
		case kind == "call":
			for _, call := range t.Calls {
				if call.ID != "" { // a call that the API itself ran becomes text
					all = append(all, call.Tool+" "+canonical(call.Input))
				}
			}
		case t.Role != kind:
		case kind == "assistant":
			for _, paragraph := range strings.Split(withoutSizes(t.Text), "\n\n") {
				if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
					all = append(all, paragraph)
				}
			}
		default:
			all = append(all, withoutSizes(t.Text))
		}
	}
	return all
}

// withoutSizes returns a text without the sizes of its images and files, which have other encodings in each
// format.
func withoutSizes(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if kind, _, ok := strings.Cut(line, " of "); ok && strings.HasPrefix(line, "[") && strings.HasSuffix(line, " bytes]") {
			lines[i] = kind + "]"
		}
	}
	return strings.Join(lines, "\n")
}

// canonical returns the canonical form of a call's input: conversions keep the values of arguments, not their
// order and white space, and put the text of a custom tool into a member "input".
func canonical(in string) string {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(in)), jsonstream.Unlimited())
	if err != nil {
		return in
	}
	if text := doc.Root().Get("input"); text.Kind() == jsonstream.String && doc.Root().Len() == 1 {
		return text.Text()
	}
	form, err := jsonstream.AppendCanonical(nil, doc.Root(), jsonstream.CanonicalOptions{})
	if err != nil { // a number without a canonical form
		return in
	}
	return string(form)
}
