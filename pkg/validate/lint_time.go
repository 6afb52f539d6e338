package validate

import (
	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func timeForm(l *linter) {
	l.timesOf(iso8601.Other, "not in the form of RFC 3339: found %s; write %q")
}

func timeWithoutOffset(l *linter) {
	l.timesOf(iso8601.Local, "has no offset and is read as UTC: found %s; if it is UTC, write %q")
}

// timesOf reports the times of one form. format has verbs for the value and for the correct form.
func (l *linter) timesOf(form iso8601.Form, format string) {
	m := &l.members
	if !l.timeOf(m.timestamp, form, format) {
		return
	}
	for _, subtask := range m.completedSubtasks.Elements() {
		if !l.timeOf(subtask.Get("completedAt"), form, format) {
			return
		}
	}
	for _, call := range m.toolCalls.Elements() {
		if !l.timeOf(call.Get("calledAt"), form, format) {
			return
		}
	}
}

// timeOf reports a time in the form. It returns false once the rule has reached its limit.
func (l *linter) timeOf(v jsonstream.Value, form iso8601.Form, format string) bool {
	_, found, ok := iso8601.Parse(v.Text())
	return !ok || found != form || l.report(v, format, finding.QuoteValue(v), iso8601.Rewrite(v.Text()))
}

// unreportedDetail reports missing members that section 5.2 has but the schema does not require, because
// older senders do not write them. It skips outputTokens, which many senders cannot know.
func unreportedDetail(l *linter) {
	for _, subtask := range l.members.completedSubtasks.Elements() {
		if !l.detail(subtask, "result", "add the result of the subtask") || !l.detail(subtask, "completedAt", "add the time of its completion") {
			return
		}
	}
	for _, call := range l.members.toolCalls.Elements() {
		if !l.detail(call, "inputHash", "add it, so that calls can be compared") {
			return
		}
	}
}

// detail reports the missing member of an object. It returns false once the rule has reached its limit.
func (l *linter) detail(v jsonstream.Value, name, advice string) bool {
	return v.Kind() != jsonstream.Object || v.Get(name).Exists() || l.report(v, "has no %s: %s", name, advice)
}
