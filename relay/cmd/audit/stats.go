package audit

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/stats"
	"github.com/eaapl/handoff/relay/internal/relayflags"
	"github.com/eaapl/handoff/relay/metrics"
)

// statsFlags are the flags of stats.
type statsFlags struct {
	readFlags
	since, until cli.TimeFlag
	slo          bool
	window       time.Duration
	windows      int
	limits       []string
	alerts       relayflags.AlertFlags
	child        cli.ChildFlags
	signing      cli.KeyFlags
}

func newStats(g *cli.Globals) *cobra.Command {
	f := &statsFlags{readFlags: readFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show handoff metrics, and check them against thresholds",
		Long: `Stats computes the metrics of EAAPL-MAG006, section 8.1, for all handoffs and for each
pair of agents, and compares them with their thresholds: validation failures (over 2 %),
latency by transport (p99 and maximum, section 6.5), safety violations (over 0.1 %),
rollbacks (over 1 %) and dead letters (any). The rate of compressed histories has no
threshold.

With --slo, it also detects persistent breaches of section 6.5: a pair of agents that
exceeded a limit on one transport in each of its last three five-minute windows with
handoffs, within the last hour. One late message is never enough. In case of a breach,
--alert-cmd and --alert-url are called once per run: use cron to repeat it. All other
thresholds only set the exit code.

Exit code 0: no threshold is exceeded; 1: at least one is; 2: the log could not be read.`,
		Example: `  handoff audit stats --since 24h || page-somebody
  handoff audit stats --slo --since 24h --alert-cmd page-somebody
  handoff audit stats --slo-limit nats=20ms/100ms --slo-limit http=50ms/200ms
  handoff audit stats -f prometheus -o handoff.prom`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cobra.NoArgs,
		RunE:              func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.register(c, "text", "json", "prometheus")
	flags := c.Flags()
	flags.Var(&f.since, "since", "earliest time of a handoff: 2026-06-12T09:30:00Z, 2026-06-12, or an age like 24h or 30d")
	flags.Var(&f.until, "until", "latest time of a handoff, exclusive, in the forms of --since; --slo is evaluated at this time")
	flags.BoolVar(&f.slo, "slo", false, "detect persistent latency SLO breaches per pair of agents, and alert")
	flags.DurationVar(&f.window, "slo-window", 5*time.Minute, "length of a latency window")
	flags.IntVar(&f.windows, "slo-windows", 3, "number of consecutive windows over a limit that make a breach, at least 2")
	flags.StringSliceVar(&f.limits, "slo-limit", nil, "latency limits of a transport, instead of the limits in section 6.5, as `TRANSPORT=P99/MAXIMUM`, such as nats=20ms/100ms; may be repeated")
	f.alerts.Register(c)
	f.child.Register(c)
	f.signing.Register(c)
	cli.OnlyForCall(c, "until")
	return c
}

// options returns the options of package stats.
func (f *statsFlags) options() (o stats.Options, err error) {
	o = stats.Options{Since: f.since.Time, Until: f.until.Time, Limits: map[string]stats.Limits{}}
	for _, text := range f.limits {
		transport, limits, err := stats.ParseLimits(text)
		if err != nil {
			return o, fmt.Errorf("--slo-limit: %w", err)
		}
		o.Limits[transport] = limits
	}
	if !f.slo {
		return o, nil
	}
	now := f.until.Time
	if now.IsZero() {
		now = time.Now()
	}
	o.SLO = &stats.SLO{Now: now, Window: f.window, Windows: f.windows}
	if err := o.SLO.Check(); err != nil {
		return o, fmt.Errorf("--slo: %w", err)
	}
	return o, nil
}

func (f *statsFlags) run(c *cobra.Command) (err error) {
	o, err := f.options()
	if err != nil {
		return err
	}
	var alerts *relayflags.Alerts
	if f.slo {
		if alerts, err = f.alerts.Start(f.Globals, c, f.child, &f.signing); err != nil {
			return err
		}
	}
	defer func() { err = alerts.Close(err) }()
	return f.runOn(c, func(log *audit.Log, out *output.File) error {
		found, err := stats.Read(c.Context(), log.Store(), o)
		if err != nil {
			return err
		}
		if o.SLO != nil {
			if err := alertOfBreaches(alerts, found, o.SLO.Now); err != nil {
				return err
			}
		}
		switch f.format {
		case "json":
			err = writeStatsJSON(out, found, f.slo)
		case "prometheus":
			err = metrics.WriteAudit(out, found)
		default:
			p := statsPicture{f.picture(c, out), found, f.slo}
			err = p.write(out)
		}
		if err == nil && found.Over() {
			err = cli.ErrNo
		}
		return err
	})
}
