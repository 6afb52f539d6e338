package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/session"
)

func newCompactions(g *cli.Globals) *cobra.Command {
	f := &compactionFlags{search: search{Globals: g}, now: time.Now}
	c := &cobra.Command{
		Use:   "compactions --hook",
		Short: "Save what a coding agent is about to compact",
		Long: `Compactions --hook is a hook that Claude Code runs before it compacts a session
(PreCompact). It reads the description of the session from standard input, and writes the
handoff message of the session as it is now beside it: SESSION.before-compaction-N.json,
where N counts the compactions. It prints nothing on standard output, which Claude Code
would give to the model.

The message has the latest turns, up to 1 MiB, with credentials masked.

Exit code 0: the message is written and synced to the disk; 1: any failure, because
Claude Code would not compact after exit code 2.`,
		Example: `  echo '{"hook_event_name": "PreCompact", "transcript_path": "/home/ann/.claude/projects/-mill/5f0c.jsonl"}' | handoff session compactions --hook`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !f.hook {
				return errors.New("--hook: is missing; handoff session show counts the compactions of a session")
			}
			if err := f.save(c); err != nil {
				term.PrintError(c.ErrOrStderr(), err)
				return cli.ErrNo
			}
			return nil
		},
	}
	c.Flags().BoolVar(&f.hook, "hook", false, "run as a hook: read its input from standard input")
	return c
}

// compactionFlags are the flags of session compactions.
type compactionFlags struct {
	search
	hook bool
	now  func() time.Time
}

// savedBytes is the approximate length of a message that is saved.
const savedBytes = 1 << 20

// save writes the message of the session in the input of a hook beside the session.
func (f *compactionFlags) save(c *cobra.Command) error {
	const isNone = "standard input: is not the input of the hook PreCompact of Claude Code: expected an object with transcript_path"
	text, err := input.MessageBound(f.Limits).ReadAll(c.InOrStdin())
	if err != nil {
		return err
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), f.Limits)
	if err != nil {
		return fmt.Errorf("%s: %w", isNone, err)
	}
	path := doc.Root().Get("transcript_path").Text()
	if event := doc.Root().Get("hook_event_name"); path == "" || event.Exists() && event.Text() != "PreCompact" {
		return errors.New(isNone)
	}
	one := file{folder: folder{FS: regular.DirFS(filepath.Dir(path))}, name: filepath.Base(path), path: path}
	s, _, err := f.read(one, session.Options{TailBytes: savedBytes})
	if err != nil {
		return err
	}
	m, err := ownMessage(s, "compaction", f.now())
	if err != nil {
		return fmt.Errorf("%s: %w", term.Visible(path), err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
	}
	target := fmt.Sprintf("%s.before-compaction-%d.json", strings.TrimSuffix(path, ".jsonl"), s.Compactions+1)
	out, err := f.Create(target, info)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, bytes.NewReader(append(m, '\n')))
	return out.Close(err)
}

// ownMessage returns the message of a session for its own agent, with the latest turns.
func ownMessage(s *session.Session, purpose string, now time.Time) ([]byte, error) {
	budget, err := message.Number("0").Decimal()
	if err != nil {
		return nil, err
	}
	state, err := s.State(session.StateOptions{BudgetUSD: budget, Bytes: savedBytes})
	if err != nil {
		return nil, err
	}
	doc, err := parsed(state.Text)
	if err != nil {
		return nil, err
	}
	m, err := build.Message(doc, build.Options{
		From: message.FromAgent{AgentID: string(s.Agent), AgentVersion: s.AgentVersion()}, To: message.ToAgent{AgentType: string(s.Agent)},
		AllowExhausted: true, Random: randomOf(state.Seed, purpose), Now: now,
	})
	if err != nil {
		return nil, err
	}
	return m.Document().Raw().Bytes, nil
}
