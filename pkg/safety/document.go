package safety

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Report is the verdict on all texts of a document.
type Report struct {
	Score    float64 // of the worst text
	Flagged  bool    // some text is flagged
	Findings []PlacedFinding
}

// A PlacedFinding is a finding in a text of a document.
type PlacedFinding struct {
	Finding
	// Value is the string, or the member whose name is the text. It is absent for a text without a
	// document.
	Value jsonstream.Value
	// Holder is the base64 string that contains the text, or the document of Value; absent for the
	// message's own texts.
	Holder jsonstream.Value
	InName bool
	Field  Field // the speaker
	// Flagged reports that the text is flagged by the findings that are not allowed.
	Flagged bool
	// Allowed is the allowance that excludes the finding from the score, "" if none does.
	Allowed string
	// With are the weaker findings in the same sentence of a flagged text and the model's finding,
	// which also count for its score.
	With []Finding
}

// Pointer returns the JSON Pointer of the text, appended to that of the string that holds it, if
// any.
func (f PlacedFinding) Pointer() string { return f.Holder.Pointer() + f.Value.Pointer() }

// Position returns the position of the finding in the original text, or of the string that holds it
// if encoded.
func (f PlacedFinding) Position() jsonstream.Position {
	switch {
	case f.Holder.Exists():
		return f.Holder.Position()
	case f.InName:
		return f.Value.NamePosition()
	default:
		return f.Value.PositionIn(f.Offset)
	}
}

// ScanMessage is [ScanDocument] for a message in a format. It also scans the base64 content of
// carriers (see [history.Carriers]): JSON as a document, other text as text. Strings with other
// content, and all strings of messages in other formats, are scanned as written.
//
// The origins in a canonical message (extensions.provenance) can make the scanner stricter for
// their values, never more lenient. A canonical message inside a message of another format is data,
// regardless of the speaker of the turn that contains it.
//
// Model input, in OpenAI's format or as JSON of no format, may contain the data of another agent in
// a section with a label at the beginning of a user's turn (see [conversation.ContextLabel]). This
// one copy of the label is not a finding; every other copy is.
func ScanMessage(ctx context.Context, scanner Scanner, root jsonstream.Value, f format.Format, allow []Allowance) (Report, error) {
	d := documentScan{ctx: ctx, scanner: scanner, allow: allow, sections: formats.Named(f).Sections || f == ""}
	for _, v := range history.Carriers(root, f) {
		if d.carriers == nil {
			d.carriers = map[jsonstream.Value]bool{}
		}
		d.carriers[v] = true
	}
	if f == format.EAAPL {
		d.origins = readOrigins(root)
	}
	if handoffs := formats.Named(f).Handoffs; handoffs != nil {
		d.origins = ofHandoffs(handoffs(root))
	}
	err := d.document(root, Data)
	return d.report, err
}

// ScanDocument scans every string and every member name in root. Their field depends on the nearest
// enclosing object with a role, or with a type that implies one. Everything in a tool's result has
// the tool's field, whatever its roles. Findings are in document order, one per sentence, at most
// 1000 in flagged texts and 1000 others. Allowed findings are reported but do not count. The only
// error is the scanner's.
func ScanDocument(ctx context.Context, scanner Scanner, root jsonstream.Value, allow []Allowance) (Report, error) {
	var above []jsonstream.Value
	for v := root.Parent(); v.Exists(); v = v.Parent() {
		above = append(above, v)
	}
	field := Data
	for i := len(above) - 1; i >= 0; i-- {
		field = fieldWithin(above[i], field)
	}
	d := documentScan{ctx: ctx, scanner: scanner, allow: allow, sections: true}
	err := d.document(root, field)
	return d.report, err
}

// maxFindings is the maximum number of findings in flagged texts, and of other findings, in a
// report. It keeps hostile documents from filling memory with findings.
const maxFindings = 1000

type documentScan struct {
	ctx     context.Context
	scanner Scanner
	allow   []Allowance
	report  Report
	flagged int // findings in flagged texts
	others  int // all other findings, including those beyond the maximum

	sieve *sieve // finds the parts of the text to scan; nil means all

	sections bool                      // a user's turn may be a labelled section of data
	carriers map[jsonstream.Value]bool // base64 strings to decode
	holder   jsonstream.Value          // the carrier being scanned
	origins  origins
}

// document scans root: its name, if any, and its contents.
func (d *documentScan) document(root jsonstream.Value, field Field) error {
	if err := d.name(root, field); err != nil {
		return err
	}
	own, ok := d.scanner.(scanner)
	if !ok {
		return d.value(root, field)
	}
	if err := d.ctx.Err(); err != nil {
		return err
	}
	if kind := root.Kind(); kind != jsonstream.Object && kind != jsonstream.Array {
		return d.value(root, field)
	}
	if len(root.Raw()) >= longDocument {
		return d.inParts(root, field)
	}
	outer := d.sieve
	d.sieve = own.set().newSieve(root)
	err := d.value(root, field)
	own.set().sieves.Put(d.sieve)
	d.sieve = outer
	return err
}

// name scans the name of v, if any.
func (d *documentScan) name(v jsonstream.Value, field Field) error {
	if name := v.Name(); name != "" {
		return d.text(v, name, true, field)
	}
	return nil
}

// suspicion returns the suspicion of a part of the text.
func (d *documentScan) suspicion(part []byte) suspicion {
	if d.sieve == nil {
		return mayMatch | mayHide
	}
	return d.sieve.suspicion(part)
}

// value scans a value.
func (d *documentScan) value(v jsonstream.Value, field Field) error {
	field = d.origins.within(v, field)
	if d.carriers[v] {
		return d.carrier(v, field)
	}
	if d.carriers == nil && d.suspicion(v.Raw()) == harmless {
		return nil
	}
	switch v.Kind() {
	case jsonstream.String:
		return d.written(v, v.Raw(), false, field)
	case jsonstream.Object:
		field = fieldWithin(v, field)
		for _, member := range v.Members() {
			if err := d.written(member, member.RawName(), true, field); err != nil {
				return err
			}
			if err := d.value(member, field); err != nil {
				return err
			}
		}
	case jsonstream.Array:
		for _, element := range v.Elements() {
			if err := d.value(element, field); err != nil {
				return err
			}
		}
	}
	return nil
}

// written scans the text or the name of v, whose raw spelling is raw, unless the sieve excludes it.
func (d *documentScan) written(v jsonstream.Value, raw []byte, inName bool, field Field) error {
	what := d.suspicion(raw)
	if what == harmless {
		return nil
	}
	text := v.Name
	if !inName {
		text = v.Text
	}
	return d.suspect(v, text(), inName, field, what)
}

// carrier scans the content of a base64 string.
func (d *documentScan) carrier(v jsonstream.Value, field Field) error {
	text, err := history.DecodeBytes(v)
	if err != nil || !utf8.Valid(text) {
		return d.text(v, v.Text(), false, field)
	}
	d.holder = v
	defer func() { d.holder = jsonstream.Value{} }()
	inside, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return d.text(jsonstream.Value{}, string(text), false, field)
	}
	return d.document(inside.Root(), field)
}

// text scans a text or name that no sieve has seen.
func (d *documentScan) text(v jsonstream.Value, text string, inName bool, field Field) error {
	return d.suspect(v, text, inName, field, mayMatch|mayHide)
}

// suspect scans a text or name with a suspicion.
func (d *documentScan) suspect(v jsonstream.Value, text string, inName bool, field Field, what suspicion) error {
	label := 0
	if d.sections && !inName && strings.HasPrefix(text, conversation.ContextLabel+"\n") && isSection(v, field) {
		label = len(conversation.ContextLabel)
	}
	verdict, err := d.verdict(field, text[label:], what)
	if err != nil || len(verdict.Findings) == 0 {
		return err
	}
	var tokens []string
	if len(d.allow) > 0 {
		tokens, _ = jsonstream.SplitPointer(d.holder.Pointer() + v.Pointer())
	}
	var placed []PlacedFinding
	var counted []Finding
	for _, f := range verdict.Findings {
		f.Offset += label
		p := PlacedFinding{Finding: f, Value: v, Holder: d.holder, InName: inName, Field: field}
		for _, a := range d.allow {
			if a.allows(f.Rule, tokens) {
				p.Allowed = a.String()
				break
			}
		}
		if p.Allowed == "" {
			counted = append(counted, f)
		}
		placed = append(placed, p)
	}
	if len(counted) < len(verdict.Findings) {
		verdict.Score = Weigh(counted)
		verdict.Flagged = verdict.Score >= verdict.Threshold
	}
	for i, p := range placed {
		placed[i].Flagged = verdict.Flagged && p.Allowed == ""
	}
	for _, p := range bySentence(text, placed) {
		d.add(p)
	}
	d.report.Score = max(d.report.Score, verdict.Score)
	d.report.Flagged = d.report.Flagged || verdict.Flagged
	return nil
}

// verdict returns the scanner's verdict, or the known one.
func (d *documentScan) verdict(field Field, text string, what suspicion) (Verdict, error) {
	own, ok := d.scanner.(scanner)
	if !ok || d.sieve == nil {
		return d.scanner.Scan(d.ctx, field, text)
	}
	digest := digestIn(text, field)
	if found, ok := d.sieve.known.verdict(digest); ok {
		found.Threshold = own.options.threshold(field)
		found.Flagged = found.Score >= found.Threshold
		return found, nil
	}
	found, err := own.scan(d.ctx, field, text, what)
	if err == nil {
		d.sieve.known.keep(digest, found)
	}
	return found, err
}

// add reports a finding unless the maximum is reached.
func (d *documentScan) add(f PlacedFinding) {
	count := &d.others
	if f.Flagged {
		count = &d.flagged
	}
	if *count++; *count <= maxFindings {
		d.report.Findings = append(d.report.Findings, f)
	}
}

// isSection reports whether a string is at the place of a section's label: the beginning of a
// user's turn. In LangChain's format, user turns without a role are data.
func isSection(v jsonstream.Value, field Field) bool {
	if field != User && field != Data {
		return false
	}
	for above := v.Parent(); above.Exists(); above = above.Parent() {
		if conversation.Role(above) == "user" {
			return conversation.Section(above) == v
		}
	}
	return false
}

// fieldWithin returns the field inside v, given the field outside it.
func fieldWithin(v jsonstream.Value, outside Field) Field {
	if v.Kind() != jsonstream.Object || outside == Tool {
		return outside
	}
	// A result in a user's turn is the tool's: its type has precedence over a role.
	kind := v.Get("type").Text()
	t := conversation.TypeNamed(kind)
	switch {
	case t != nil && t.Kind == conversation.Result, strings.HasSuffix(kind, "tool_result"), strings.HasSuffix(kind, "_call_output"), kind == "tool":
		return Tool
	case t != nil && t.Kind == conversation.Call, strings.HasSuffix(kind, "_call"), strings.HasSuffix(kind, "tool_use"):
		return Agent
	}
	switch v.Get("part_kind").Text() { // Pydantic AI
	case "user-prompt":
		return User
	case "system-prompt":
		return System
	case "tool-return", "builtin-tool-return", "retry-prompt":
		return Tool
	}
	switch v.Get("role").Text() {
	case "tool", "function":
		return Tool
	case "user", "human":
		return User
	case "assistant", "agent", "model", "ai":
		return Agent
	case "system", "developer":
		return System
	}
	return outside
}
