package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
)

// A diagnosis is what the program knows of its installation, for a report of a bug: without
// secrets, and with ~ for the home of the user.
type diagnosis struct {
	Version  report.Version `json:"version"`
	System   systemFacts    `json:"system"`
	Schemas  []string       `json:"schemas"`  // that are built in
	Checks   []checkResult  `json:"checks"`   // in the order of the help
	Settings []setting      `json:"settings"` // that are not the defaults
	Unused   []string       `json:"unused"`   // settings that cannot be used, and why
	Healthy  bool           `json:"healthy"`  // no check has failed
}

func newDoctor(g *cli.Globals) *cobra.Command {
	d := &doctor{Globals: g}
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
	d.log.Register(c)
	d.store.Register(c)
	d.posting.register(c)
	c.Flags().DurationVar(&d.timeout, "check-timeout", 5*time.Second, "how long each check may take")
	facts.Register(c, "text or json", "write to `FILE` instead of standard output")
	return c
}

// A doctor looks at the installation.
type doctor struct {
	*cli.Globals
	log     cli.AuditLogFlag
	store   cli.StoreFlag
	posting postingFlags
	timeout time.Duration // of each check
}

func (d *doctor) examine(c *cobra.Command, addresses []string) (*diagnosis, error) {
	list, unused, err := effective(d.Globals)
	if err != nil {
		return nil, err
	}
	checks, err := d.checks(c, list, addresses)
	if err != nil {
		return nil, err
	}
	found := &diagnosis{Version: report.ReadVersion(), System: readSystem(d.Globals, c), Checks: d.run(c.Context(), checks), Healthy: true}
	found.Version.Modules = nil // handoff version has them
	found.describe(list, unused)
	for _, r := range found.Checks {
		found.Healthy = found.Healthy && r.Status != checkFail
	}
	return found, nil
}

// A check looks at one thing.
type check struct {
	kind   string
	place  string // without secrets
	origin string // of the setting that names it, "" if none does
	look   func(context.Context, *checkResult) error
}

// A checkResult is what became of a check.
type checkResult struct {
	Kind    string         `json:"kind"`
	Place   string         `json:"place"`
	Origin  string         `json:"origin,omitzero"`
	Status  checkStatus    `json:"status"`
	Server  string         `json:"server,omitzero"`
	Clock   *clockFacts    `json:"clock,omitzero"`
	Tables  map[string]int `json:"tables,omitzero"` // versions of them
	Free    int64          `json:"freeBytes,omitzero"`
	Notes   []string       `json:"notes,omitzero"` // what may be wrong
	Problem string         `json:"problem,omitzero"`
	Millis  int64          `json:"milliseconds"` // that the check took
}

// clockFacts say how a server's clock differs.
type clockFacts struct {
	Ahead  float64 `json:"aheadSeconds"` // negative if it is behind
	Within float64 `json:"withinSeconds"`
}

// A checkStatus is what a check has found, in a word that also stands in the text.
type checkStatus string

const (
	checkOK   checkStatus = "ok"
	checkWarn checkStatus = "warn"
	checkNone checkStatus = "none" // not there yet
	checkFail checkStatus = "fail"
)

// errAbsent is the error of a check of what is made when it is needed.
var errAbsent = errors.New("not made yet")

// run makes all checks at the same time. What has not ended in time is left behind.
func (d *doctor) run(ctx context.Context, checks []check) []checkResult {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	type numbered struct {
		i int
		r checkResult
	}
	ended := make(chan numbered, len(checks)) // nobody waits for what comes late
	results := make([]checkResult, len(checks))
	began := time.Now()
	deadline, _ := ctx.Deadline()
	for i, k := range checks {
		results[i] = checkResult{
			Kind: k.kind, Place: atHome(k.place), Origin: atHome(k.origin), Status: checkFail,
			Problem: fmt.Sprintf("no answer within %v", d.timeout), Millis: d.timeout.Milliseconds(),
		}
		r := results[i]
		go func() {
			r.conclude(k.look(ctx, &r), time.Since(began))
			if time.Now().Before(deadline) { // else it says, in its own words, that it was given up
				ended <- numbered{i, r}
			}
		}()
	}
	for range checks {
		select {
		case n := <-ended:
			if ctx.Err() == nil { // else it says that it was cancelled
				results[n.i] = n.r
			}
		case <-ctx.Done():
			return results
		}
	}
	return results
}

// conclude notes what a check has found.
func (r *checkResult) conclude(err error, took time.Duration) {
	r.Status, r.Problem, r.Millis = checkOK, "", took.Milliseconds()
	switch {
	case errors.Is(err, errAbsent):
		r.Status = checkNone
	case err != nil:
		r.Status, r.Problem = checkFail, atHome(cli.ShownSetting(err.Error()))
	case len(r.Notes) > 0:
		r.Status = checkWarn
	}
}
