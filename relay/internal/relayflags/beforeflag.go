package relayflags

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/relay/audit"
)

// BeforeFlag is an age.
type BeforeFlag struct{ text string }

// Register registers the flag, which has to be given. of says whose age it is.
func (f *BeforeFlag) Register(c *cobra.Command, of string) {
	c.Flags().StringVar(&f.text, "before", "", "minimum age of the "+of+", a `PERIOD` such as 30d or P7Y")
	_ = c.MarkFlagRequired("before") // it is there
}

// Time returns the time that is so long ago.
func (f *BeforeFlag) Time(now time.Time) (time.Time, error) {
	p, err := audit.ParsePeriod(f.text)
	if err != nil {
		return now, fmt.Errorf("--before: %w", err)
	}
	return p.Before(now), nil
}
