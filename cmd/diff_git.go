package cmd

import (
	"fmt"
	"os"
)

// gitArgumentCounts are how many arguments git gives to an external diff: path
// old-file old-hex old-mode new-file new-hex new-mode, and for a renamed file its
// other path and a header; for an unmerged one, the path alone.
var gitArgumentCounts = []int{1, 7, 9}

// gitArguments reads the arguments of an external diff (git(1),
// GIT_EXTERNAL_DIFF): the files with the old and the new content, and what stands
// above their differences.
func gitArguments(args []string) (from, to, heading string) {
	from, to, heading = args[1], args[4], args[0]
	if len(args) == 9 {
		heading = fmt.Sprintf("%s → %s", args[0], args[7])
	}
	return from, to, heading
}

// gitPaging reports whether git shows the output in a pager, which can do colours.
func gitPaging() bool { return os.Getenv("GIT_PAGER_IN_USE") != "" && os.Getenv("NO_COLOR") == "" }
