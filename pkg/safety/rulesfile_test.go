package safety

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write rules.json from rules.yaml")

// readYAML reads the source of the embedded rules.
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
	return file
}

// TestRulesFile checks the rules, all their examples included, and that rules.json was
// made from them. It keeps the first examples only: they are what is shown of a rule.
func TestRulesFile(t *testing.T) {
	file := readYAML(t)
	fragments := file.replacer(len(file.Fragments))
	for _, r := range file.Rules {
		if member, err := r.check(fragments); err != nil {
			t.Errorf("%s: %s: %v", r.ID, member, err)
		}
	}
	if err := file.check(); err != nil && !t.Failed() {
		t.Error(err)
	}
	for i := range file.Rules {
		r := &file.Rules[i]
		r.Match, r.Pass = r.Match[:1], r.Pass[:1]
	}
	want, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("rules.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(embedded, want) {
		t.Error("rules.json is not made from rules.yaml: run go generate")
	}
}

// ruleWith returns a rules file of one sound rule with members put in or replaced.
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
