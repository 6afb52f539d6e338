package diff

import (
	"fmt"
	"os"
)

// gitArgumentCounts are the numbers of arguments that git passes to an external diff: path old-file old-hex
// old-mode new-file new-hex new-mode and, for a renamed file, its other path and a header; for an unmerged
// file, only the path.
var gitArgumentCounts = []int{1, 7, 9}

// A gitFile is a file as git describes it to an external diff (git(1), GIT_EXTERNAL_DIFF).
type gitFile struct {
	path, newPath    string // in the repository
	old, new         string // files with the contents
	oldMode, newMode string // "." for none
}

func gitArguments(args []string) gitFile {
	f := gitFile{path: args[0], newPath: args[0], old: args[1], oldMode: args[3], new: args[4], newMode: args[6]}
	if len(args) == 9 {
		f.newPath = args[7]
	}
	return f
}

// heading names the file.
func (f gitFile) heading() string {
	if f.newPath != f.path {
		return f.path + " → " + f.newPath
	}
	return f.path
}

// besides returns the differences of the file other than its content, "" for none.
func (f gitFile) besides() string {
	switch {
	case f.oldMode != f.newMode && f.oldMode != "." && f.newMode != ".":
		return fmt.Sprintf("%s: mode %s → %s", f.heading(), f.oldMode, f.newMode)
	case f.newPath != f.path:
		return f.heading() + ": renamed"
	default:
		return ""
	}
}

// gitPaging reports whether git shows the output in a pager, which supports colours.
func gitPaging() bool { return os.Getenv("GIT_PAGER_IN_USE") != "" && os.Getenv("NO_COLOR") == "" }
