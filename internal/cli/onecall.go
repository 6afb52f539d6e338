package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// OfOneCall is the annotation of flags that are not configurable for one command, although other commands
// have a configurable flag of the same name.
const OfOneCall = "of one call"

// OnlyForCall excludes flags of a command from configuration: all of them if no names are given.
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
