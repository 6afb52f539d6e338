package validate

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// checkMessageSchema runs the schema layer of section 6.1.
func checkMessageSchema(root jsonstream.Value, o Options) []finding.Finding {
	version := root.Get("schemaVersion")
	if o.Versions != nil {
		return checkByVersion(root, version, o)
	}
	if major, minor, ok := strings.Cut(version.Text(), "."); ok && isWhole(major) && isWhole(minor) {
		if problem := versionProblem(major, version.Text(), o.Receiver); problem != "" {
			// Other findings of the schema may not apply to that version.
			return []finding.Finding{schemaFinding("schema-version", problem).On(version)}
		}
	}
	findings, unnamed := schemaOf(format.EAAPL).check(root)
	isKnown := version.Text() == message.SchemaVersion || version.Text() == message.EvidenceVersion
	if isKnown && unnamed { // a later version may define the members
		findings = append(findings, unknownMembers(root, findings)...)
	}
	return findings[:min(len(findings), maxFindings)]
}

// checkByVersion runs the schema layer with the schemas of a registry.
func checkByVersion(root, version jsonstream.Value, o Options) []finding.Finding {
	if version.Kind() != jsonstream.String {
		problem := "the schema version must be a string, such as \"2.0\""
		if !version.Exists() {
			return []finding.Finding{schemaFinding("schema-version", problem+": it is missing").On(root)}
		}
		return []finding.Finding{schemaFinding("schema-version", problem+": found "+finding.QuoteValue(version)).On(version)}
	}
	schema, problem := o.Versions(version.Text())
	if problem == "" {
		problem = receiverProblem(version.Text(), o.Receiver)
	}
	if problem != "" {
		return []finding.Finding{schemaFinding("schema-version", problem).On(version)}
	}
	return schema.Check(root)
}

// isWhole reports whether s is a whole number without leading zeros.
func isWhole(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == "" && (s[0] != '0' || s == "0")
}

func versionProblem(major, version string, receiver *Receiver) string {
	ours, _, _ := strings.Cut(message.SchemaVersion, ".")
	if major != ours {
		return fmt.Sprintf("the message has schema version %s, but this receiver reads %s.x: use a receiver for %s, or migrate the message",
			finding.Shorten(version), ours, finding.Shorten(version))
	}
	return receiverProblem(version, receiver)
}

// receiverProblem describes why a receiver cannot read a schema version, "" if it can.
func receiverProblem(version string, receiver *Receiver) string {
	if receiver == nil || receiver.schemaVersions == nil {
		return ""
	}
	v, err := semver.Parse(version + ".0")
	if err != nil || !receiver.schemaVersions.Contains(v) {
		return fmt.Sprintf("the message has schema version %s, but the receiver reads %s", finding.Shorten(version), receiver.schemaVersions)
	}
	return ""
}

// unknownMembers returns warnings about members that the canonical schema does not define, unless errors
// already reports them.
func unknownMembers(root jsonstream.Value, errors []finding.Finding) []finding.Finding {
	explained := map[string]bool{}
	for _, e := range errors {
		if e.Rule == schemaPrefix+"required" {
			explained[e.Pointer] = true
		}
	}
	program, err := schemaOf(format.EAAPL).program()
	if err != nil {
		return nil
	}
	var findings []finding.Finding
	program.Unnamed(root, func(member, schema jsonstream.Value) bool {
		problem, meant := unknownProblem(member.Name(), propertyNames(schema))
		if member.Parent() == root && meant == "" {
			problem += ": put it into extensions"
		}
		f := schemaFinding("unknown-member", problem).OnName(member)
		f.Severity, f.Meant = finding.Warning, meant
		if !explained[f.Pointer] || f.Pointer == "" {
			findings = append(findings, f)
		}
		return len(findings) < maxFindings
	})
	return findings
}
