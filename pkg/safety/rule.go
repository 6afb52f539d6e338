package safety

import "github.com/eaapl/handoff/pkg/finding"

// A Category is a kind of attack.
type Category string

// The categories of the built-in rules. A rules file may use others.
const (
	Override      Category = "instruction-override" // drop earlier instructions
	Impersonation Category = "role-impersonation"   // forged turns, forged authority
	Exfiltration  Category = "exfiltration"         // hand out prompts, data, secrets
	Jailbreak     Category = "jailbreak"            // be somebody without rules
	ToolAbuse     Category = "tool-abuse"           // do something else, call something
	Obfuscation   Category = "obfuscation"          // text disguised as such
	HiddenText    Category = "hidden-text"          // text that people do not see
	Model         Category = "model"                // findings of the linear model
)

// Catalogue returns rules as findings name them, without examples. A category is an alias
// for the layer.
func Catalogue(rules []Rule) []finding.Rule {
	list := make([]finding.Rule, len(rules))
	for i, r := range rules {
		list[i] = finding.Rule{ID: r.ID, Layer: finding.Safety, Severity: finding.Error, Summary: "Text " + r.Summary + ".", Why: r.Why}
		list[i].Aliases = []string{string(r.Category) + "/" + list[i].Name()}
	}
	return list
}

// A Rule describes one kind of finding.
type Rule struct {
	ID       string   `json:"id"` // safety/NAME; a rules file has the name alone
	Category Category `json:"category"`
	Summary  string   `json:"summary"`       // what it finds, in a clause
	Why      string   `json:"why"`           // why that matters, in a sentence or two
	Weight   float64  `json:"weight"`        // what a match adds to a text's score, 0 to 1
	Bad      string   `json:"bad,omitzero"`  // text it finds; "" where no short one does
	Good     string   `json:"good,omitzero"` // similar text it leaves alone
}
