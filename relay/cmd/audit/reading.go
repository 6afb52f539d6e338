package audit

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// readFlags are the flags of a command that reads the audit log and writes a report.
type readFlags struct {
	*cli.Globals
	log    relayflags.AuditLogFlag
	keys   relayflags.SubjectKeysFlag
	exact  bool // an erased message is a negative result
	format string
	output string
}

func (f *readFlags) register(c *cobra.Command, formats ...string) {
	f.log.Register(f.Globals, c)
	f.keys.Register(f.Globals, c)
	cli.RegisterFormat(c, &f.format, "format: "+strings.Join(formats, ", "), formats)
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the output to `FILE`")
}

// registerMessages also registers the flags of a command that reads messages.
func (f *readFlags) registerMessages(c *cobra.Command, formats ...string) {
	f.register(c, formats...)
	f.log.RegisterArchive(c)
}

// run calls read with a snapshot of the log, and with the output.
func (f *readFlags) run(c *cobra.Command, read func(audit.Reader, *output.File) error) error {
	return f.runOn(c, func(log *audit.Log, out *output.File) error {
		sealer := f.keys.Sealer(log)
		defer sealer.Close() // read only: errors of Close do not matter
		return log.Store().View(c.Context(), func(r audit.Reader) error {
			return read(personal.NewReader(c.Context(), r, sealer, f.exact), out)
		})
	})
}

// runOn calls read with the log, and with the output.
func (f *readFlags) runOn(c *cobra.Command, read func(*audit.Log, *output.File) error) error {
	log, err := f.log.Open(c.Context(), false)
	if err != nil {
		return err
	}
	defer log.Store().Close() // read only: errors of Close do not matter
	out, err := f.Open(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	defer atWork(f.Globals, c).Stop()
	err = read(log, out)
	if errors.Is(err, cli.ErrNo) {
		return cli.Closed(err, out.Close(nil))
	}
	err = out.Close(err)
	return answered(c.ErrOrStderr(), err)
}

// atWork shows a timer for a run's work on the audit log, until it is stopped.
func atWork(g *cli.Globals, c *cobra.Command) *term.Progress {
	return g.StartDoing(c.ErrOrStderr(), "working on the audit log", -1)
}

// answered turns the error that the log lacks the requested item into a negative result.
func answered(stderr io.Writer, err error) error {
	var (
		task    *trace.UnknownTaskError
		name    *trace.UnknownError
		message *trace.NoMessageError
		value   *trace.NotCarriedError
		erased  *personal.ErasedError
		nothing *personal.NothingHeldError
	)
	if errors.As(err, &task) || errors.As(err, &value) || errors.As(err, &name) || errors.As(err, &message) || errors.As(err, &erased) || errors.As(err, &nothing) {
		term.PrintError(stderr, err)
		return cli.ErrNo
	}
	return err
}

// picture returns an empty picture for an output.
func (f *readFlags) picture(c *cobra.Command, out *output.File) term.Picture {
	columns := term.DefaultWidth
	if out.Stdout {
		columns = term.WidthOf(c.OutOrStdout())
	}
	return term.NewPicture(columns, term.NewPalette(out.Stdout && term.UseColor(f.Color, c.OutOrStdout())))
}
