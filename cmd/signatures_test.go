package cmd

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// public are the packages for other modules: the library, and the modules to write transports with.
var public = []string{module + "/pkg/...", module + "/relay/transport/..."}

// foreign are the exported names of public packages whose types may come from another module, each with the
// reason.
var foreign = map[string]string{}

// TestSignatures checks that exported names mention only types of the standard library and of this module, so that
// users need no other module in a certain version.
func TestSignatures(t *testing.T) {
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.DepOnly}} {{.Export}}"}, public...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	exports, ours := map[string]string{}, []string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), " ")
		path, file := fields[0], strings.Join(fields[2:], " ")
		exports[path] = file
		if fields[1] == "false" && !strings.Contains(path, "/internal/") && file != "" {
			ours = append(ours, path)
		}
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	found := map[string]string{}
	for _, path := range ours {
		p, err := compiled.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name() == "main" {
			continue
		}
		walk := func(name string, typ types.Type) {
			if other := foreignType(typ, map[types.Type]bool{}); other != "" {
				found[p.Path()[len(module)+1:]+"."+name] = other
			}
		}
		for _, name := range p.Scope().Names() {
			object := p.Scope().Lookup(name)
			if !object.Exported() {
				continue
			}
			named, ok := object.Type().(*types.Named)
			if _, isType := object.(*types.TypeName); !isType || !ok {
				walk(name, object.Type())
				continue
			}
			if s, ok := named.Underlying().(*types.Struct); ok {
				for field := range s.Fields() {
					if field.Exported() {
						walk(name+"."+field.Name(), field.Type())
					}
				}
			} else {
				walk(name, named.Underlying())
			}
			for method := range named.Methods() {
				if method.Exported() {
					walk(name+"."+method.Name(), method.Type())
				}
			}
		}
	}
	if len(ours) == 0 {
		t.Fatal("no packages")
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if foreign[name] == "" {
			t.Errorf("%s mentions %s: use a type of the standard library or of this module", name, found[name])
		}
	}
	for name := range foreign {
		if found[name] == "" {
			t.Errorf("%s no longer mentions a type of another module: remove it from the list", name)
		}
	}
}

// foreignType returns the name of a type of another module that typ consists of, "" if there is
// none. The components of our named types are checked at their declarations.
func foreignType(typ types.Type, seen map[types.Type]bool) string {
	if seen[typ] {
		return ""
	}
	seen[typ] = true
	var parts []types.Type
	switch t := typ.(type) {
	case *types.Alias:
		return foreignType(types.Unalias(t), seen)
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && !isStandard(p.Path()) && !strings.HasPrefix(p.Path(), module+"/") {
			return fmt.Sprint(t)
		}
		for part := range t.TypeArgs().Types() {
			parts = append(parts, part)
		}
	case *types.Struct:
		for field := range t.Fields() {
			parts = append(parts, field.Type())
		}
	case *types.Interface:
		for method := range t.Methods() {
			parts = append(parts, method.Type())
		}
		for part := range t.EmbeddedTypes() {
			parts = append(parts, part)
		}
	case *types.Signature:
		parts = append(parts, t.Params(), t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			parts = append(parts, v.Type())
		}
	case *types.Union:
		for term := range t.Terms() {
			parts = append(parts, term.Type())
		}
	case *types.Map:
		parts = append(parts, t.Key(), t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		parts = append(parts, t.Elem())
	}
	for _, part := range parts {
		if other := foreignType(part, seen); other != "" {
			return other
		}
	}
	return ""
}

// unshown are the packages without an Example, each with the reason.
var unshown = map[string]string{
	"internal/child":                      "starts processes",
	"internal/viewer/collect/collecttest": "for tests only",
	"pkg/format":                          "types only: pkg/formats shows them",
	"pkg/formats/agentframework":          "a description only: pkg/formats shows it",
	"pkg/formats/pydanticai":              "a description only: pkg/formats shows it",
	"pkg/formats/aisdk":                   "a description only: pkg/formats shows it",
	"pkg/formats/anthropic":               "a description only: pkg/formats shows it",
	"pkg/formats/bedrock":                 "a description only: pkg/formats shows it",
	"pkg/formats/codex":                   "a description only: pkg/formats shows it",
	"pkg/formats/copilotcli":              "a description only: pkg/formats shows it",
	"pkg/formats/geminicli":               "a description only: pkg/formats shows it",
	"pkg/formats/opencode":                "a description only: pkg/formats shows it",
	"pkg/formats/eaapl":                   "a description only: pkg/formats shows it",
	"pkg/formats/gemini":                  "a description only: pkg/formats shows it",
	"pkg/formats/langchain":               "a description only: pkg/formats shows it",
	"pkg/formats/openaichat":              "a description only: pkg/formats shows it",
	"pkg/formats/responses":               "a description only: pkg/formats shows it",
	"pkg/formats/memo":                    "a format for a test only",
	"relay/transport/transporttest":       "for tests only",
}

// TestExamples checks that every public package has an Example, or a reason in unshown.
func TestExamples(t *testing.T) {
	out, err := exec.Command("go", append([]string{"list", "-f", "{{if ne .Name \"main\"}}{{.ImportPath}} {{.Dir}}{{end}}"}, public...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		path, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.Contains(path, "/internal/") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		isShown := slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc Example")
		})
		if name := strings.TrimPrefix(path, module+"/"); isShown != (unshown[name] == "") {
			t.Errorf("%s: has an Example: %v; reason in unshown: %q", name, isShown, unshown[name])
		}
	}
}
