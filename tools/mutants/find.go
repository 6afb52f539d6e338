package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A place is a line and a column, from 1.
type place struct{ line, column int }

func (p place) before(o place) bool {
	return p.line < o.line || p.line == o.line && p.column < o.column
}

// A block is code that the suite reaches.
type block struct{ from, to place }

// An edit replaces a range of a file.
type edit struct {
	start, end int
	text       string
}

// A fault is a change of the source.
type fault struct {
	file       string // below the root
	at, end    place
	start, to  int // offsets
	kind, text string
	edits      func(number int) []edit
}

func (f *fault) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.file, f.at.line, f.kind, strings.Join(strings.Fields(f.text), " "))
}

// overlaps reports whether two faults cannot be in one program.
func (f *fault) overlaps(o *fault) bool { return f.file == o.file && f.start < o.to && o.start < f.to }

// A finder collects the faults of a file.
type finder struct {
	fset     *token.FileSet
	info     *types.Info
	pkg      *types.Package
	name     string
	source   string
	reached  []block
	declared bool // the current declaration is a variable of the package
	faults   []*fault
}

// find returns all faults in the reached code of the rooms, in a fixed order.
func find(root string, reached map[string][]block) ([]*fault, error) {
	var patterns []string
	for _, room := range rooms {
		patterns = append(patterns, "./"+room)
	}
	config := &packages.Config{Dir: root, Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile}
	list, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, err
	}
	var all []*fault
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		for _, file := range p.Syntax {
			path := p.Fset.Position(file.Pos()).Filename
			name, err := filepath.Rel(root, path)
			if err != nil {
				return nil, err
			}
			f := &finder{fset: p.Fset, info: p.TypesInfo, pkg: p.Types, name: filepath.ToSlash(name), reached: reached[filepath.ToSlash(name)]}
			if len(f.reached) == 0 || others.MatchString(f.name) {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			f.source = string(text)
			for _, d := range file.Decls {
				f.declaration(d)
			}
			all = append(all, f.faults...)
		}
	}
	return all, nil
}

// others are the files that no answer depends on: texts and catalogues of rules, lint, fast paths of the parser.
var others = regexp.MustCompile(`/(rules\w*|lint\w*|wording|words|explain|buildinfo)\.go$|^pkg/jsonstream/([^c]|c[^a])`)

// words are the names of functions that only make texts for people, which no case compares.
var words = regexp.MustCompile(`(?i)^(describe|explain|shown|named|listed|quote|error|string|format|gostring|problem|remedy|hint|literal|masked|tried|summary)|(Error|Message|Text|Problem)$`)

func (f *finder) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.GenDecl:
		if f.declared = d.Tok == token.VAR; f.declared {
			ast.Inspect(d, f.table)
		}
	case *ast.FuncDecl:
		f.declared = false
		if d.Body != nil && !words.MatchString(d.Name.Name) {
			ast.Inspect(d.Body, f.node)
		}
	}
}

// texts are the functions whose arguments are texts for people.
var texts = regexp.MustCompile(`(?i)^(errorf|sprintf|new|fault|fail|report\w*|panic|quote\w*|appendf|fprintf|note)$`)

// node collects the faults at a node, and reports whether to go on below it.
func (f *finder) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		if name := called(n); texts.MatchString(name) {
			return false
		}
	case *ast.IfStmt:
		f.wrap("negated condition", n.Cond, "(", ") != mutant.On(@N)")
		if n.Else == nil && returns(n.Body) {
			f.wrap("removed return", n.Cond, "(", ") && !mutant.On(@N)")
		}
	case *ast.SwitchStmt:
		f.cases(n)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.Ident:
		if (n.Name == "true" || n.Name == "false") && f.info.Uses[n] == types.Universe.Lookup(n.Name) {
			f.replace("changed constant", n, n.Name+" != mutant.On(@N)")
		}
	case *ast.ExprStmt:
		if _, ok := n.X.(*ast.CallExpr); ok {
			f.wrap("removed statement", n, "if !mutant.On(@N) { ", " }")
		}
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN || n.Tok == token.ADD_ASSIGN {
			f.wrap("removed assignment", n, "if !mutant.On(@N) { ", " }")
		}
	case *ast.CompositeLit:
		f.table(n)
	}
	return true
}

// called returns the name of a called function.
func called(call *ast.CallExpr) string {
	switch of := call.Fun.(type) {
	case *ast.Ident:
		return of.Name
	case *ast.SelectorExpr:
		return of.Sel.Name
	}
	return ""
}

// returns reports whether a block ends with a return.
func returns(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	_, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	return ok
}

// cases drops a case of a switch.
func (f *finder) cases(n *ast.SwitchStmt) {
	for _, clause := range n.Body.List {
		for _, e := range clause.(*ast.CaseClause).List {
			if n.Tag == nil {
				f.wrap("dropped case", e, "(", ") && !mutant.On(@N)")
				continue
			}
			if v := f.info.Types[e]; v.Value != nil && v.Value.Kind() == constant.String {
				f.pick("dropped case", e, strconv.Quote("\x00"))
			}
		}
	}
}

// opposite are the operators that an operator is confused with.
var opposite = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.ADD: token.SUB, token.SUB: token.ADD, token.EQL: token.NEQ, token.NEQ: token.EQL,
}

func (f *finder) binary(n *ast.BinaryExpr) {
	x, y := f.text(n.X), f.text(n.Y)
	switch n.Op {
	case token.LAND:
		f.replace("and for or", n, "("+x+" && "+y+" || mutant.On(@N) && ("+x+" || "+y+"))")
		return
	case token.LOR:
		f.replace("or for and", n, "(("+x+" || "+y+") && (!mutant.On(@N) || "+x+" && "+y+"))")
		return
	}
	other, ok := opposite[n.Op]
	if !ok || !pure(n.X) || !pure(n.Y) || f.isText(n.X) && other == token.SUB {
		return
	}
	if t := f.typeName(n); t != "" {
		f.replace("other operator", n, fmt.Sprintf("mutant.Pick[%s](@N, %s %s %s, %s %s %s)", t, x, n.Op, y, x, other, y))
	}
}

func (f *finder) isText(e ast.Expr) bool {
	b, ok := f.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// pure reports whether the evaluation of an expression has no effect and cannot fail.
func pure(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return pure(e.X)
	case *ast.ParenExpr:
		return pure(e.X)
	case *ast.BinaryExpr:
		return pure(e.X) && pure(e.Y) && e.Op != token.QUO && e.Op != token.REM
	case *ast.CallExpr:
		name := called(e)
		return len(e.Args) <= 1 && (name == "len" || name == "Kind" || name == "Text" || name == "Len") && (len(e.Args) == 0 || pure(e.Args[0]))
	}
	return false
}

// word is the form of texts that are names.
var word = regexp.MustCompile(`^"[A-Za-z_$#/:.-]{2,40}"$`)

func (f *finder) literal(n *ast.BasicLit) {
	switch {
	case n.Kind == token.INT:
		f.pick("changed constant", n, n.Value+"+1")
	case n.Kind == token.STRING && word.MatchString(n.Value):
		f.pick("changed constant", n, n.Value+`+"~"`)
	}
}

// pick replaces a constant.
func (f *finder) pick(kind string, e ast.Expr, wrong string) {
	if t := f.typeName(e); t != "" {
		f.replace(kind, e, fmt.Sprintf("mutant.Pick[%s](@N, %s, %s)", t, f.text(e), wrong))
	}
}

// typeName returns the type of an expression as the file writes it, "" if it cannot.
func (f *finder) typeName(e ast.Expr) string {
	t := f.info.TypeOf(e)
	if t == nil {
		return ""
	}
	known := true
	name := types.TypeString(types.Default(t), func(p *types.Package) string {
		if p != f.pkg {
			known = false
		}
		return ""
	})
	if !known || strings.ContainsAny(name, " {") {
		return ""
	}
	return name
}

// table drops a row of a list or a map.
func (f *finder) table(n ast.Node) bool {
	lit, ok := n.(*ast.CompositeLit)
	if !ok || len(lit.Elts) < 2 || lit.Type == nil {
		return true
	}
	switch t := f.info.TypeOf(lit).Underlying().(type) {
	case *types.Slice:
		if a, ok := lit.Type.(*ast.ArrayType); !ok || a.Len != nil {
			return true
		}
		for i, e := range lit.Elts {
			if _, keyed := e.(*ast.KeyValueExpr); keyed {
				return true
			}
			f.around("dropped row", lit, e, fmt.Sprintf("mutant.Drop(@N, %d, ", i), ")")
		}
	case *types.Map:
		for _, e := range lit.Elts {
			if e, ok := e.(*ast.KeyValueExpr); ok {
				if v := f.info.Types[e.Key]; v.Value != nil {
					f.around("dropped row", lit, e, "mutant.Unset(@N, "+types.TypeString(t.Key(), func(*types.Package) string { return "" })+"("+f.text(e.Key)+"), ", ")")
				}
			}
		}
	}
	return true
}

// wrap puts texts around a node; one of them has the number of the fault.
func (f *finder) wrap(kind string, n ast.Node, before, after string) {
	f.around(kind, n, n, before, after)
}

// around is wrap, with the node that the fault is about.
func (f *finder) around(kind string, n, about ast.Node, before, after string) {
	start, end := f.offset(n.Pos()), f.offset(n.End())
	f.add(kind, n, about, func(number int) []edit {
		return []edit{{start, start, numbered(before, number)}, {end, end, numbered(after, number)}}
	})
}

// replace puts a text in the place of a node.
func (f *finder) replace(kind string, n ast.Node, text string) {
	start, end := f.offset(n.Pos()), f.offset(n.End())
	f.add(kind, n, n, func(number int) []edit { return []edit{{start, end, numbered(text, number)}} })
}

func numbered(text string, number int) string {
	return strings.ReplaceAll(text, "@N", strconv.Itoa(number))
}

func (f *finder) add(kind string, n, about ast.Node, edits func(int) []edit) {
	at, end := f.place(n.Pos()), f.place(n.End())
	if !f.isReached(at) {
		return
	}
	f.faults = append(f.faults, &fault{file: f.name, at: at, end: end, start: f.offset(n.Pos()), to: f.offset(n.End()), kind: kind, text: f.text(about), edits: edits})
}

// isReached reports whether the suite runs the code at a place. A table of the package counts as run.
func (f *finder) isReached(at place) bool {
	return f.declared || slices.ContainsFunc(f.reached, func(b block) bool { return !at.before(b.from) && at.before(b.to) })
}

func (f *finder) text(n ast.Node) string { return f.source[f.offset(n.Pos()):f.offset(n.End())] }

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) place(p token.Pos) place {
	at := f.fset.Position(p)
	return place{at.Line, at.Column}
}
