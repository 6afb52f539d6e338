package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestOneClientAndServer checks that every request uses relay/webclient and every server relay/guard, so
// that one policy applies to all.
func TestOneClientAndServer(t *testing.T) {
	only := map[string]string{
		"Client": "relay/webclient", "DefaultClient": "relay/webclient", "Transport": "relay/webclient", "DefaultTransport": "relay/webclient",
		"Get": "relay/webclient", "Head": "relay/webclient", "Post": "relay/webclient", "PostForm": "relay/webclient",
		"Server": "relay/guard", "Serve": "relay/guard", "ServeTLS": "relay/guard", "ListenAndServe": "relay/guard", "ListenAndServeTLS": "relay/guard",
	}
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		room := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
		for name := range namesOf(file, "net/http") {
			if where := only[name]; where == room {
				found[where] = true
			} else if where != "" {
				t.Errorf("%s uses http.%s, which is for %s", path, name, where)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found["relay/webclient"] || !found["relay/guard"] {
		t.Errorf("found %v", found)
	}
}

// namesOf returns the names of a package that a file uses.
func namesOf(file *ast.File, path string) map[string]bool {
	names := map[string]bool{}
	at := slices.IndexFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(path) })
	if at < 0 {
		return names
	}
	short := path[strings.LastIndex(path, "/")+1:]
	if as := file.Imports[at].Name; as != nil {
		short = as.Name
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == short {
				names[s.Sel.Name] = true
			}
		}
		return true
	})
	return names
}
