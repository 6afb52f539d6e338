package relayflags

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/relay/audit"
)

// BeforeFlag is an age.
type BeforeFlag struct{ text string }

// Register registers the required flag. of names the objects of that age.
func (f *BeforeFlag) Register(c *cobra.Command, of string) {
	c.Flags().StringVar(&f.text, "before", "", "minimum age of the "+of+", a `PERIOD` such as 30d or P7Y")
	_ = c.MarkFlagRequired("before") // the flag exists
}

// Time returns the time that long ago.
func (f *BeforeFlag) Time(now time.Time) (time.Time, error) {
	p, err := audit.ParsePeriod(f.text)
	if err != nil {
		return now, fmt.Errorf("--before: %w", err)
	}
	return p.Before(now), nil
}
