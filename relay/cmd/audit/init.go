package audit

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

func newInit(*cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var retention, rejected, origin string
	c := &cobra.Command{
		Use:   "init [--retention PERIOD] [--retention-rejected PERIOD] [--origin NAME]",
		Short: "Make an audit log, and set how long records are kept",
		Long: `Init makes the audit log, if there is none, and sets what is set once for all: how long
records are kept at least (audit prune removes none that is younger), and what the log is
called in checkpoints. The same settings again do nothing; others are an error.`,
		Example: `  handoff audit init --retention P7Y --origin example.com/audit`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			for _, p := range []struct{ flag, period string }{{"retention", retention}, {"retention-rejected", rejected}} {
				if p.period == "" {
					continue
				}
				if _, err := audit.ParsePeriod(p.period); err != nil {
					return fmt.Errorf("--%s: %w", p.flag, err)
				}
			}
			l, err := log.Open(c.Context(), true)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, l.Store().Close()) }()
			return l.Append(c.Context(), func(b *audit.Batch) error {
				settings, err := audit.Settings(b)
				if err != nil {
					return err
				}
				for _, s := range []struct{ name, value string }{{audit.RetentionSetting, retention}, {audit.RejectedRetentionSetting, rejected}, {originSetting, origin}} {
					switch old, ok := settings[s.name]; {
					case s.value == "" || ok && old == s.value:
					case ok:
						return fmt.Errorf("--%s %s: the audit log has %q, and that is set once for all", s.name, s.value, old)
					default:
						if err := b.Set(s.name, s.value); err != nil {
							return err
						}
					}
				}
				return nil
			})
		},
	}
	log.Register(c)
	c.Flags().StringVar(&retention, "retention", "", "how long records are kept at least, a `PERIOD` such as P7Y or 2555d")
	c.Flags().StringVar(&rejected, "retention-rejected", "", "how long records are kept at least of rejected messages that nobody known has signed, a `PERIOD`; without it, as all others")
	c.Flags().StringVar(&origin, "origin", "", "what the log is called in checkpoints, a `NAME` without spaces such as example.com/audit")
	return c
}
