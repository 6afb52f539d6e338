package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/pkg/sign"
)

// RegisterFreshness registers the flags that limit the age of messages.
func RegisterFreshness(c *cobra.Command, f *sign.Freshness) {
	c.Flags().Var((*MaxDuration)(&f.MaxAge), "max-age", "maximum age of a message's timestamp, such as 15m or 24h")
	c.Flags().DurationVar(&f.Skew, "clock-skew", time.Minute, "with --max-age: maximum difference between the clocks")
}

// CheckFreshness returns an error for invalid values of the flags.
func CheckFreshness(f sign.Freshness) error {
	if f.Skew < 0 {
		return fmt.Errorf("--clock-skew %s: use a duration of 0 or more, such as 1m", f.Skew)
	}
	return nil
}
