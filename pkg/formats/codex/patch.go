package codex

import (
	"iter"
	"strings"
)

// PatchedFiles yields the paths in the headers of patches of apply_patch, each with whether the patch deletes the
// file. A patch that moves a file yields the old path and the new one. Other lines of the text are ignored.
func PatchedFiles(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for line := range strings.Lines(text) {
			for _, header := range [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
				path, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), header)
				if ok && !yield(strings.TrimSpace(path), header == "*** Delete File: ") {
					return
				}
			}
		}
	}
}
