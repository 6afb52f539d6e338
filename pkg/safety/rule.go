package safety

import "github.com/eaapl/handoff/pkg/finding"

// A Category is a kind of attack.
type Category string

// The categories of the built-in rules. A rules file may use others.
const (
	Override      Category = "instruction-override" // ignore earlier instructions
	Impersonation Category = "role-impersonation"   // forged turns, forged authority
	Exfiltration  Category = "exfiltration"         // disclose prompts, data or secrets
	Jailbreak     Category = "jailbreak"            // act as a persona without rules
	ToolAbuse     Category = "tool-abuse"           // do something else, call a tool
	Obfuscation   Category = "obfuscation"          // disguised instructions
	HiddenText    Category = "hidden-text"          // text invisible to people
	Model         Category = "model"                // findings of the linear model
)

// Catalogue returns the descriptions of rules as in findings, without examples. A category is an
// alias for the layer.
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
	ID       string   `json:"id"` // safety/NAME; in a rules file, only the name
	Category Category `json:"category"`
	Summary  string   `json:"summary"`       // a clause that describes the finding
	Why      string   `json:"why"`           // its danger, in a sentence or two
	Weight   float64  `json:"weight"`        // contribution of a match to the score of its text, from 0 to 1
	Bad      string   `json:"bad,omitzero"`  // matching text; "" if there is no short one
	Good     string   `json:"good,omitzero"` // similar text that does not match
}
