package macp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// startFlags are the flags of macp start.
type startFlags struct {
	stepFlags
	payload    macp.SessionStart
	sessionID  string
	ttl        time.Duration
	maxSuspend time.Duration
	roots      []string
	extensions []string
}

func newMACPStart(g *cli.Globals) *cobra.Command {
	f := &startFlags{stepFlags: stepFlags{transcriptInput: transcriptInput{Globals: g}}}
	c := &cobra.Command{
		Use:   "start FILE",
		Short: "Start a transcript with a SessionStart",
		Long: `Start creates a transcript with a SessionStart and prints the session id. An existing
file is not overwritten. With "-", the transcript goes to standard output, and no id is
printed.

The sender is the initiator of the session: --sender, or else the first participant. It
is always a participant, even if --participant does not name it.`,
		Example: `  handoff macp start s.json --intent 'hand over the frontend' --participant alice --participant bob
  session=$(handoff macp start other.json --sender agent://planner --participant agent://coder --ttl 1h)`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.register(c)
	flags := c.Flags()
	p := &f.payload
	flags.StringVar(&f.sessionID, "session-id", "", "`ID` of the session (default: a random UUID)")
	flags.StringVar(&p.Intent, "intent", "", "purpose of the session")
	flags.StringArrayVar(&p.Participants, "participant", nil, "`PARTICIPANT` of the session; may be repeated")
	flags.StringVar(&p.ModeVersion, "mode-version", "1.0.0", "`VERSION` of the mode")
	flags.StringVar(&p.ConfigurationVersion, "configuration-version", "config.default", "`VERSION` of the configuration")
	flags.StringVar(&p.PolicyVersion, "policy-version", "", "`VERSION` of the policy (default: the version of --policy, or "+macp.DefaultPolicy+")")
	flags.DurationVar(&f.ttl, "ttl", 24*time.Hour, "maximum duration of the session, such as 90s or 1h30m")
	flags.DurationVar(&f.maxSuspend, "max-suspend", 0, "maximum duration of a suspension; 0 for the runtime's default")
	flags.StringVar(&p.ContextID, "context-id", "", "`ID` of the context in which the session works")
	flags.StringArrayVar(&f.roots, "root", nil, "boundary of the session, as `URI[=NAME]`; may be repeated")
	flags.StringArrayVar(&f.extensions, "extension", nil, "extension bytes, as `NAME=FILE`; may be repeated")
	return c
}

// complete sets the options that the flags describe.
func (f *startFlags) complete(c *cobra.Command, policy *macp.Policy) error {
	p := &f.payload
	if f.sessionID == "" {
		f.sessionID = uuid.NewString()
	}
	if f.sender == "" && len(p.Participants) == 0 {
		return errors.New("--participant: name the participants of the session, the initiator first")
	}
	if f.sender == "" {
		f.sender = p.Participants[0]
	}
	if f.sender != "" && !slices.Contains(p.Participants, f.sender) {
		p.Participants = append([]string{f.sender}, p.Participants...)
	}
	if p.PolicyVersion == "" && policy != nil {
		p.PolicyVersion = policy.ID
	}
	if f.maxSuspend%time.Millisecond != 0 {
		return fmt.Errorf("--max-suspend %s: use whole milliseconds", f.maxSuspend)
	}
	p.TTLMS, p.MaxSuspendMS = f.ttl.Milliseconds(), f.maxSuspend.Milliseconds()
	for _, text := range f.roots {
		at := strings.LastIndexByte(text, '=')
		if at < 0 {
			at = len(text)
		}
		p.Roots = append(p.Roots, macp.Root{URI: text[:at], Name: strings.TrimPrefix(text[at:], "=")})
	}
	var files []string
	for _, text := range f.extensions {
		name, path, _ := strings.Cut(text, "=")
		if name == "" || path == "" {
			return fmt.Errorf("--extension %q: write it as NAME=FILE", text)
		}
		files = append(files, path)
		if err := input.OneStdin([]string{f.path}, files...); err != nil {
			return err
		}
		if slices.ContainsFunc(p.Extensions, func(e macp.Extension) bool { return e.Name == name }) {
			return fmt.Errorf("--extension %q: the name %q is given twice: give each extension its own name", text, name)
		}
		value, err := readBytes(f.Globals, path, c.InOrStdin())
		if err != nil {
			return err
		}
		p.Extensions = append(p.Extensions, macp.Extension{Name: name, Value: value})
	}
	return nil
}

func (f *startFlags) run(c *cobra.Command, path string) error {
	if path == "" {
		return errNoFile
	}
	policy, err := f.load(f.Globals, c)
	if err != nil {
		return err
	}
	if err := f.complete(c, policy); err != nil {
		return err
	}
	a := appending{stepFlags: &f.stepFlags, name: term.Visible(path), options: macp.Options{Policy: policy}, stderr: c.ErrOrStderr()}
	if path == "-" {
		a.name = "stdout"
	}
	text, err := f.begin(a)
	if err != nil {
		return a.outcome(err)
	}
	if path == "-" {
		return f.WriteData("", c.OutOrStdout(), text)
	}
	h, err := holdFile(f.Globals, path, a.stderr)
	if err != nil {
		return err
	}
	defer h.release()
	if err := h.create(text); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.OutOrStdout(), f.sessionID)
	return err
}

// begin returns the new transcript, in JSON or in the wire format.
func (f *startFlags) begin(a appending) ([]byte, error) {
	step, err := f.step(&f.payload, f.sender)
	if err != nil {
		return nil, err
	}
	text, err := macp.Start(f.sessionID, step, a.options)
	if err == nil && f.wire {
		text, err = a.onWire(nil, text)
	}
	if err != nil {
		return nil, err
	}
	return text, a.readable(text)
}
