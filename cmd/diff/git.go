package diff

import (
	"fmt"
	"os"
)

// gitArgumentCounts are how many arguments git gives to an external diff: path
// old-file old-hex old-mode new-file new-hex new-mode, and for a renamed file its
// other path and a header; for an unmerged one, the path alone.
var gitArgumentCounts = []int{1, 7, 9}

// gitFile is a file as git describes it to an external diff (git(1),
// GIT_EXTERNAL_DIFF).
type gitFile struct {
	path, newPath    string // in the repository
	old, new         string // where the contents are
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

// besides says what is different about the file apart from its content, "" for nothing.
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

// gitPaging reports whether git shows the output in a pager, which can do colours.
func gitPaging() bool { return os.Getenv("GIT_PAGER_IN_USE") != "" && os.Getenv("NO_COLOR") == "" }
