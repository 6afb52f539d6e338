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
		Short: "Check stores, keys, servers and transports",
		Long: `Doctor prints the details to include in a bug report, without passwords and keys, and
checks the configured resources, and the transports at each ADDRESS (see "handoff
send"):

  audit log, outbox, keys of data subjects  the database answers; its version, its clock,
                                            and the version of its tables
  files                                     are readable; key files contain keys, and
                                            other users cannot read them
  transports and URLs                       the server answers and accepts this user; its
                                            version, and its clock if it reports the time
  folders                                   are writable and have free space
  coding agents ("handoff install")         their files are complete and of this version

Doctor writes to none of these, and creates no table, queue or stream. The checks run
concurrently, and each is stopped after --check-timeout. The results are:

  ok      the check passed
  warn    a possible problem: clocks that differ by more than 5 seconds, a key that
          other users can read, little free space
  none    does not exist yet; created when it is needed
  FAIL    no answer, or a wrong one

Exit code 0: no check failed; 1: at least one failed.`,
		Example: `  handoff doctor
  handoff doctor nats://127.0.0.1:4222/tasks https://agents.example/handoffs
  handoff doctor --audit-log postgres://app@db/audit -f json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if d.timeout <= 0 {
				return fmt.Errorf("--check-timeout %v: write a duration above 0, such as 5s", d.timeout)
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
	c.Flags().DurationVar(&d.timeout, "check-timeout", 5*time.Second, "timeout of each check")
	d.passed = p.AddFlagsOfOther(c)
	facts.Register(c, "output format: text, json", "write the output to `FILE` instead of standard output")
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
	own := checkup.Run(c.Context(), d.timeout, slices.Concat(files, checkup.Folders(), agentChecks()))
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
