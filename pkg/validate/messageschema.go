package validate

import (
	"fmt"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/schema"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

// messageMembers are the names of the members that the canonical schema knows.
var messageMembers = sync.OnceValue(func() *shape {
	root := schemaOf(format.EAAPL).documents[schemas.Base+schemas.Message].Root()
	return newShape(root, root)
})

// checkMessageSchema is the schema layer of section 6.1. run is that of the schema over
// the message, nil if there was none.
func checkMessageSchema(root jsonstream.Value, receiver *Receiver, run *schema.Run) []finding.Finding {
	version := root.Get("schemaVersion")
	if major, minor, ok := strings.Cut(version.Text(), "."); ok && isWhole(major) && isWhole(minor) {
		if problem := versionProblem(major, version.Text(), receiver); problem != "" {
			// What else the schema says need not hold for that version.
			return []finding.Finding{schemaFinding("schema-version", problem).On(version)}
		}
	}
	findings := schemaOf(format.EAAPL).check(root, run)
	if version.Text() == message.SchemaVersion && (run == nil || run.Unnamed()) {
		findings = append(findings, messageMembers().unknown(root, findings)...)
	}
	return findings[:min(len(findings), mostFindings)]
}

// isWhole reports whether s is a whole number without leading zeros.
func isWhole(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == "" && (s[0] != '0' || s == "0")
}

func versionProblem(major, version string, receiver *Receiver) string {
	ours, _, _ := strings.Cut(message.SchemaVersion, ".")
	if major != ours {
		return fmt.Sprintf("the message has schema version %s and this receiver reads %s.x: use a receiver for %s, or migrate the message",
			finding.Shorten(version), ours, finding.Shorten(version))
	}
	if receiver == nil || receiver.SchemaVersions == nil {
		return ""
	}
	v, err := semver.NewVersion(version + ".0")
	if err != nil || !receiver.SchemaVersions.Check(v) {
		return fmt.Sprintf("the message has schema version %s and the receiver reads %s", finding.Shorten(version), receiver.SchemaVersions)
	}
	return ""
}

// A shape is what a schema says of the names of members: nil where any are
// welcome.
type shape struct {
	names   []string // in the schema's order
	members map[string]*shape
	items   *shape
}

// newShape reads the shape from a schema; references stay within its document.
func newShape(document, schema jsonstream.Value) *shape {
	if ref, ok := strings.CutPrefix(schema.Get("$ref").Text(), "#"); ok {
		return newShape(document, document.At(ref))
	}
	if schema.Get("additionalProperties").Exists() {
		return nil
	}
	s := &shape{}
	if items := schema.Get("items"); items.Exists() {
		s.items = newShape(document, items)
	}
	if properties := schema.Get("properties"); properties.Exists() {
		s.members = map[string]*shape{}
		for name, property := range properties.Members() {
			s.names = append(s.names, name)
			s.members[name] = newShape(document, property)
		}
	}
	return s
}

// unknown warns of members that the schema does not name, except for those that
// errors speak of already.
func (s *shape) unknown(v jsonstream.Value, errors []finding.Finding) []finding.Finding {
	explained := map[string]bool{}
	for _, e := range errors {
		if e.Rule == schemaPrefix+"required" {
			explained[e.Pointer] = true
		}
	}
	var findings []finding.Finding
	s.walk(v, func(member jsonstream.Value, known []string) bool {
		f := schemaFinding("unknown-member", unknownProblem(member.Name(), known)).OnName(member)
		f.Severity = finding.Warning
		if !explained[f.Pointer] || f.Pointer == "" {
			findings = append(findings, f)
		}
		return len(findings) < mostFindings
	})
	return findings
}

// walk calls report for every unknown member, until it returns false.
func (s *shape) walk(v jsonstream.Value, report func(member jsonstream.Value, known []string) bool) bool {
	if s == nil {
		return true
	}
	if s.items != nil {
		for _, element := range v.Elements() {
			if !s.items.walk(element, report) {
				return false
			}
		}
	}
	if s.members == nil {
		return true
	}
	for name, member := range v.Members() {
		inner, known := s.members[name]
		if known && !inner.walk(member, report) || !known && !report(member, s.names) {
			return false
		}
	}
	return true
}
