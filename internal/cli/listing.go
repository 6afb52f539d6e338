package cli

import "github.com/spf13/cobra"

// A Listing shows records to people: a single one in full, and several as rows of one table with totals. It
// holds at most one record.
type Listing[R any] struct {
	Verbose bool          // show each record in full, then the totals of several
	Add     func(R)       // adds a record to the totals
	Alone   func(R) error // shows a record in full
	Row     func(R) error // shows a record in the table
	Totals  func() error  // ends the table
	records int
	first   R // not shown yet, as it may be the only one
}

// IndexColumns is the width of the column with the message's index. A longer index extends into the next
// column.
const IndexColumns = 4

// RegisterVerbose registers -v of a command that shows a listing.
func RegisterVerbose(c *cobra.Command, p *bool) {
	c.Flags().BoolVarP(p, "verbose", "v", false, "show several messages in full instead of in a table")
}

// Print adds the next record.
func (l *Listing[R]) Print(r R) error {
	l.Add(r)
	l.records++
	switch {
	case l.Verbose:
		return l.Alone(r)
	case l.records == 1:
		l.first = r
		return nil
	case l.records == 2:
		if err := l.Row(l.first); err != nil {
			return err
		}
	}
	return l.Row(r)
}

// Close shows the only record, or the totals of several.
func (l *Listing[R]) Close() error {
	switch {
	case l.records > 1:
		return l.Totals()
	case l.records == 1 && !l.Verbose:
		return l.Alone(l.first)
	default:
		return nil
	}
}
