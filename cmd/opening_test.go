package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// openers are the functions that block on a pipe until its other end is open.
var openers = []string{"os.Open", "os.OpenFile", "os.ReadFile", "os.DirFS", "lockedfile.OpenFile", "lockedfile.Open", "lockedfile.Read", "ioutil.ReadFile", "os.OpenRoot", "os.OpenInRoot", "tls.LoadX509KeyPair", "template.ParseFiles", "syscall.Open", "unix.Open"}

// opening are the files that may call openers, with the reason why they do not block on a pipe, or may.
var opening = map[string]string{
	"internal/input/input.go":                     "a pipe that the user named",
	"internal/output/output.go":                   "a pipe that the user named",
	"internal/output/file_unix.go":                "without waiting",
	"internal/output/locked.go":                   "for reading and writing, so that the program has both ends of a pipe",
	"internal/output/temporary.go":                "a new file, and a folder",
	"internal/term/termtest/pty_linux.go":         "terminals of tests",
	"internal/output/sync_unix.go":                "a folder",
	"relay/cmd/rooted/rooted.go":                  "a folder",
	"internal/regular/pipe.go":                    "without waiting",
	"internal/regular/regular.go":                 "only regular files",
	"relay/internal/alive/lock_unix.go":           "a new file",
	"relay/internal/database/sqlite.go":           "a new file",
	"relay/internal/database/writable_windows.go": "Windows does not block",
	"relay/internal/durable/durable.go":           "a new file",
	"relay/internal/durable/folder_unix.go":       "a folder",
	"relay/transport/dir/box.go":                  "a folder",
}

// TestOpening checks that files are opened by package regular, which does not block on a pipe in their place.
func TestOpening(t *testing.T) {
	used := map[string]bool{}
	for _, root := range []string{"cmd", "relay", "pkg", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(path string, entry fs.DirEntry, err error) error {
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (name == "internal/oracle" || entry.Name() == "train" || entry.Name() == "testdata"):
				return fs.SkipDir // programs and tests
			case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				selected, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, ok := selected.X.(*ast.Ident)
				for _, opener := range openers {
					if ok && of.Name+"."+selected.Sel.Name == opener {
						if used[name] = true; opening[name] == "" {
							t.Errorf("%s calls %s: use package internal/regular", name, opener)
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range opening {
		if !used[name] {
			t.Errorf("%s no longer opens files: remove it from the table", name)
		}
	}
}
