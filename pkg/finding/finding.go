// Package finding defines the results of all checks of messages. A [Finding] is one fault, with its place
// and the [Rule] that is broken.
//
// A rule has one ID, LAYER/NAME, used in reports, in the configuration and in documents.
package finding

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Reason is a specification's code for rejecting a message.
type Reason string

// A Layer is one of the checks of a receiver, or another check that has findings.
type Layer string

// The layers of a receiver, in the order in which they run; Chain, for checks across the messages of a task;
// Claims, for checks of the claims of agents; and Receiver, for checks against the records of a receiver. Protocol has the rules of other systems that their schemas cannot express, and Provider the errors
// of the APIs of model providers about a history. The rule IDs of these two begin with the name of the
// system or provider. Privacy and Lint are not layers of the specification: their findings are warnings.
const (
	Signature    Layer = "signature"
	Schema       Layer = "schema"
	Protocol     Layer = "protocol"
	Provider     Layer = "provider"
	Completeness Layer = "completeness"
	Budget       Layer = "budget"
	Safety       Layer = "safety"
	Privacy      Layer = "privacy"
	Lint         Layer = "lint"
	Chain        Layer = "chain"
	Claims       Layer = "claims"
	Receiver     Layer = "receiver"
)

// A Severity is the importance of a finding.
type Severity string

// The severities. Off is the severity of a rule that is not checked; no finding has it.
const (
	Error   Severity = "error"   // the message is invalid, or the chain is broken
	Warning Severity = "warning" // likely a mistake
	Note    Severity = "note"    // worth knowing, or allowed explicitly
	Off     Severity = "off"
)

// Severities returns the severities, the highest first.
func Severities() []Severity { return []Severity{Error, Warning, Note, Off} }

// Wanted returns the severity of a finding: the one in byRule for its rule, or else own. If strict is set,
// warnings become errors.
func Wanted(own Severity, rule string, byRule map[string]Severity, strict bool) Severity {
	if severity, ok := byRule[rule]; ok {
		own = severity
	}
	if strict && own == Warning {
		return Error
	}
	return own
}

// A Finding is one fault of a message, and its place. Its texts never show a secret.
type Finding struct {
	Layer    Layer    `json:"layer"`
	Reason   Reason   `json:"reason"`
	Severity Severity `json:"severity"`
	Pointer  string   `json:"pointer"`        // JSON Pointer (RFC 6901), "" for the whole message
	Rule     string   `json:"rule"`           // the ID of a rule; "" if there is none
	Also     RuleIDs  `json:"also,omitzero"`  // other rules broken at the same place, if one finding is enough
	Score    float64  `json:"score,omitzero"` // of the evidence, 0 to 1; 0 if none is weighed
	Message  string   `json:"message"`        // the fault, the value found, the remedy: one line, without the place
	Found    string   `json:"found,omitzero"` // the part of Message about the value found, if known
	Fix      string   `json:"fix,omitzero"`   // the part of Message about the remedy, if known
	Line     int      `json:"line"`           // 1-based, in the original text; 0 for input that is not text
	Column   int      `json:"column"`         // 1-based, in characters
	Offset   int64    `json:"offset"`         // 0-based, in bytes
	// Words is the range of bytes in the text of the string at Pointer that the finding is about: start and
	// end, the end excluded; zero for the whole value.
	Words [2]int `json:"-"`
	// Missing is the name of a missing member that a schema requires; "" for other findings.
	Missing string `json:"-"`
	// Meant is the probable correct name of the member at Pointer, if it is misspelt and Message suggests a
	// correction.
	Meant string `json:"-"`
}

// RuleIDs are IDs of rules, as one value so that findings are comparable: see [JoinRules].
type RuleIDs string

// JoinRules joins IDs.
func JoinRules(ids []string) RuleIDs { return RuleIDs(strings.Join(ids, " ")) }

// MarshalJSON implements [json.Marshaler]: an array of strings.
func (r RuleIDs) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Fields(string(r))) }

// Rules returns the IDs of all rules of the finding.
func (f Finding) Rules() []string { return append([]string{f.Rule}, strings.Fields(string(f.Also))...) }

// At returns the finding with another place.
func (f Finding) At(pointer string, p jsonstream.Position) Finding {
	f.Pointer, f.Line, f.Column, f.Offset = pointer, p.Line, p.Column, p.Offset
	return f
}

// Position returns the place of the finding in the original text.
func (f Finding) Position() jsonstream.Position {
	return jsonstream.Position{Line: f.Line, Column: f.Column, Offset: f.Offset}
}

// PlacedMessage returns the message, prefixed with the pointer.
func (f Finding) PlacedMessage() string {
	if f.Pointer == "" {
		return f.Message
	}
	return f.Pointer + ": " + f.Message
}

// maxDetails is the maximum length of details, in bytes: quoted values can be as long as a message.
const maxDetails = 8 << 10

// Details returns the placed messages of findings as one line. Messages beyond its maximum length are only
// counted.
func Details(findings []Finding) string {
	var b strings.Builder
	length := 0
	for i, f := range findings {
		text := f.PlacedMessage()
		if i > 0 {
			b.WriteString("; ")
		} else if len(text) > maxDetails {
			text = strings.ToValidUTF8(text[:maxDetails], "") + "…"
		}
		if length += len(text); length > maxDetails && i > 0 {
			b.WriteString(fmt.Sprintf("and %d more", len(findings)-i)) // lets b stay off the heap
			break
		}
		b.WriteString(text)
	}
	return b.String()
}
