package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/eaapl/handoff"

// A pkg is a package, as printed by go list, with the counts of its files.
type pkg struct {
	ImportPath, Dir  string
	GoFiles, Imports []string // without tests

	lines     int
	generated map[string]int // lines by file
	exported  int            // top-level names
}

// packages returns the packages of the module in the working directory, for this system, without tests.
func packages() ([]*pkg, error) {
	c := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &pkg{generated: map[string]int{}}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if err := p.count(); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if len(list) == 0 || list[0].ImportPath != module {
		return nil, fmt.Errorf("the working directory is not the root of %s: run weight there", module)
	}
	return list, nil
}

// count counts the lines and the exported names of the package.
func (p *pkg) count() error {
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		lines := bytes.Count(text, []byte("\n"))
		p.lines += lines
		if ast.IsGenerated(file) {
			p.generated[p.path()+"/"+name] = lines
		}
		for _, d := range file.Decls {
			p.exported += exported(d)
		}
	}
	return nil
}

// exported returns the number of exported names that a declaration adds to its package. Methods add
// none.
func exported(d ast.Decl) (n int) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			n++
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}

// path returns the path of the package relative to the module.
func (p *pkg) path() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// public reports whether the package is importable, and meant for users.
func (p *pkg) public() bool {
	return strings.HasPrefix(p.path(), "pkg/") && !strings.Contains("/"+p.path()+"/", "/internal/")
}
