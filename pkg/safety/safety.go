// Package safety searches the text of a message for instructions to the agent that will
// read it.
//
// A [Scanner] reads data that an agent is about to take in, and finds text written to the
// agent rather than for it: orders to drop its instructions, forged system turns,
// attempts to get hold of its prompt, characters that do not show. It goes by the meaning
// of text and not by single words: "ignore my previous e-mail" is no finding.
// [ScanDocument] does so for every text of a JSON value.
//
// No finding ever quotes a credential that package secrets finds, not even as part of an
// excerpt. No input takes more than linear time.
package safety

import (
	"context"

	"github.com/eaapl/handoff/pkg/safety/model"
)

// A Field is the speaker of a text, which decides how much an instruction in it weighs.
type Field string

// The fields, by decreasing weight of an instruction.
const (
	Tool   Field = "tool"   // what a tool returned
	Data   Field = "data"   // any other: untrusted
	User   Field = "user"   // a user's turn
	Agent  Field = "agent"  // a turn or a call of the agent's own
	System Field = "system" // instructions that the agent was given
)

// Fields returns all fields, by decreasing weight of an instruction.
func Fields() []Field { return []Field{Tool, Data, User, Agent, System} }

// A Finding is one suspicious place in a text.
type Finding struct {
	Rule     string   `json:"rule"` // an id of the scanner's rules
	Category Category `json:"category"`
	// Score is what the finding adds to its text's score, 0 to 1.
	Score float64 `json:"score"`
	// Message says in a clause what was found, and quotes the excerpt.
	Message string `json:"message"`
	// Offset and Length give the place, in bytes of the text as it was passed in.
	Offset int `json:"offset"`
	Length int `json:"length"`
	// Excerpt is the start of the finding's text, with control and invisible characters
	// escaped and credentials left out.
	Excerpt string `json:"excerpt"`
	// Via names the reading that shows it, such as base64; "" for the text as written.
	Via string `json:"via,omitempty"`

	// Evidence says what Score is made of. A classifier's finding has none.
	Evidence Evidence `json:"-"`

	features []place // of the model's finding: its strongest evidence
	doubtful bool    // the model may halve the score
}

// A place is a part of a text, in bytes.
type place struct {
	offset, length int
	weight         float64
}

// Evidence is what the score of a finding is made of. The score of a rule's is Weight ×
// Field (1 at most) × Mention × Doubt; the model's is Weight × Probability to a Power,
// half of it if Excused. What is Disguised is then raised by a tenth and 0.1.
type Evidence struct {
	Weight      float64   `json:"weight"`               // of the rule
	Field       float64   `json:"field,omitzero"`       // the factor of who speaks
	Mention     float64   `json:"mention,omitzero"`     // what is left of it in talk about attacks
	Doubt       float64   `json:"doubt,omitzero"`       // what is left of it where the model sees nothing
	Probability float64   `json:"probability,omitzero"` // the model's
	Power       float64   `json:"power,omitzero"`       // by who speaks
	Excused     bool      `json:"excused,omitzero"`     // rules excused all their matches there
	Features    []Feature `json:"features,omitzero"`    // what the model went by above all
	Disguised   bool      `json:"disguised,omitzero"`   // only a reading shows it
}

// A Feature is what the model went by: a part of the text, and how much it speaks for an
// attack beside the others.
type Feature struct {
	Excerpt string  `json:"excerpt"`
	Weight  float64 `json:"weight"`
}

// A Verdict is the judgement on one text.
type Verdict struct {
	Score   float64 // 0 to 1: [Weigh] of the findings
	Flagged bool    // Score has reached Threshold
	// Threshold is the limit that Score was compared with.
	Threshold float64
	// Findings are sorted by offset. Single ones may weigh too little to flag the text.
	Findings []Finding
}

// A Scanner looks for text that tries to instruct the agent that reads it.
// Implementations are safe for concurrent use.
type Scanner interface {
	// Scan judges a text that the given field speaks. Its only error is the context's.
	Scan(ctx context.Context, field Field, text string) (Verdict, error)
	// Rules lists every rule that Scan can report. The caller owns the slice.
	Rules() []Rule
}

// DefaultThreshold is the score from which a text is flagged, unless [Options] says otherwise.
const DefaultThreshold = 0.5

// Options sets up a scanner. The zero value is the built-in one.
type Options struct {
	// Rules are the scanner's rules; nil means the built-in ones.
	Rules *RuleSet
	// Threshold is the score from which a text is flagged, above 0 and up to 1; 0
	// means [DefaultThreshold].
	Threshold float64
	// ByField are thresholds of single fields, which count in place of Threshold there.
	ByField map[Field]float64
}

// threshold returns the score from which a text of a field is flagged.
func (o Options) threshold(field Field) float64 {
	if t, ok := o.ByField[field]; ok {
		return t
	}
	return o.Threshold
}

// New returns a scanner. It costs nothing until first used.
func New(options Options) Scanner {
	if options.Threshold == 0 {
		options.Threshold = DefaultThreshold
	}
	return scanner{options, model.Score}
}
