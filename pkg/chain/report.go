package chain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/secrets"
)

// String returns SOURCE:LINE.
func (p Place) String() string { return p.Source + ":" + strconv.Itoa(p.Line) }

// severityOf returns how much a rule counts.
func (c *Checker) severityOf(rule string) Severity {
	if s, ok := c.o.Severities[rule]; ok {
		return s
	}
	return c.rules[c.ruleIndex[rule]].Severity
}

// report adds a finding to a node, unless the rule is off.
func (c *Checker) report(rule string, n *Node, at target, text string) {
	c.reportAs(c.severityOf(rule), rule, n, at, text)
}

func (c *Checker) reportAs(s Severity, rule string, n *Node, at target, text string) {
	if s != Off {
		n.Findings = append(n.Findings, Finding{rule, s, text, at.pointer, n.position(at.spot)})
	}
}

// reportCopies reports that a message was delivered more than once. Queues do that, and
// nothing is broken, so that it is a note unless the user wants something else.
func (c *Checker) reportCopies(n *Node, copies []*Message) {
	severity := c.severityOf("duplicate-id")
	if _, chosen := c.o.Severities["duplicate-id"]; !chosen {
		severity = Note
	}
	places := make([]string, 0, mostListed)
	for _, m := range copies[:min(len(copies), mostListed)] {
		places = append(places, m.Place.String())
	}
	c.reportAs(severity, "duplicate-id", n, n.at(handoffID), fmt.Sprintf(
		"the message is there %d times, the same each time: also at %s; its copies are left out", len(copies)+1, listed(places, len(copies))))
}

// sortFindings sorts by place, then in the order of the rules.
func (c *Checker) sortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Position.Offset, b.Position.Offset), cmp.Compare(c.ruleIndex[a.Rule], c.ruleIndex[b.Rule]))
	})
}

const (
	mostListed = 4  // names in one finding
	mostQuoted = 60 // bytes of a name

	mostSearched = 4 << 10 // bytes of a name that is looked through for credentials
)

// quote returns a text from a message as a finding shows it: short, and without the
// credentials in it.
func quote(text string) string {
	text = secrets.Hide(text[:min(len(text), mostSearched)])
	if len(text) > mostQuoted {
		cut := mostQuoted
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return strconv.Quote(text)
}

// listed returns some of count names.
func listed(names []string, count int) string {
	var b strings.Builder
	for i, name := range names[:min(len(names), mostListed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(name))
	}
	if more := count - min(len(names), mostListed); more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
