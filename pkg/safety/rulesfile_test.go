package safety

import (
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/eaapl/handoff/internal/textscan"
)

var update = flag.Bool("update", false, "write builtin.go and tables.go from rules.yaml and languages.yaml")

// embedded is a rules file with the built-in rules.
var embedded = func() []byte {
	text, err := json.Marshal(builtinFile)
	if err != nil {
		panic(err)
	}
	return text
}()

// readYAML reads the sources of the embedded rules.
func readYAML(t *testing.T) *rulesFile {
	t.Helper()
	text, err := os.ReadFile("rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	file, err := decodeRules(asJSON)
	if err != nil {
		t.Fatal(err)
	}
	file.Rules = append(file.Rules, readLanguages(t)...)
	return file
}

// TestRulesFile checks the rules, including all their examples.
func TestRulesFile(t *testing.T) {
	file := readYAML(t)
	expand := file.expander(len(file.Fragments))
	for _, r := range file.Rules {
		if member, err := r.check(expand); err != nil {
			t.Errorf("%s: %s: %v", r.ID, member, err)
		}
	}
	if err := file.check(); err != nil && !t.Failed() {
		t.Error(err)
	}
}

// TestGenerated checks that builtin.go is generated from the rules' files, and tables.go from it.
// It keeps only the first examples, which are the ones that are shown.
func TestGenerated(t *testing.T) {
	file := readYAML(t)
	for i := range file.Rules {
		r := &file.Rules[i]
		r.Match, r.Pass = r.Match[:1], r.Pass[:1]
	}
	tables := textscan.NewTables(literalsOf(file.rules()), len(file.Rules))
	var opens openings
	for _, r := range file.rules() {
		opens = append(opens, r.makeOpenings())
	}
	if *update {
		write(t, "builtin.go", "builtinFile = rulesFile", file)
		write(t, "tables.go", "builtinTables = textscan.Tables", tables)
		write(t, "openings.go", "builtinOpenings = openings", &opens)
		return
	}
	if diff := cmp.Diff(file, &builtinFile); diff != "" {
		t.Errorf("builtin.go is not made from rules.yaml and languages.yaml: run go generate (-rules.yaml +builtin.go):\n%s", diff)
	}
	if !reflect.DeepEqual(tables, &builtinTables) {
		t.Error("tables.go is not made from rules.yaml and languages.yaml: run go generate")
	}
	if !reflect.DeepEqual(opens, builtinOpenings) {
		t.Error("openings.go is not made from rules.yaml and languages.yaml: run go generate")
	}
}

func write[T any](t *testing.T, file, declared string, value *T) {
	t.Helper()
	var b strings.Builder
	b.WriteString("// Code generated from rules.yaml and languages.yaml by go generate; DO NOT EDIT.\n\npackage safety\n\n")
	if pkg, _, ok := strings.Cut(reflect.TypeFor[T]().String(), "."); ok && pkg != "safety" {
		b.WriteString("import \"" + reflect.TypeFor[T]().PkgPath() + "\"\n\n")
	}
	b.WriteString("var " + declared)
	writeLiteral(&b, reflect.ValueOf(*value))
	source, err := format.Source([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, source, 0o644); err != nil {
		t.Fatal(err)
	}
}

// writeLiteral writes v as a Go literal after its type.
func writeLiteral(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		b.WriteString("{\n")
		for field, value := range v.Fields() {
			if value.IsZero() {
				continue
			}
			b.WriteString(field.Name + ": ")
			if kind := value.Kind(); kind == reflect.Slice || kind == reflect.Array {
				b.WriteString(strings.ReplaceAll(value.Type().String(), "safety.", ""))
			}
			writeLiteral(b, value)
			b.WriteString(",\n")
		}
		b.WriteString("}")
	case reflect.Array:
		b.WriteString("{")
		gap := false
		for i := range v.Len() {
			if v.Index(i).IsZero() && v.Len() > 3 { // most are
				gap = true
				continue
			}
			if gap {
				fmt.Fprintf(b, "%d: ", i)
			}
			gap = false
			writeLiteral(b, v.Index(i))
			b.WriteString(", ")
		}
		b.WriteString("}")
	case reflect.Uint32, reflect.Uint64:
		fmt.Fprintf(b, "%d", v.Uint())
	case reflect.Slice:
		b.WriteString("{")
		for i := range v.Len() {
			writeLiteral(b, v.Index(i))
			b.WriteString(", ")
		}
		b.WriteString("}")
	default:
		fmt.Fprintf(b, "%#v", v.Interface())
	}
}

// ruleWith returns a rules file of one valid rule with members added or replaced.
func ruleWith(members string) string {
	rule := map[string]any{
		"id": "no-bananas", "category": "fruit", "summary": "mentions bananas", "why": "They are out.",
		"weight": 0.6, "literals": []string{"banana"}, "patterns": []string{`bananas?\b`},
		"match": []string{"Banana split", "two bananas"}, "pass": []string{"bananarama"},
	}
	var other map[string]any
	if members != "" {
		if err := json.Unmarshal([]byte("{"+members+"}"), &other); err != nil {
			panic(err)
		}
	}
	maps.Copy(rule, other)
	text, err := json.Marshal(map[string]any{"rules": []any{rule}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestParseRules(t *testing.T) {
	builtIn := len(New(Options{}).Rules())
	for _, tt := range []struct {
		name, text string
		rules      int
	}{
		{"adds", ruleWith(``), builtIn + 1},
		{"replaces", ruleWith(`"id":"pwned"`), builtIn},
		{"stands alone", strings.Replace(ruleWith(``), `{`, `{"standalone":true,`, 1), builtIn - len(builtin().rules) + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := ParseRules([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			scanner := New(Options{Rules: set})
			if got := len(scanner.Rules()); got != tt.rules {
				t.Errorf("%d rules, want %d", got, tt.rules)
			}
			v, err := scanner.Scan(t.Context(), Data, "One banana, please.")
			if err != nil || len(v.Findings) != 1 || v.Findings[0].Category != "fruit" {
				t.Errorf("got %+v, %v", v, err)
			}
		})
	}
}

func TestParseRulesErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"not JSON", `{`, "rules: not JSON"},
		{"unknown member", ruleWith(`"wieght":1`), "unknown member"},
		{"wrong type", ruleWith(`"weight":"1"`), "wrong type"},
		{"no rules", `{"rules":[]}`, "no rules"},
		{"no id", ruleWith(`"id":"No Id"`), "rule 1: id"},
		{"twice", `{"rules":[` + strings.TrimSuffix(strings.TrimPrefix(ruleWith(``), `{"rules":[`), `]}`) + `,` + strings.TrimPrefix(ruleWith(``), `{"rules":[`), `"no-bananas": id`},
		{"no summary", ruleWith(`"summary":""`), `"no-bananas": summary`},
		{"no match", ruleWith(`"match":[]`), `"no-bananas": match`},
		{"weight", ruleWith(`"weight":1.5`), `"no-bananas": weight: 1.5`},
		{"reach", ruleWith(`"reach":5000`), `"no-bananas": reach`},
		{"field", ruleWith(`"fields":["tools"]`), `"no-bananas": fields: "tools"`},
		{"short literal", ruleWith(`"literals":["ban"]`), `"no-bananas": literals: "ban"`},
		{"bad expression", ruleWith(`"patterns":["("]`), `"no-bananas": patterns: "("`},
		{"empty match", ruleWith(`"patterns":["a*"]`), `matches the empty text`},
		{"example not found", ruleWith(`"match":["apple"]`), `"no-bananas": match: "apple"`},
		{"example found", ruleWith(`"pass":["banana"]`), `"no-bananas": pass: "banana"`},
		{"fragment", `{"fragments":[{"name":"A","pattern":"a"}],"rules":[]}`, `fragment "A"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ParseRules([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
