package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

const homePage = "https://github.com/eaapl/handoff"

// A sarifReporter writes a SARIF 2.1.0 log. Results are written immediately, and the rules that they refer to
// after them: the members of an object have no order.
type sarifReporter struct {
	w             io.Writer
	version       string
	directory     string         // of the run, "" if unknown
	notifications []object       // of the run: unreadable sources, and omissions
	failed        bool           // a source could not be read
	rules         []object       // that results refer to
	ruleIndex     map[string]int // by ID
	results       int
	omitted       int   // number of omitted findings
	maxFindings   int   // --max-findings
	err           error // sticky: the log is truncated
}

// An object is a JSON object, whose members are written in the order of their names.
type object map[string]any

func newSARIF(w io.Writer, version string) Printer {
	directory, _ := os.Getwd()
	return &sarifReporter{w: VisibleJSON{w}, version: version, directory: directory, notifications: []object{}, rules: []object{}, ruleIndex: map[string]int{}}
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

func (s *sarifReporter) Unreadable(u Unread) error {
	s.failed = true
	s.notifications = append(s.notifications, object{
		"level":     "error",
		"message":   sarifText("could not be read: " + term.Visible(u.problem())),
		"locations": []object{{"physicalLocation": object{"artifactLocation": object{"uri": sarifURI(s.directory, u.Source)}}}},
	})
	return s.err
}

func sarifText(text string) object { return object{"text": text} }

// sarifHead is the part before the first result.
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

// run returns the run without its results.
func (s *sarifReporter) run() object {
	return object{
		"automationDetails": object{"id": "handoff/"}, // the category of GitHub's code scanning
		"columnKind":        "unicodeCodePoints",
		"language":          "en-US",
		"newlineSequences":  []string{"\r\n", "\n"},
		"invocations":       []object{{"executionSuccessful": !s.failed, "toolExecutionNotifications": s.notifications}},
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
	physical := object{"artifactLocation": object{"uri": sarifURI(s.directory, r.Source)}}
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
		"partialFingerprints": object{"primaryLocationLineHash": fingerprint(r, f)},
	}
}

// fingerprint identifies a finding across runs, even if its line changes: messages are written on one line or
// many. GitHub compares no other name than primaryLocationLineHash. Without it, GitHub's action for uploads adds
// the hash of the line, which is the same for all findings of a message on one line.
func fingerprint(r *Record, f finding.Finding) string {
	message := r.ID
	if message == "" {
		message = strconv.Itoa(r.Index)
	}
	hash := sha256.Sum256([]byte(strings.Join([]string{f.Rule, message, f.Pointer, f.Message}, "\x00")))
	return hex.EncodeToString(hash[:16])
}

// rule returns the index of a rule, which it adds if necessary.
func (s *sarifReporter) rule(id string) int {
	if i, ok := s.ruleIndex[id]; ok {
		return i
	}
	name := finding.Rule{ID: id}.Name()
	rule := object{"id": id, "name": name, "shortDescription": sarifText(name), "fullDescription": sarifText(name), "help": sarifText(name)}
	if known, err := finding.Find(Rules(), id); err == nil {
		help := known.Why
		if known.Bad != "" {
			help += "\n\n\"handoff explain " + id + "\" shows examples."
		}
		rule["shortDescription"] = sarifText(known.Summary)
		rule["fullDescription"] = sarifText(known.Summary + " " + known.Why)
		rule["help"] = sarifText(help)
		rule["helpUri"] = homePage + "/blob/main/docs/rules.md#" + strings.ReplaceAll(id, "/", "")
		rule["defaultConfiguration"] = object{"level": sarifLevel(known.Severity)}
		rule["properties"] = object{"tags": []string{string(known.Layer)}}
	}
	s.rules = append(s.rules, rule)
	s.ruleIndex[id] = len(s.rules) - 1
	return len(s.rules) - 1
}

// sarifLevel returns the level for a severity.
func sarifLevel(severity finding.Severity) string {
	if severity == finding.Off {
		return "none"
	}
	return string(severity)
}

// sarifURI returns a file name as a reference relative to the directory of the run, as SARIF viewers expect,
// or as a file URI for an absolute name elsewhere.
func sarifURI(directory, source string) string {
	if filepath.IsAbs(source) {
		if inside, err := filepath.Rel(directory, source); err == nil && filepath.IsLocal(inside) {
			source = inside
		}
	}
	u := url.URL{Path: filepath.ToSlash(source)}
	if filepath.IsAbs(source) {
		u.Scheme = "file"
		u.Path = "/" + strings.TrimPrefix(u.Path, "/") // a drive letter has no slash before it
	}
	return u.String()
}
