package cli

import "github.com/spf13/cobra"

// A Listing shows records to people: a single one by itself, and several as rows of one table that
// ends in totals. It keeps one record at most.
type Listing[R any] struct {
	Verbose bool          // each is shown by itself, and the totals of several follow
	Add     func(R)       // adds a record to the totals
	Alone   func(R) error // shows a record by itself
	Row     func(R) error // shows it in the table
	Totals  func() error  // ends the table
	records int
	first   R // not yet shown, if it is the only one
}

// IndexColumns is how wide the column of a table is that has the index of the message. A longer index
// takes room of the column beside it.
const IndexColumns = 4

// RegisterVerbose registers -v of a command that shows a listing.
func RegisterVerbose(c *cobra.Command, p *bool) {
	c.Flags().BoolVarP(p, "verbose", "v", false, "show several messages in full instead of in a table")
}

// Print takes the next record.
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

// Close shows a record that was the only one, or the totals of several.
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
