package chain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
)

// String returns SOURCE:LINE.
func (p Place) String() string { return p.Source + ":" + strconv.Itoa(p.Line) }

// severityOf returns the severity of a rule.
func (c *Checker) severityOf(rule string) finding.Severity {
	return finding.Wanted(c.rules[c.ruleIndex[rule]].Severity, rule, c.o.Severities, c.o.Strict)
}

// report adds a finding to a node, unless the rule is off.
func (c *Checker) report(rule string, n *Node, at target, text string) {
	c.reportAs(c.severityOf(rule), rule, n, at, text)
}

func (c *Checker) reportAs(s finding.Severity, rule string, n *Node, at target, text string) {
	if s != finding.Off {
		f := finding.Finding{Layer: finding.Chain, Severity: s, Rule: rule, Message: text}
		n.Findings = append(n.Findings, f.At(at.pointer, n.position(at.spot)))
	}
}

// reportCopies reports that a message was delivered more than once. That is normal for queues,
// so it is a note by default.
func (c *Checker) reportCopies(n *Node, copies []*Message) {
	severity := c.severityOf("chain/duplicate-id")
	if _, chosen := c.o.Severities["chain/duplicate-id"]; !chosen {
		severity = finding.Note
	}
	places := make([]string, 0, maxListed)
	for _, m := range copies[:min(len(copies), maxListed)] {
		places = append(places, m.Place.String())
	}
	c.reportAs(severity, "chain/duplicate-id", n, n.at(handoffID), fmt.Sprintf(
		"the message occurs %d times with the same content: also at %s; the copies are ignored", len(copies)+1, listed(places, len(copies))))
}

// sortFindings sorts by place, then in the order of the rules.
func (c *Checker) sortFindings(findings []finding.Finding) {
	slices.SortStableFunc(findings, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(c.ruleIndex[a.Rule], c.ruleIndex[b.Rule]))
	})
}

// maxListed is the maximum number of names in one finding.
const maxListed = 4

// listed returns some of count names.
func listed(names []string, count int) string {
	var b strings.Builder
	for i, name := range names[:min(len(names), maxListed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(finding.Quote(name))
	}
	if more := count - min(len(names), maxListed); more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
