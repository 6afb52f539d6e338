package audit

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

func newInit(g *cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var retention, rejected, origin string
	c := &cobra.Command{
		Use:   "init [--retention PERIOD] [--retention-rejected PERIOD] [--origin NAME]",
		Short: "Create an audit log, and set its retention period",
		Long: `Init creates the audit log if it does not exist, and makes its permanent settings: the
minimum retention period of records (audit prune removes no younger records), and the
name of the log in checkpoints. Repeating the same settings has no effect; different
ones are an error.`,
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
						return fmt.Errorf("--%s %s: the audit log has %q, which cannot be changed", s.name, s.value, old)
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
	log.Register(g, c)
	c.Flags().StringVar(&retention, "retention", "", "minimum retention `PERIOD` of records, such as P7Y or 2555d")
	c.Flags().StringVar(&rejected, "retention-rejected", "", "minimum retention `PERIOD` of rejected messages without a signature by a known key (default: the period of all records)")
	c.Flags().StringVar(&origin, "origin", "", "`NAME` of the log in checkpoints, without spaces, such as example.com/audit")
	return c
}
