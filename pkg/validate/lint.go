package validate

import (
	"fmt"
	"iter"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/safety"
)

// A lintContext is what lint rules look at. The message may have any shape.
type lintContext struct {
	root     jsonstream.Value
	format   format.Format
	receiver *Receiver // may be nil
	now      time.Time
}

// A lintRule yields findings that have a place and a message; lint adds the
// rest.
type lintRule struct {
	Rule
	general bool // it is for messages of all formats, not the canonical one alone
	check   func(lintContext) iter.Seq[Finding]
}

// mostPerRule keeps one rule from crowding out the others.
const mostPerRule = mostFindings / 10

// lint applies the lint rules for the format, in the order of lintRules.
func lint(c lintContext) []Finding {
	var findings []Finding
	for _, r := range lintRules() {
		if c.format != format.EAAPL && !r.general {
			continue
		}
		n := 0
		for f := range r.check(c) {
			f.Layer, f.Reason, f.Severity, f.Keyword = r.Layer, r.Reason, r.Severity, r.ID
			findings = append(findings, f)
			if n++; n == mostPerRule {
				break
			}
		}
	}
	return findings
}

// futureTolerance is how far clocks may differ.
const futureTolerance = 5 * time.Minute

func timestampInFuture(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		at := c.root.Get("timestamp")
		if t, ok := instant(at); ok && t.After(c.now.Add(futureTolerance)) {
			yield(lintFinding(at, "in the future: %s ahead of this computer's clock; set the clock that is wrong", span(c.now, t)))
		}
	}
}

// timestampPrecision is what a timestamp may have lost by being cut to whole
// seconds.
const timestampPrecision = time.Second

func completedAfterTimestamp(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		sent, ok := instant(c.root.Get("timestamp"))
		if !ok {
			return
		}
		for _, subtask := range c.root.Get("completedSubtasks").Elements() {
			at := subtask.Get("completedAt")
			t, ok := instant(at)
			if ok && !t.Before(sent.Add(timestampPrecision)) &&
				!yield(lintFinding(at, "completed after the message was made: %s after its timestamp; correct one of the two", span(sent, t))) {
				return
			}
		}
	}
}

// instant reads an RFC 3339 date-time; false for anything else, which is the
// schema's business.
func instant(v jsonstream.Value) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, strings.ToUpper(v.Text()))
	return t, err == nil
}

// span words the time from one instant to a later one. A time.Duration would
// end at 292 years.
func span(from, to time.Time) string {
	const day = 24 * 60 * 60
	seconds := to.Unix() - from.Unix()
	if seconds >= 2*day {
		return fmt.Sprintf("%d days", seconds/day)
	}
	return to.Sub(from).Round(time.Second).String()
}

func subtaskDoneAndLeft(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		done := map[string]jsonstream.Value{}
		for _, subtask := range c.root.Get("completedSubtasks").Elements() {
			if id := subtask.Get("subtaskId").Text(); id != "" {
				done[id] = subtask
			}
		}
		for _, subtask := range c.root.Get("remainingSubtasks").Elements() {
			id := subtask.Get("subtaskId")
			first, ok := done[id.Text()]
			if ok && !yield(lintFinding(id, "subtask both done and left: found %s at %s too; list it once", found(id), first.Pointer())) {
				return
			}
		}
	}
}

var nameValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*:\s*\S`)
})

func constraintForm(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		for _, constraint := range c.root.Get("constraints").Elements() {
			if constraint.Kind() == jsonstream.String && !nameValue().MatchString(constraint.Text()) &&
				!yield(lintFinding(constraint, "not of the form name:value: found %s; write it like maxResponseTokens:2000", found(constraint))) {
				return
			}
		}
	}
}

// bytesPerToken is the usual rule of thumb for English text.
const bytesPerToken = 4

func contextWindow(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		if c.receiver == nil || c.receiver.ContextWindow <= 0 ||
			len(c.root.Raw())/bytesPerToken <= c.receiver.ContextWindow { // no estimate is above this
			return
		}
		size := 0
		for v := range c.root.All() {
			switch v.Kind() {
			case jsonstream.String:
				size += len(v.Text())
			case jsonstream.Object, jsonstream.Array:
			default:
				size += len(v.Raw())
			}
			size += len(v.Name())
		}
		if tokens := size / bytesPerToken; tokens > c.receiver.ContextWindow {
			yield(lintFinding(c.root, "too long for the receiver's context window of %d tokens: found ≈ %d (an estimate: bytes of text / %d); compress the conversation history",
				c.receiver.ContextWindow, tokens, bytesPerToken))
		}
	}
}

// notText are the members of a message that hold no text of people or models.
var notText = map[string]bool{
	"schemaVersion": true, "handoffId": true, "taskId": true, "parentHandoffId": true,
	"timestamp": true, "traceparent": true, "signatureKeyId": true,
}

func secrets(c lintContext) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		for name, member := range c.root.Members() {
			if !notText[name] && !secretsIn(member, yield) {
				return
			}
		}
		if c.root.Kind() != jsonstream.Object {
			secretsIn(c.root, yield)
		}
		for _, holder := range history.Carriers(c.root, c.format) {
			carried, err := history.Decode(holder, jsonstream.Unlimited())
			if err == nil && !secretsIn(carried.Root(), func(f Finding) bool { return yield(f.inside(holder)) }) {
				return
			}
		}
	}
}

// secretsIn looks through the strings and member names of v. It returns false
// once yield has.
func secretsIn(v jsonstream.Value, yield func(Finding) bool) bool {
	if hits := safety.Secrets(v.Name()); len(hits) > 0 {
		// A pointer to v, or to anything below it, would print the secret.
		f := lintFinding(v, "a secret in a member's name: found %s; take it out and revoke it", hits[0].Message)
		return yield(f.at(v.Parent().Pointer(), v.NamePosition()))
	}
	if v.Kind() == jsonstream.String && v.Name() == "signature" { // of the message, or of a provider over a part of a turn
		return true
	}
	kinds := map[string]bool{}
	for _, hit := range safety.Secrets(v.Text()) {
		if kinds[hit.Rule] {
			continue
		}
		kinds[hit.Rule] = true
		if !yield(lintFinding(v, "a secret: found %s; take it out and revoke it", hit.Message)) {
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

func lintFinding(at jsonstream.Value, format string, args ...any) Finding {
	return Finding{Message: fmt.Sprintf(format, args...)}.on(at)
}
