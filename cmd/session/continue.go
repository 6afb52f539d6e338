package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
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

func newContinue(g *cli.Globals) *cobra.Command {
	f := &continueFlags{search: search{Globals: g}, now: time.Now}
	c := &cobra.Command{
		Use:   "continue [SESSION] --in AGENT",
		Short: "Write a session for another agent, and print the command that resumes it",
		Long: `Continue converts a session of any agent into one of another agent, or copies it for
the same agent on another machine, into the folder where the agent looks for it. It
prints the file and the command that resumes the session there. OpenCode stores
sessions in a database, so the file is in the current folder, and the command imports it.

It compares the sessions first: if a request, an answer, a call, a result, the folder or
the branch would be missing, it writes nothing, and the exit code is 1. The Gemini CLI and
OpenCode do not store the branch, so a warning names it. Continue reads back the written
file or archive, and never replaces an existing session. A conversion leaves out damaged
lines, with a warning.

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
			if err := f.checkUse(args); err != nil {
				return err
			}
			if f.from != "" {
				return f.runBundle(c)
			}
			return f.runSession(c, args[0])
		},
	}
	f.register(c)
	flags := c.Flags()
	flags.StringVar(&f.in, "in", "", "`AGENT` that continues the session: "+strings.Join(cli.Names(session.Agents()), ", "))
	flags.StringArrayVar(&f.moved, "path-map", nil, "replace the folder OLD by NEW, as `OLD=NEW`, in the working folders of the session; without OLD, of a session that names none; may be repeated")
	flags.StringVar(&f.bundle, "bundle", "", "pack the session into an archive, `FILE` (tar, gzip), instead of writing it for an agent")
	flags.StringVar(&f.from, "from-bundle", "", "continue the session in this archive, `FILE`")
	flags.BoolVar(&f.redact, "redact", false, "replace personal data and credentials")
	flags.StringVar(&f.unpack, "unpack", "", "write the message and the files in the archive into a new folder, `DIR`")
	cli.Complete(c, "in", cli.Names(session.Agents())...)
	return c
}

// checkUse checks the combination of flags and arguments.
func (f *continueFlags) checkUse(args []string) error {
	switch {
	case f.from != "" && f.redact:
		return errors.New("--redact and --from-bundle: use --redact when you make the bundle")
	case f.from != "" && (len(args) > 0 || f.bundle != ""):
		return errors.New("--from-bundle: the session is in the archive: leave out SESSION and --bundle")
	case f.from == "" && len(args) == 0:
		return errors.New("name a SESSION, or a bundle with --from-bundle")
	case f.from == "" && f.unpack != "":
		return errors.New("--unpack needs --from-bundle")
	case f.bundle != "" && f.in != "":
		return errors.New("--bundle and --in: use one of them; --in is for the other machine")
	}
	return f.check()
}

// runSession packs a session, or writes it for another agent.
func (f *continueFlags) runSession(c *cobra.Command, name string) error {
	one, err := f.resolve(name)
	switch {
	case err != nil:
		return err
	case f.redact:
		return f.runRedacted(c, one)
	case f.bundle != "":
		return f.pack(c, one, one, nil)
	}
	return f.run(c, one)
}

// runRedacted is like runSession, for a redacted copy of the session.
func (f *continueFlags) runRedacted(c *cobra.Command, one file) error {
	r, err := newRedaction(f.Globals, c)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "handoff-redacted-")
	if err != nil {
		return term.PlainError(err)
	}
	defer os.RemoveAll(temporary)
	redacted, err := r.session(&f.search, one, temporary)
	if err != nil {
		return err
	}
	if f.bundle != "" {
		err = f.pack(c, one, redacted, r)
	} else {
		err = f.run(c, redacted)
	}
	if err != nil {
		return err
	}
	return r.report(c.ErrOrStderr())
}

// run writes a session for another agent.
func (f *continueFlags) run(c *cobra.Command, one file) error {
	to := targetOf(session.Agent(f.in), f.now())
	if to == nil {
		return fmt.Errorf("--in %q: name the agent that continues the session, one of %s", f.in, strings.Join(cli.Names(session.Agents()), ", "))
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
	text, compared, err := f.convertSession(c, one, before, to.agent)
	if err != nil {
		return err
	}
	after, err := session.Read(bytes.NewReader(text), int64(len(text)), all)
	if err != nil {
		return err
	}
	switch want := apply(moves, before.Folder); {
	case to.noFolder:
		after.Folder = want
	case after.Folder != want: // also where a conversion back restores the folder of the original
		if text, err = moveFolders(text, append(moves, move{after.Folder, want}), f.Limits); err != nil {
			return err
		}
		if after, err = session.Read(bytes.NewReader(text), int64(len(text)), all); err != nil {
			return err
		}
	}
	if !plainID().MatchString(after.ID) {
		return fmt.Errorf("%s: the session has the id %q, which cannot be in the name of a file: use letters, digits, \".\", \"_\" and \"-\"", term.Visible(one.path), after.ID)
	}
	same := after
	if compared != nil {
		if same, err = session.Read(bytes.NewReader(compared), int64(len(compared)), all); err != nil {
			return err
		}
	}
	problem := siteDifference(before, after, moves, to)
	if problem == "" {
		problem = difference(before, same)
	}
	if problem != "" {
		term.PrintError(c.ErrOrStderr(), fmt.Errorf("%s: the session for %s would differ: %s", term.Visible(one.path), to.agent, problem))
		return cli.ErrNo
	}
	outputs, err := to.place(after, text)
	if err != nil {
		return err
	}
	for _, out := range slices.Backward(outputs) { // the session last
		if err := f.write(out); err != nil {
			return err
		}
	}
	if _, err := os.Stat(after.Folder); after.Folder == "" || err != nil {
		term.Warn(c.ErrOrStderr(), fmt.Sprintf("the working folder %q is not on this machine: name it with --path-map OLD=NEW, or resume in another folder", after.Folder))
	}
	if to.noBranch && before.Branch != "" {
		term.Warn(c.ErrOrStderr(), fmt.Sprintf("sessions of %s have no branch: the work was on the branch %q", to.agent, before.Branch))
	}
	path := outputs[0].path
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n%s\n", term.Visible(path), term.Visible(to.command(after, path)))
	return err
}

// plainID matches the id of a session that can be in the name of a file and in a command.
var plainID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`) })

// convertSession returns the text of a session for an agent. If the session came from that agent, the text is the
// original with the new turns, and compared is its conversion back: in the original, texts that became turns may be
// texts of the program again.
func (f *continueFlags) convertSession(c *cobra.Command, one file, s *session.Session, to session.Agent) (text, compared []byte, err error) {
	if text, err = one.text(f.Unpacking, f.Limits.MaxBytes); err != nil || s.Agent == to {
		return text, nil, err
	}
	if s.Damaged > 0 {
		if text, err = session.Undamaged(bytes.NewReader(text), int64(len(text)), s.Agent, f.Limits); err != nil {
			return nil, nil, err
		}
		term.Warn(c.ErrOrStderr(), fmt.Sprintf("%s: left out %s, the first at line %d: %s", term.Visible(one.path), term.Counted(s.Damaged, "damaged line"), s.Damage[0].Line, s.Damage[0].Problem))
	}
	there, err := f.convertText(c, text, to)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", term.Visible(one.path), err)
	}
	if !there.Report.Restored {
		return there.Text, nil, nil
	}
	back, err := f.convertText(c, there.Text, s.Agent)
	return there.Text, back.Text, err
}

// oneDocument returns a session that is one JSON document, as of OpenCode and of the first versions of the Gemini CLI,
// nil for one in JSON Lines.
func oneDocument(text []byte, limits jsonstream.Limits) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if err != nil || !doc.Root().Get("messages").Exists() { // a single line is a document, too
		return nil
	}
	return doc
}

// convertText converts the text of a session, which is one document or JSON Lines.
func (f *continueFlags) convertText(c *cobra.Command, text []byte, to session.Agent) (convert.Result, error) {
	doc := oneDocument(text, f.Limits)
	if doc == nil {
		var err error
		if doc, err = jsonstream.ParseLines(jsonstream.NewRaw(text), f.Limits); err != nil {
			return convert.Result{}, err
		}
	}
	return convert.Checked(c.Context(), doc, format.Format(to), convert.Options{Lenient: true}, f.Limits)
}

// write writes a new file, and reads it back. It accepts a file with the same text.
func (f *continueFlags) write(o output) error {
	path, text := o.path, o.text
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
