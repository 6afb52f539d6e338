package validate

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A lintContext is the input of lint rules. The message may have any shape.
type lintContext struct {
	root     jsonstream.Value
	format   format.Format
	receiver *Receiver // may be nil
	now      time.Time
}

// A lintRule reports findings until the linter reaches its limit.
type lintRule struct {
	finding.Rule
	general bool // applies to all formats, not only to the canonical one
	turns   bool // checks only the turns, in any format
	check   func(*linter)
}

// maxPerRule is the maximum number of findings per rule, so that one rule does not crowd out the others.
const maxPerRule = maxFindings / 10

// A linter applies the rules to one message. It reads values shared by several rules once.
type linter struct {
	lintContext
	members lintMembers
	history lintHistory
	done    map[string]jsonstream.Value // scratch of subtaskDoneAndLeft

	rule     *lintRule // the current rule
	left     int       // findings that the rule may still add
	findings []finding.Finding
}

// lintMembers are the members of a canonical message that rules check; absent if the message lacks them.
type lintMembers struct {
	timestamp, completedSubtasks, remainingSubtasks, constraints, verbatim, toolCalls jsonstream.Value

	sent   time.Time // the timestamp
	isSent bool      // sent is valid
}

var linters = sync.Pool{New: func() any {
	return &linter{done: map[string]jsonstream.Value{}, history: lintHistory{calls: map[string]int{}, ids: map[turnID]int{}}}
}}

// lint applies the lint rules for the format, in the order of lintRules.
func lint(c lintContext) []finding.Finding {
	l := linters.Get().(*linter)
	l.lintContext = c
	if c.format == format.EAAPL {
		l.members = readMembers(c.root)
		l.history.read(l.members.verbatim)
	}
	rules := lintRules()
	for i := range rules {
		if r := &rules[i]; r.general || c.format == format.EAAPL {
			l.rule, l.left = r, maxPerRule
			r.check(l)
		}
	}
	findings := l.findings
	if len(c.root.Raw()) <= maxPooled {
		l.forget()
		linters.Put(l)
	}
	return findings
}

// maxPooled is the maximum length of a message whose linter is reused: clearing a map takes time
// proportional to its largest size so far.
const maxPooled = 64 << 10

// forget drops all references to the message.
func (l *linter) forget() {
	l.history.forget()
	clear(l.done)
	*l = linter{history: l.history, done: l.done}
}

func readMembers(root jsonstream.Value) (m lintMembers) {
	for name, v := range root.Members() {
		switch name {
		case "timestamp":
			m.timestamp = v
			m.sent, _, m.isSent = iso8601.Parse(v.Text())
		case "completedSubtasks":
			m.completedSubtasks = v
		case "remainingSubtasks":
			m.remainingSubtasks = v
		case "constraints":
			m.constraints = v
		case "conversationHistoryVerbatim":
			m.verbatim = v
		case "toolCallHistory":
			m.toolCalls = v
		}
	}
	return m
}

// add adds a finding with a place and a message. It returns false once the rule has reached its limit.
func (l *linter) add(f finding.Finding) bool {
	f.Layer, f.Reason, f.Severity, f.Rule = l.rule.Layer, l.rule.Reason, l.rule.Severity, l.rule.ID
	l.findings = append(l.findings, f)
	l.left--
	return l.left > 0
}

// report adds a finding at a value, as add does.
func (l *linter) report(at jsonstream.Value, format string, args ...any) bool {
	return l.add(lintFinding(at, format, args...))
}

func lintFinding(at jsonstream.Value, format string, args ...any) finding.Finding {
	return finding.Finding{Message: fmt.Sprintf(format, args...)}.On(at)
}

// futureTolerance is the tolerated difference between clocks.
const futureTolerance = 5 * time.Minute

func staleEvidence(l *linter) {
	has := false
	for _, subtask := range l.members.completedSubtasks.Elements() {
		has = has || subtask.Get("evidence").Exists()
	}
	if !has { // as in most messages, so that they cost nothing
		return
	}
	for pointer := range claims.StalePointers(l.root) {
		if !l.report(pointer, "%s does not name the call that the digest beside it is for: the call was changed, moved or removed; check the claim with handoff check-claims", finding.QuoteValue(pointer)) {
			return
		}
	}
}

func timestampInFuture(l *linter) {
	if m := &l.members; m.isSent && m.sent.After(l.now.Add(futureTolerance)) {
		l.report(m.timestamp, "the timestamp is in the future: %s ahead of this computer's clock; correct the wrong clock", span(l.now, m.sent))
	}
}

// timestampPrecision is the maximum loss from truncating a timestamp to whole seconds.
const timestampPrecision = time.Second

func completedAfterTimestamp(l *linter) {
	m := &l.members
	if !m.isSent {
		return
	}
	for _, subtask := range m.completedSubtasks.Elements() {
		at := subtask.Get("completedAt")
		t, _, ok := iso8601.Parse(at.Text())
		if ok && !t.Before(m.sent.Add(timestampPrecision)) &&
			!l.report(at, "completed after the message was created: %s after its timestamp; correct one of the two", span(m.sent, t)) {
			return
		}
	}
}

// span describes the time between two instants. It does not use time.Duration, whose maximum is 292 years.
func span(from, to time.Time) string {
	const day = 24 * 60 * 60
	seconds := to.Unix() - from.Unix()
	if seconds >= 2*day {
		return fmt.Sprintf("%d days", seconds/day)
	}
	return to.Sub(from).Round(time.Second).String()
}

func subtaskDoneAndLeft(l *linter) {
	for _, subtask := range l.members.completedSubtasks.Elements() {
		if id := subtask.Get("subtaskId").Text(); id != "" {
			l.done[id] = subtask
		}
	}
	for _, subtask := range l.members.remainingSubtasks.Elements() {
		id := subtask.Get("subtaskId")
		first, ok := l.done[id.Text()]
		if ok && !l.report(id, "the subtask is both completed and remaining: found %s also at %s; list it once", finding.QuoteValue(id), first.Pointer()) {
			return
		}
	}
}

func constraintForm(l *linter) {
	for _, constraint := range l.members.constraints.Elements() {
		if constraint.Kind() == jsonstream.String && !isNameValue(constraint.Text()) &&
			!l.report(constraint, "the constraint is not of the form name:value: found %s; write it like maxResponseTokens:2000", finding.QuoteValue(constraint)) {
			return
		}
	}
}

// isNameValue reports whether text begins with a name (letters, digits, "_", "." and "-", beginning with a
// letter or "_"), a colon, and a character that is not white space.
func isNameValue(text string) bool {
	name, value, _ := strings.Cut(text, ":")
	for i := range len(name) {
		c := name[i]
		letter := c|0x20-'a' < 26 || c == '_'
		if !letter && (i == 0 || c-'0' >= 10 && c != '.' && c != '-') {
			return false
		}
	}
	return name != "" && strings.TrimLeft(value, "\t\n\f\r ") != ""
}

// bytesPerToken is a common estimate for English text.
const bytesPerToken = 4

func contextWindow(l *linter) {
	if l.receiver == nil || l.receiver.ContextWindow <= 0 ||
		len(l.root.Raw())/bytesPerToken <= l.receiver.ContextWindow { // an upper bound of the estimate
		return
	}
	size := 0
	for v := range l.root.All() {
		switch v.Kind() {
		case jsonstream.String:
			size += len(v.Text())
		case jsonstream.Object, jsonstream.Array:
		default:
			size += len(v.Raw())
		}
		size += len(v.Name())
	}
	if tokens := size / bytesPerToken; tokens > l.receiver.ContextWindow {
		l.report(l.root, "the message is too long for the receiver's context window of %d tokens: found ≈ %d (an estimate: bytes of text / %d); compress the conversation history",
			l.receiver.ContextWindow, tokens, bytesPerToken)
	}
}

// notText are the members without text written by people or models.
var notText = map[string]bool{
	"schemaVersion": true, "handoffId": true, "taskId": true, "parentHandoffId": true,
	"timestamp": true, "traceparent": true, "signatureKeyId": true,
}

func lintSecrets(l *linter) {
	if secrets.MayHold(l.root.Raw()) {
		for name, member := range l.root.Members() {
			if !notText[name] && !secretsIn(member, l.add) {
				return
			}
		}
		if l.root.Kind() != jsonstream.Object {
			secretsIn(l.root, l.add)
		}
	}
	for _, holder := range history.Carriers(l.root, l.format) {
		carried, err := history.Decode(holder, jsonstream.Unlimited())
		if err == nil && secrets.MayHold(carried.Root().Raw()) &&
			!secretsIn(carried.Root(), func(f finding.Finding) bool { return l.add(f.Inside(holder)) }) {
			return
		}
	}
}

// secretsIn searches the strings and member names of v for secrets. It returns false if yield does.
func secretsIn(v jsonstream.Value, yield func(finding.Finding) bool) bool {
	if hits := secrets.Find(v.Name()); len(hits) > 0 {
		// A pointer to v, or to anything below it, would print the secret.
		f := lintFinding(v, "a secret in a member's name: found %v; remove and revoke it", hits[0])
		return yield(f.At(v.Parent().Pointer(), v.NamePosition()))
	}
	if v.Kind() == jsonstream.String && v.Name() == "signature" { // of the message, or of a provider on a part of a turn
		return true
	}
	kinds := map[string]bool{}
	for _, hit := range secrets.Find(v.Text()) {
		if kinds[hit.Kind.ID] {
			continue
		}
		kinds[hit.Kind.ID] = true
		if !yield(lintFinding(v, "a secret: found %v; remove and revoke it", hit)) {
			return false
		}
	}
	for _, member := range v.Members() {
		if !secretsIn(member, yield) {
			return false
		}
	}
	for _, element := range v.Elements() {
		if !secretsIn(element, yield) {
			return false
		}
	}
	return true
}
