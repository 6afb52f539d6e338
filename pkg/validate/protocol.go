package validate

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/secrets"
)

// What stands before the ids of each system's rules, so that they are told apart.
const (
	sw4rmPrefix  = "sw4rm/"
	macpPrefix   = "macp/"
	openaiPrefix = "openai/"
)

// checkProtocol applies the rules of a format that its schema cannot say; the
// canonical format has none. What a message carries is bounded by limits.
func checkProtocol(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) []Finding {
	var findings []Finding
	add := func(id, message string, reason Reason, warning bool, pointer string, at jsonstream.Position) {
		finding := Finding{Layer: Protocol, Reason: reason, Severity: severityOf(warning), Keyword: id, Message: message}
		for len(pointer) > longestPointer || len(secrets.Find(pointer)) > 0 {
			pointer = pointer[:strings.LastIndexByte(pointer, '/')] // as Finding.on does
		}
		findings = append(findings, finding.at(pointer, at))
	}
	switch f {
	case format.SW4RMContext, format.SW4RMRequest, format.SW4RMResponse:
		for _, p := range sw4rm.Check(doc, f, limits) {
			add(sw4rmPrefix+p.Rule, p.Message, InvalidArgument, p.Warning, p.Pointer, p.Position)
		}
	case format.MACP:
		if macp.IsFixture(doc.Root()) {
			break // the schema layer says so
		}
		for _, p := range macp.Check(doc, macp.Options{}) {
			add(macpID(p.Rule), macpMessage(p), Reason(p.Code), false, p.Pointer, p.Position)
		}
	case format.OpenAI:
		for _, p := range openai.Check(doc, openai.CheckOptions{}) {
			add(openaiPrefix+p.Rule, p.Message, InvalidRequest, p.Warning, p.Pointer, p.Position)
		}
	}
	return findings[:min(len(findings), mostFindings)]
}

// macpShape is the rule of MACP that has no number: what the schema says, and what an
// envelope needs beside it.
const macpShape = macpPrefix + "shape"

func macpID(number int) string {
	if number == 0 {
		return macpShape
	}
	return macpPrefix + strconv.Itoa(number)
}

func macpMessage(v macp.Violation) string {
	if v.Rule == 0 {
		return v.Message()
	}
	return fmt.Sprintf("rule %d: %s", v.Rule, v.Message())
}

// macpReasons are the codes of MACP's registry that its rules give.
var macpReasons = []Reason{
	Reason(macp.UnsupportedVersion), Reason(macp.ModeNotSupported), Reason(macp.UnknownPolicyVersion), Reason(macp.SessionAlreadyExists),
	Reason(macp.SessionNotOpen), Reason(macp.DuplicateMessage), Reason(macp.InvalidEnvelope), Reason(macp.Forbidden),
}

func severityOf(warning bool) Severity {
	if warning {
		return Warning
	}
	return Error
}

// protocolRules are the rules of all other systems.
var protocolRules = sync.OnceValue(func() []Rule {
	var rules []Rule
	for _, r := range sw4rm.Rules() {
		rules = append(rules, Rule{
			ID: sw4rmPrefix + r.ID, Reason: InvalidArgument, Severity: severityOf(r.Warning),
			Summary: r.Summary, Why: r.Why, Bad: r.Bad, Good: r.Good,
		})
	}
	rules = append(rules, Rule{
		ID: macpShape, Reason: Reason(macp.InvalidEnvelope), Severity: Error,
		Summary: "A transcript, a message or its payload is not made as the protocol says.",
		Why:     "A runtime refuses what it cannot read. Most of it the schema finds before; the rules with a number are about what a message does in its session.",
	})
	for _, r := range macp.Rules() {
		rules = append(rules, Rule{
			ID: macpID(r.Number), Reason: Reason(r.Codes[0]), Severity: Error,
			Summary: r.Summary, Why: r.Why, Bad: r.Bad, Good: r.Good,
		})
	}
	for _, r := range openai.Rules() {
		rules = append(rules, Rule{
			ID: openaiPrefix + r.ID, Reason: InvalidRequest, Severity: severityOf(r.Warning),
			Summary: r.Summary, Why: r.Why, Bad: r.Bad, Good: r.Good,
		})
	}
	for i := range rules {
		rules[i].Layer, rules[i].Whole = Protocol, true
	}
	return rules
})
