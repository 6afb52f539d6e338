package sw4rm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/gzipped"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	// maxEntries is the document's recommended maximum number of messages.
	maxEntries = 50
	// maxBytes is the size above which the document recommends gzip: 100 KB.
	maxBytes = 100_000
)

// Check returns the violations of the document's rules beyond its JSON Schema, in text
// order, with at most 100 places per rule. f is [format.SW4RMContext], [format.SW4RMRequest]
// or [format.SW4RMResponse]. Check does not repeat the schema: it skips values of an
// unexpected type. Since the schema does not apply to a snapshot in base64, Check also
// checks that the context in it is complete. limits bounds the snapshot of a request.
func Check(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) []finding.Finding {
	find := &finder{}
	switch f {
	case format.SW4RMContext:
		find.context(doc.Root())
	case format.SW4RMRequest:
		find.request(doc.Root(), limits)
	case format.SW4RMResponse:
		find.response(doc.Root())
	}
	return find.inOrder()
}

func (f *finder) request(root jsonstream.Value, limits jsonstream.Limits) {
	if to := root.Get("to_agent"); to.Kind() == jsonstream.String && to.Text() == "" {
		f.warn("sw4rm/to-agent", to, "the target agent is empty: the wire service rejects the request; name an agent, or have a router choose one")
	}
	v := root.Get(snapshotMember)
	if v.Kind() != jsonstream.String && v.Kind() != jsonstream.Object {
		return
	}
	context, encoded, rule, problem := openSnapshot(v, limits)
	if rule != "" {
		f.fail(rule, v, "", problem)
		return
	}
	f.enter(v, encoded)
	if encoded {
		f.contextMembers(context)
		for _, entry := range context.Get("conversation_history").Elements() {
			f.entryMembers(entry)
		}
	}
	if history := context.Get("conversation_history"); root.Get("preserve_history").Kind() == jsonstream.False && history.Len() > 0 {
		f.warn("sw4rm/preserve-history", history, fmt.Sprintf("preserve_history is false, but the snapshot has a conversation history: found %s; empty the history, or set preserve_history to true",
			number(history.Len(), "message")))
	}
	f.context(context)
}

// entryMembers checks a message in a snapshot by the schema of a context.
func (f *finder) entryMembers(entry jsonstream.Value) {
	if entry.Kind() != jsonstream.Object {
		f.fail("sw4rm/context-type", entry, "", "expected a message, an object with role and content, found "+finding.QuoteValue(entry))
		return
	}
	for _, name := range []string{"role", "content"} {
		if !entry.Get(name).Exists() {
			f.fail("sw4rm/context-member", entry, name, "missing required field of a message: add it, as a string")
		}
	}
	for _, name := range []string{"role", "content", "tool_call_id", "name"} {
		if v := entry.Get(name); v.Exists() && v.Kind() != jsonstream.String {
			f.fail("sw4rm/context-type", v, "", "expected a string, found "+finding.QuoteValue(v))
		}
	}
	if v := entry.Get("metadata"); v.Exists() && v.Kind() != jsonstream.Object {
		f.fail("sw4rm/context-type", v, "", "expected an object, found "+finding.QuoteValue(v))
	}
	if v := entry.Get("timestamp"); v.Exists() && !iso8601.IsDateTime(v.Text()) {
		f.fail("sw4rm/context-type", v, "", "expected an ISO 8601 time stamp, such as \"2025-01-15T10:30:00Z\", found "+finding.QuoteValue(v))
	}
}

// context checks a context, bare or in a snapshot.
func (f *finder) context(root jsonstream.Value) {
	history, state := root.Get("conversation_history"), root.Get("tool_state")
	answered := answeredCalls(root)
	for _, entry := range history.Elements() {
		f.entry(entry)
	}
	if n := history.Len(); history.Kind() == jsonstream.Array && n > maxEntries {
		f.warn("sw4rm/history-length", history, fmt.Sprintf("the history is long: found %d messages; limit it to the last %d relevant messages", n, maxEntries))
	}
	results := state.Get("cached_results")
	if results.Kind() == jsonstream.Object && results.Len() > 0 {
		f.warn("sw4rm/cached-results", results, fmt.Sprintf("cached results need space: found %s; leave out completed calls", number(results.Len(), "result")))
	}
	for _, call := range state.Get("active_calls").Elements() {
		if id := call.Get("call_id"); id.Kind() == jsonstream.String && answered[id.Text()] {
			f.warn("sw4rm/completed-call", id, fmt.Sprintf("the call %s has a result, but is still active: the receiver would run it again; remove it from active_calls", finding.QuoteValue(id)))
		}
	}
	if n := len(jsonstream.AppendCompact(nil, root.Raw())); n > maxBytes && !gzipped.IsBase64(f.snapshot.Text()) {
		f.warn("sw4rm/context-size", root, fmt.Sprintf("the context is large: found %d bytes, and gzip is recommended above %d; trim the context, or compress the message", n, maxBytes))
	}
	for v := range root.All() {
		if v.Kind() == jsonstream.String && isBinary(v.Raw()) {
			f.warn("sw4rm/embedded-binary", v, fmt.Sprintf("the context embeds binary data: found %d characters of base64; replace it with a URL or an identifier", len(v.Raw())-len(`""`)))
		}
	}
}

// roles are the document's roles.
var roles = []string{"user", "assistant", "system", "tool"}

func (f *finder) entry(entry jsonstream.Value) {
	role := entry.Get("role")
	if role.Kind() != jsonstream.String {
		return
	}
	if !slices.Contains(roles, role.Text()) {
		f.warn("sw4rm/role", role, fmt.Sprintf("expected %s or %s, found %s", strings.Join(roles[:3], ", "), roles[3], finding.QuoteValue(role)))
	}
	if id := entry.Get("tool_call_id"); role.Text() == "tool" && (!id.Exists() || id.Kind() == jsonstream.String && id.Text() == "") {
		f.warn("sw4rm/tool-call-id", entry, "the tool message has no tool_call_id, so it does not identify its call; add the id of the call")
	}
}

// minBinary is the minimum length of a base64 string that counts as binary data.
const minBinary = 1024

// isBinary reports whether a quoted string is a base64 data URL, or a long base64 string, in
// either alphabet, with or without line breaks.
func isBinary(quoted []byte) bool {
	text := quoted[1 : len(quoted)-1]
	if head := string(text[:min(len(text), 128)]); strings.HasPrefix(head, "data:") && strings.Contains(head, ";base64,") {
		return true
	}
	if len(text) < minBinary {
		return false
	}
	var upper, lower, digit bool
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'A' && c <= 'Z':
			upper = true
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= '0' && c <= '9':
			digit = true
		case c == '+' || c == '/' || c == '-' || c == '_':
		case c == '=' && i >= len(text)-2:
		case c == '\\' && strings.IndexByte(`rn/`, text[i+1]) >= 0:
			i++
		default:
			return false
		}
	}
	return upper && lower && digit
}

func (f *finder) response(root jsonstream.Value) {
	accepted, status, reason := root.Get("accepted").Kind(), root.Get("status"), root.Get("rejection_reason")
	switch s := Status(status.Text()); {
	case accepted == jsonstream.True && s == Rejected:
		f.fail("sw4rm/response-status", status, "", `accepted is true, but the status is "REJECTED": one of them is wrong`)
	case accepted == jsonstream.False && (s == Accepted || s == Completed):
		f.fail("sw4rm/response-status", status, "", fmt.Sprintf("accepted is false, but the status is %s: one of them is wrong", finding.QuoteValue(status)))
	case accepted == jsonstream.False && s != Pending && reason.Text() == "" && (reason.Kind() == jsonstream.String || reason.Kind() == jsonstream.Null):
		f.warn("sw4rm/rejection-reason", reason, "the rejection has no reason; give one in rejection_reason")
	case accepted == jsonstream.False && s != Pending && !reason.Exists():
		f.add(finding.Warning, "sw4rm/rejection-reason", root, "rejection_reason", "the rejection has no reason; give one in rejection_reason")
	case accepted == jsonstream.True && reason.Text() != "":
		f.warn("sw4rm/rejection-reason", reason, "accepted is true, but rejection_reason is set: one of them is wrong")
	}
}

// number returns a count with its noun.
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
