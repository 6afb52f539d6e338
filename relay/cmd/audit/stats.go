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
	reading
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
	f := &statsFlags{reading: reading{Globals: g}}
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show the metrics of handoffs, and which are over their thresholds",
		Long: `Stats computes the metrics of EAAPL-MAG006, section 8.1, for all handoffs and for each
pair of agents, and compares them with their thresholds: validation failures (over
2 %), latency by transport (p99 and maximum, section 6.5), safety violations (over
0.1 %), roll-backs (over 1 %) and dead letters (any). How often histories were
compressed has no threshold.

With --slo, it also looks for persistent breaches of section 6.5: pairs of agents that
were over a limit, by one transport, in each of the last three windows of five minutes
in which they handed something over, within the last hour. One late message is never
enough. If there are any, --alert-cmd and --alert-url are told, once a run: cron is
what repeats it.

Exit code 0: nothing is over its threshold; 1: something is; 2: the log could not be
read.`,
		Example: `  handoff audit stats --since 24h
  handoff audit stats --slo --since 24h --alert-cmd page-somebody
  handoff audit stats --slo-limit nats=20ms/100ms --slo-limit http=50ms/200ms
  handoff audit stats -f prometheus -o handoff.prom`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cobra.NoArgs,
		RunE:              func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.register(c, "text", "json", "prometheus")
	flags := c.Flags()
	flags.Var(&f.since, "since", "only handoffs at this time or later: 2026-06-12T09:30:00Z, 2026-06-12, or how long ago it was, like 24h or 30d")
	flags.Var(&f.until, "until", "only handoffs before this time, written alike; --slo judges as of then")
	flags.BoolVar(&f.slo, "slo", false, "look for persistent breaches of the latency SLO, pair by pair, and alert")
	flags.DurationVar(&f.window, "slo-window", 5*time.Minute, "how long a window is in which latencies are judged")
	flags.IntVar(&f.windows, "slo-windows", 3, "how many windows in a row have to be over a limit, 2 or more")
	flags.StringSliceVar(&f.limits, "slo-limit", nil, "limits of a transport in place of those of section 6.5, as `TRANSPORT=P99/MAXIMUM`, such as nats=20ms/100ms; may be repeated")
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
