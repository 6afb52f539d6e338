package validate

// A Rule documents one Keyword of findings.
type Rule struct {
	ID       string
	Layer    Layer
	Reason   Reason
	Severity Severity
	Summary  string // what it finds: one sentence
	Why      string // why it matters to a receiver: one or two sentences
	// Bad breaks the rule and Good keeps it: JSON objects whose members stand
	// in for those of the example message, or if Whole, whole documents.
	Bad, Good string
	Whole     bool
	// Receiver is the receiver profile, as JSON, that the examples need; "" for
	// none.
	Receiver string
}
