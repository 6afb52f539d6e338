package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// OfOneCall is the annotation of flags that are not configurable for one command,
// while others have a configurable flag of that name.
const OfOneCall = "of one call"

// OnlyForCall makes flags of a command say what one call is about: all of them
// if none is named.
func OnlyForCall(c *cobra.Command, names ...string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if len(names) == 0 || slices.Contains(names, f.Name) {
			if f.Annotations == nil {
				f.Annotations = map[string][]string{}
			}
			f.Annotations[OfOneCall] = []string{"true"}
		}
	})
}
