package convert

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Fault is a rule of the source's own format that it breaks.
type Fault struct {
	Pointer string `json:"pointer"`
	Problem string `json:"problem"` // what is wrong, what was found, and by which rule
}

// SourceErrors are the rules of its own format that a source breaks.
type SourceErrors []Fault

func (e SourceErrors) Error() string {
	var lines []string
	for _, f := range e {
		lines = append(lines, f.Pointer+": "+f.Problem)
	}
	return strings.Join(lines, "; ") + "; mend it, or convert it as it is with --lenient"
}

// A checker collects faults.
type checker struct{ faults []Fault }

func (c *checker) add(pointer, problem string, args ...any) {
	c.faults = append(c.faults, Fault{pointer, fmt.Sprintf(problem, args...)})
}

// need checks that a member is there and of a kind.
func (c *checker) need(n node, at, name string, kind jsonstream.Kind, rule string) node {
	v := n.get(name)
	pointer := jsonstream.AppendPointer(at, name)
	switch {
	case v == none:
		c.add(pointer, "is missing: %s", rule)
	case !v.is(kind) && !(kind == jsonstream.True && v.is(jsonstream.False)):
		c.add(pointer, "expected %s, found %s: %s", kind, v.kind(), rule)
	default:
		return v
	}
	return none
}

// optional checks the kind of a member that may be missing.
func (c *checker) optional(n node, at, name string, kind jsonstream.Kind, rule string) {
	if n.get(name) != none {
		c.need(n, at, name, kind, rule)
	}
}

// check returns the rules of its format that a message breaks, so far as a reader of the
// format would refuse it.
func check(f format.Format, doc node) []Fault {
	c := &checker{}
	switch f {
	case format.EAAPL:
		c.eaapl(doc)
	case format.SW4RMContext:
		c.context(doc, "")
	case format.SW4RMRequest:
		c.request(doc)
	case format.MACP:
		c.macp(doc)
	case format.OpenAI:
		c.openAI(doc)
	}
	return c.faults
}

const (
	ruleSchema  = "required by the canonical schema (section 5.2)"
	ruleContext = "the document says that missing required fields are an error"
	ruleEntry   = "required of an entry of the conversation history by the document's schema"
	ruleRequest = "required of a handoff request"
	ruleItems   = "input data has lists of items"
)

func (c *checker) eaapl(doc node) {
	for _, name := range []string{"schemaVersion", "handoffId", "taskId", "timestamp", "taskDescription", "conversationHistorySummary", "traceparent"} {
		c.need(doc, "", name, jsonstream.String, ruleSchema)
	}
	if p := doc.get("parentHandoffId"); !p.is(jsonstream.Null) {
		c.need(doc, "", "parentHandoffId", jsonstream.String, ruleSchema)
	}
	for _, name := range []string{"currentState", "costTracking"} {
		c.need(doc, "", name, jsonstream.Object, ruleSchema)
	}
	for _, name := range []string{"completedSubtasks", "remainingSubtasks", "relevantContext", "constraints", "toolCallHistory"} {
		c.need(doc, "", name, jsonstream.Array, ruleSchema)
	}
	if from := c.need(doc, "", "fromAgent", jsonstream.Object, ruleSchema); from != none {
		c.need(from, "/fromAgent", "agentId", jsonstream.String, ruleSchema)
	}
	if to := c.need(doc, "", "toAgent", jsonstream.Object, ruleSchema); to != none {
		c.need(to, "/toAgent", "agentType", jsonstream.String, ruleSchema)
	}
	turns := c.need(doc, "", "conversationHistoryVerbatim", jsonstream.Array, ruleSchema).children()
	for i := 0; turns.next(); i++ {
		if t := turns.value; !t.is(jsonstream.Object) {
			c.add(fmt.Sprintf("%s/%d", verbatim, i), "expected object, found %s: a turn has a role and content", t.kind())
		}
	}
}

// context checks a HandoffContext. A timestamp in Unix seconds is normalised rather than
// refused.
func (c *checker) context(doc node, at string) {
	list := c.need(doc, at, "conversation_history", jsonstream.Array, ruleContext).children()
	c.need(doc, at, "tool_state", jsonstream.Object, ruleContext)
	c.need(doc, at, "metadata", jsonstream.Object, ruleContext)
	for i := 0; list.next(); i++ {
		t := list.value
		if isText(t.get("role")) && isText(t.get("content")) {
			continue
		}
		place := fmt.Sprintf("%s/conversation_history/%d", at, i)
		if !t.is(jsonstream.Object) {
			c.add(place, "expected object, found %s: %s", t.kind(), ruleEntry)
			continue
		}
		c.need(t, place, "role", jsonstream.String, ruleEntry)
		c.need(t, place, "content", jsonstream.String, ruleEntry)
	}
}

func (c *checker) request(doc node) {
	for _, name := range []string{"from_agent", "to_agent", "reason"} {
		c.need(doc, "", name, jsonstream.String, ruleRequest)
	}
	const rule = "by the fields of a handoff request"
	c.optional(doc, "", "preserve_history", jsonstream.True, rule)
	c.optional(doc, "", "capabilities_required", jsonstream.Array, rule)
	c.optional(doc, "", "metadata", jsonstream.Object, rule)
	s := doc.get("context_snapshot")
	if s == none || s.is(jsonstream.Null) {
		return
	}
	value := open(s)
	if value.get("form").str() == formRaw {
		c.add("/context_snapshot", "expected base64 of a serialized context, or the context, found %s", foundInstead(s))
		return
	}
	c.context(value.get("value"), "/context_snapshot")
}

// foundInstead says what a snapshot is that is no context.
func foundInstead(s node) string {
	if !isText(s) {
		return s.kind().String()
	}
	b, err := base64.StdEncoding.DecodeString(s.str())
	if err != nil {
		return "a string that is not base64"
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(b), jsonstream.Unlimited())
	if err != nil {
		return fmt.Sprintf("base64 of what is not strict JSON: %s", err)
	}
	return fmt.Sprintf("base64 of JSON that is no object: %s", doc.Root().Kind())
}

func (c *checker) macp(doc node) {
	list := c.need(doc, "", "messages", jsonstream.Array, "a transcript has messages")
	if list == none {
		return
	}
	at := mappedMessages(list)
	if at[0] != 0 {
		c.add("/messages", "the first message of a session is SessionStart (rule 1, SESSION_ALREADY_EXISTS), and it has a payload")
	}
	if at[1] < 0 {
		c.add("/messages", "found no HandoffOffer with a payload: there is nothing to hand off (rule 11, INVALID_ENVELOPE)")
		return
	}
	m := respell(openedTranscript(doc), false)
	const rule7 = "non-empty in an offer (rule 7, INVALID_ENVELOPE)"
	payload := fmt.Sprintf("/messages/%d/payload", at[1])
	for _, name := range []string{"handoff_id", "target_participant"} {
		if v := c.need(m.at(offerMessage+"/payload"), payload, name, jsonstream.String, rule7); v != none && v.str() == "" {
			c.add(payload+"/"+name, "is empty: %s", rule7)
		}
	}
}

func openedTranscript(doc node) node { return view(format.MACP, doc) }

func (c *checker) openAI(doc node) {
	switch h := doc.get("input_history"); {
	case h == none:
		c.add("/input_history", "is missing: input data has a string or a list of items there")
	case h.is(jsonstream.Array):
		c.items(h, "/input_history")
	case !isText(h):
		c.add("/input_history", "expected string or array, found %s: %s", h.kind(), ruleItems)
	}
	for _, name := range []string{"pre_handoff_items", "new_items"} {
		if list := c.need(doc, "", name, jsonstream.Array, ruleItems); list != none {
			c.items(list, "/"+name)
		}
	}
	if v := doc.get("input_items"); v != none && !v.is(jsonstream.Null) {
		c.need(doc, "", "input_items", jsonstream.Array, ruleItems)
	}
}

func (c *checker) items(list node, at string) {
	items := list.children()
	for i := 0; items.next(); i++ {
		if e := items.value; !e.is(jsonstream.Object) {
			c.add(fmt.Sprintf("%s/%d", at, i), "expected object, found %s: %s", e.kind(), ruleItems)
		}
	}
}
