package report

import (
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/eaapl/handoff/cmd/internal/remedy"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

const homePage = "https://github.com/eaapl/handoff"

// A sarifReporter writes a SARIF 2.1.0 log. The results go out as they come, and the rules
// they name come after them: members of an object have no order.
type sarifReporter struct {
	w             io.Writer
	version       string
	notifications []object       // of the run: what could not be read, and what is left out
	failed        bool           // a source could not be read
	rules         []object       // that results name
	ruleIndex     map[string]int // of their IDs
	results       int
	omitted       int   // findings that were left out
	maxFindings   int   // --max-findings
	err           error // sticky: the log is cut off
}

// An object is a JSON object, whose members are written in the order of their names.
type object map[string]any

func newSARIF(w io.Writer, version string) Printer {
	return &sarifReporter{w: VisibleJSON{w}, version: version, notifications: []object{}, rules: []object{}, ruleIndex: map[string]int{}}
}

func (s *sarifReporter) Report(r *Record) error {
	if r.Omitted > 0 {
		s.omitted += r.Omitted
		s.maxFindings = r.maxFindings
	}
	for _, f := range complaints(r) {
		separator := ",\n"
		if s.results == 0 {
			separator = sarifHead
		}
		s.results++
		s.write(separator)
		s.encode(s.result(r, f))
	}
	return s.err
}

func (s *sarifReporter) Unreadable(source string, cause error) error {
	s.failed = true
	s.notifications = append(s.notifications, object{
		"level":     "error",
		"message":   sarifText("could not be read: " + term.Visible(cause.Error()+remedy.Of(cause))),
		"locations": []object{{"physicalLocation": object{"artifactLocation": object{"uri": sarifURI(source)}}}},
	})
	return s.err
}

func sarifText(text string) object { return object{"text": text} }

// sarifHead is what comes before the first result.
const sarifHead = `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[` + "\n"

func (s *sarifReporter) Close() error {
	if s.results == 0 {
		s.write(sarifHead)
	}
	if s.omitted > 0 {
		s.notifications = append(s.notifications, object{
			"level": "warning", "message": sarifText(term.NotShown(s.omitted, "finding", s.maxFindings)),
		})
	}
	rest, err := json.Marshal(s.run())
	s.err = errors.Join(s.err, err)
	s.write("\n],\n")
	s.write(strings.TrimPrefix(string(WithoutSecrets(rest)), "{"))
	s.write("]}\n")
	return s.err
}

// run is all of the run but the results.
func (s *sarifReporter) run() object {
	return object{
		"columnKind":       "unicodeCodePoints",
		"language":         "en-US",
		"newlineSequences": []string{"\r\n", "\n"},
		"invocations":      []object{{"executionSuccessful": !s.failed, "toolExecutionNotifications": s.notifications}},
		"tool": object{"driver": object{
			"name": "handoff", "version": s.version, "informationUri": homePage, "language": "en-US", "rules": s.rules,
		}},
	}
}

func (s *sarifReporter) write(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, text)
	}
}

func (s *sarifReporter) encode(result object) {
	text, err := json.Marshal(result)
	if s.err == nil {
		s.err = err
	}
	s.write(string(WithoutSecrets(text)))
}

func (s *sarifReporter) result(r *Record, f finding.Finding) object {
	physical := object{"artifactLocation": object{"uri": sarifURI(r.Source)}}
	if f.Line > 0 {
		physical["region"] = object{"startLine": f.Line, "startColumn": f.Column}
	}
	location := object{"physicalLocation": physical}
	if f.Pointer != "" {
		name := f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]
		location["logicalLocations"] = []object{{"fullyQualifiedName": f.Pointer, "kind": "member", "name": name}}
	}
	properties := object{"pointer": f.Pointer, "index": r.Index}
	if r.ID != "" {
		properties["handoffId"] = r.ID
	}
	if f.Reason != "" {
		properties["reason"] = f.Reason
	}
	return object{
		"ruleId": f.Rule, "ruleIndex": s.rule(f.Rule), "level": f.Severity,
		"message": sarifText(term.Visible(f.PlacedMessage())), "locations": []object{location}, "properties": properties,
	}
}

// rule returns the index of a rule, adding it when it is new.
func (s *sarifReporter) rule(id string) int {
	if i, ok := s.ruleIndex[id]; ok {
		return i
	}
	rule := object{"id": id, "name": finding.Rule{ID: id}.Name()}
	if known, err := finding.Find(Rules(), id); err == nil {
		help := known.Why
		if known.Bad != "" {
			help += "\n\n\"handoff explain " + id + "\" shows examples."
		}
		rule["shortDescription"] = object{"text": known.Summary}
		rule["fullDescription"] = object{"text": known.Summary + " " + known.Why}
		rule["help"] = object{"text": help}
		rule["defaultConfiguration"] = object{"level": sarifLevel(known.Severity)}
	}
	s.rules = append(s.rules, rule)
	s.ruleIndex[id] = len(s.rules) - 1
	return len(s.rules) - 1
}

// sarifLevel is the level of a rule's severity.
func sarifLevel(severity finding.Severity) string {
	if severity == finding.Off {
		return "none"
	}
	return string(severity)
}

// sarifURI writes a file name as a relative reference, or as a file URI where
// it is absolute.
func sarifURI(source string) string {
	u := url.URL{Path: filepath.ToSlash(source)}
	if filepath.IsAbs(source) {
		u.Scheme = "file"
		u.Path = "/" + strings.TrimPrefix(u.Path, "/") // a drive letter has no slash before it
	}
	return u.String()
}
