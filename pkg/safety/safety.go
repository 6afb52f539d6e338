// Package safety searches the text of a message for instructions to the agent that will read it.
//
// A [Scanner] reads an agent's input and finds text that addresses the agent itself: orders to
// ignore its instructions, forged system turns, attempts to obtain its prompt, invisible
// characters. It judges the meaning of text and not single words: "ignore my previous e-mail" is
// not a finding. [ScanDocument] scans every text of a JSON value.
//
// Findings never quote a credential that package secrets finds, not even in an excerpt. Scanning
// takes linear time for every input.
package safety

import (
	"context"

	"github.com/eaapl/handoff/pkg/internal/model"
)

// A Field is the speaker of a text, which determines the weight of an instruction in it.
type Field string

// The fields, by decreasing weight of an instruction.
const (
	Tool   Field = "tool"   // a tool's result
	Data   Field = "data"   // other untrusted data
	User   Field = "user"   // a user's turn
	Agent  Field = "agent"  // the agent's own turn or call
	System Field = "system" // the agent's instructions
)

// Fields returns all fields, by decreasing weight of an instruction.
func Fields() []Field { return []Field{Tool, Data, User, Agent, System} }

// A Finding is one suspicious place in a text.
type Finding struct {
	Rule     string   `json:"rule"` // an id of the scanner's rules
	Category Category `json:"category"`
	// Score is the contribution to the text's score, from 0 to 1.
	Score float64 `json:"score"`
	// Message describes the finding in a clause and quotes the excerpt.
	Message string `json:"message"`
	// Offset and Length locate the finding, in bytes of the original text.
	Offset int `json:"offset"`
	Length int `json:"length"`
	// Excerpt is the start of the matched text, with control and invisible characters escaped and
	// credentials omitted.
	Excerpt string `json:"excerpt"`
	// Via is the name of the reading that contains the finding, such as base64; "" for the text as
	// written.
	Via string `json:"via,omitempty"`

	// Evidence explains Score. A classifier's finding has none.
	Evidence Evidence `json:"-"`

	features []place // strongest evidence of a model finding
	doubtful bool    // the model may halve the score
}

// A place is a part of a text, in bytes.
type place struct {
	offset, length int
	weight         float64
}

// Evidence explains the score of a finding. For a rule's finding, the score is Weight × Field (at
// most 1) × Mention × Doubt; for the model's, Weight × Probability to the power of Power, halved if
// Excused. If Disguised, it is then raised by a tenth and 0.1.
type Evidence struct {
	Weight      float64   `json:"weight"`               // of the rule
	Field       float64   `json:"field,omitzero"`       // factor of the speaker
	Mention     float64   `json:"mention,omitzero"`     // factor for prose about attacks
	Doubt       float64   `json:"doubt,omitzero"`       // factor if the model finds nothing
	Probability float64   `json:"probability,omitzero"` // the model's
	Power       float64   `json:"power,omitzero"`       // exponent for the speaker
	Excused     bool      `json:"excused,omitzero"`     // rules excused all their matches there
	Features    []Feature `json:"features,omitzero"`    // strongest evidence of the model
	Disguised   bool      `json:"disguised,omitzero"`   // found only in a reading
}

// A Feature is evidence of the model: a part of the text and its contribution relative to the
// others.
type Feature struct {
	Excerpt string  `json:"excerpt"`
	Weight  float64 `json:"weight"`
}

// A Verdict is the judgement of one text.
type Verdict struct {
	Score   float64 // 0 to 1: [Weigh] of the findings
	Flagged bool    // Score has reached Threshold
	// Threshold is the limit for Score.
	Threshold float64
	// Findings are sorted by offset. A single finding may weigh too little to flag the text.
	Findings []Finding
}

// A Scanner finds text that tries to instruct the agent that reads it. Implementations are safe for
// concurrent use.
type Scanner interface {
	// Scan judges a text of a field. Its only error is the context's.
	Scan(ctx context.Context, field Field, text string) (Verdict, error)
	// Rules returns every rule that Scan can report. The caller owns the slice.
	Rules() []Rule
}

// DefaultThreshold is the default minimum score of a flagged text.
const DefaultThreshold = 0.5

// Options configure a scanner. The zero value means the built-in rules and thresholds.
type Options struct {
	// Rules are the scanner's rules; nil means the built-in ones.
	Rules *RuleSet
	// Threshold is the minimum score of a flagged text, above 0 and up to 1; 0 means
	// [DefaultThreshold].
	Threshold float64
	// ByField has thresholds of single fields, which override Threshold.
	ByField map[Field]float64
}

// threshold returns the minimum score of a flagged text in a field.
func (o Options) threshold(field Field) float64 {
	if t, ok := o.ByField[field]; ok {
		return t
	}
	return o.Threshold
}

// New returns a scanner. All initialisation is deferred to its first use.
func New(options Options) Scanner {
	if options.Threshold == 0 {
		options.Threshold = DefaultThreshold
	}
	return scanner{options, model.Score}
}
