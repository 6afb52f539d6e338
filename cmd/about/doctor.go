package about

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/cmd/relay"
	"github.com/eaapl/handoff/internal/checkup"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/settings"
)

// A diagnosis describes the installation for a bug report. It has no secrets, and ~ in place of the user's
// home directory.
type diagnosis struct {
	Version  report.Version     `json:"version"`
	System   systemFacts        `json:"system"`
	Schemas  []string           `json:"schemas"`  // built in
	Checks   []checkup.Result   `json:"checks"`   // in the order of the help
	Settings []settings.Setting `json:"settings"` // other than the defaults
	Unused   []string           `json:"unused"`   // settings that cannot be used, and why
	Healthy  bool               `json:"healthy"`  // no check has failed
}

func NewDoctor(g *cli.Globals, p *program.Program) *cobra.Command {
	d := &doctor{Globals: g, program: p}
	var facts cli.FactsFlags
	c := &cobra.Command{
		Use:   "doctor [ADDRESS]...",
		Short: "Check that what is configured is there and answers",
		Long: `Doctor shows what a report of a bug needs to say, without passwords and keys, and checks what
is configured, and transports at ADDRESS as "handoff send" takes them:

  audit log, outbox, keys of data subjects    the database answers; its version, its clock,
                                              and the version of its tables
  files                                       can be read; key files hold keys that others
                                              cannot read
  transports, and URLs                        the server answers and lets this user in; its
                                              version, and its clock if it says what time it is
  folders                                     can be written to, and have space

Nothing is written to any of them: no table, queue or stream is made. The checks run at the
same time, and each is given up after --check-timeout. A result is one of

  ok      it answers
  warn    it answers, and something may be wrong: clocks that differ by more than 5 seconds,
          a key that others can read, little space
  none    it is not there yet, and is made when it is needed
  FAIL    it does not answer, or not as it must

Exit code 0: nothing has failed. 1: something has.`,
		Example: `  handoff doctor
  handoff doctor nats://127.0.0.1:4222/tasks https://agents.example/handoffs
  handoff doctor --audit-log postgres://app@db/audit -f json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if d.timeout <= 0 {
				return fmt.Errorf("--check-timeout %v: use more than nothing, such as 5s", d.timeout)
			}
			found, err := d.examine(c, args)
			if err != nil {
				return err
			}
			out, err := facts.Open(g, c)
			if err != nil {
				return err
			}
			if err := out.Close(out.Print(found)); err != nil || found.Healthy {
				return err
			}
			return cli.ErrNo
		},
	}
	c.Flags().DurationVar(&d.timeout, "check-timeout", 5*time.Second, "how long each check may take")
	d.passed = p.AddFlagsOfOther(c)
	facts.Register(c, "text or json", "write to `FILE` instead of standard output")
	return c
}

// A doctor examines the installation.
type doctor struct {
	*cli.Globals
	program *program.Program
	timeout time.Duration // of each check
	passed  []string      // names of the flags that are passed to handoff-relay
}

func (d *doctor) examine(c *cobra.Command, addresses []string) (*diagnosis, error) {
	list, unused, err := d.program.Settings().Effective(d.Globals)
	if err != nil {
		return nil, err
	}
	relayed := make(chan error, 1)
	var remote checkup.Report
	go func() {
		var err error
		remote, err = d.relayed(c, addresses)
		relayed <- err
	}()
	files := fileChecks(list)
	own := checkup.Run(c.Context(), d.timeout, append(files, checkup.Folders()...))
	if err := <-relayed; err != nil {
		return nil, err
	}
	found := &diagnosis{Version: report.ReadVersion(), System: readSystem(d.Globals, c), Healthy: true}
	found.Checks = slices.Concat(remote.Stores, own[:len(files)], remote.Servers, own[len(files):])
	found.Version.Modules = nil // handoff version prints them
	found.describe(list, unused)
	for _, r := range found.Checks {
		found.Healthy = found.Healthy && r.Status != checkup.Fail
	}
	return found, nil
}

// relayed returns the results of handoff-relay's checks.
func (d *doctor) relayed(c *cobra.Command, addresses []string) (r checkup.Report, err error) {
	args := []string{"doctor", "--check-timeout=" + d.timeout.String()}
	for _, name := range d.passed {
		f := c.Flags().Lookup(name)
		list, ok := f.Value.(pflag.SliceValue)
		switch {
		case !f.Changed:
		case ok:
			for _, value := range list.GetSlice() {
				args = append(args, "--"+name+"="+value)
			}
		default:
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	var out bytes.Buffer
	err = relay.Start(c.Context(), c.InOrStdin(), &out, c.ErrOrStderr(), append(append(args, "--"), addresses...))
	if absent := (*relay.AbsentError)(nil); errors.As(err, &absent) {
		r.Servers = []checkup.Result{{Kind: "program", Place: relay.Name, Status: checkup.Warn, Notes: []string{absent.Error()}}}
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("%s doctor: %w", relay.Name, err)
	}
	return r, nil
}
