package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pure are the functions and methods that an argument of cmp.Or may call: their results depend only on their
// arguments, and they cost little. Conversions are named like functions.
var pure = []string{
	"Compare", "Cmp", "inOrder", // comparisons
	"string", "len", "max", "min", "int", "Strings", "Provider", // conversions
	"Root", "Get", "At", "Text", "Item", "Raw", "Name", "Tool", "Err", "first", "soundness", "bucket", // parts
	"Clip", "Clone", "Trim", "TrimSpace", "Join", "Visible", "URL", "quote", "asked", // texts
	"Abs", "foldID", "rankOf", "rule", "Pointer", "size", "room", "roleOf", "Role", "Named",
	"regionOf", "Hostname", "mask", "titleOf", "failedRule", "ScreenWidth", "defaultDescription",
}

// TestArgumentsAreEvaluated checks the arguments of cmp.Or and errors.Join, because Go evaluates all
// arguments of a call: in "cmp.Or(sync(), remove())", remove is called even after sync has failed. Arguments
// of cmp.Or may call only pure functions. Arguments of errors.Join may call functions that must run in any
// case, as in "errors.Join(f.Sync(), f.Close())", but may not rename or remove a file after another call.
// Write dependent steps as separate statements.
func TestArgumentsAreEvaluated(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && path != ".."):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch named(call, "") {
			case "cmp.Or":
				seen++
				for _, argument := range call.Args {
					for _, name := range calls(argument) {
						if !slices.Contains(pure, name) {
							t.Errorf("%s: an argument of cmp.Or calls %s, whatever the values of the arguments before it: write separate statements, or add %s to pure if it has no effects and costs little", files.Position(call.Pos()), name, name)
						}
					}
				}
			case "errors.Join":
				if strings.HasSuffix(path, "_test.go") {
					break // this case ends the search
				}
				before := false // a call that may have failed precedes
				for _, argument := range call.Args {
					names := calls(argument)
					for _, name := range names {
						if before && slices.Contains([]string{"Remove", "RemoveAll", "Rename", "Truncate", "SyncFolder"}, name) {
							t.Errorf("%s: errors.Join calls %s even if the call before it fails: write separate statements", files.Position(call.Pos()), name)
						}
					}
					before = before || slices.ContainsFunc(names, func(name string) bool { return name != "Errorf" && name != "New" && name != "plain" && name != "Close" })
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("found only %d calls of cmp.Or", seen)
	}
}

// named returns the name of the called function, qualified as in the source.
func named(call *ast.CallExpr, otherwise string) string {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return otherwise
}

// calls returns the names of the functions called when an expression is evaluated, without their packages and
// receivers. The arguments of a nested cmp.Or are checked separately.
func calls(e ast.Expr) []string {
	var list []string
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // defined here, not called
		case *ast.CallExpr:
			name := named(n, "a function that has no name")
			if name == "cmp.Or" {
				return false
			}
			list = append(list, name[strings.LastIndex(name, ".")+1:])
		}
		return true
	})
	return list
}
