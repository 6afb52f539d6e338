package claims

import (
	"path"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A record has the calls of a conversation, in order.
type record struct {
	calls []*call
	// complete reports whether the conversation has all calls of the work: it begins with a request of the
	// user, has calls, and has no mark of turns that were left out. A log without calls may omit them.
	complete bool
	turns    []conversation.Turn
	said     map[string]int // the last turn of the assistant with a text, by the beginning of the text; nil before turnOf
}

// A call is a tool call with its effects.
type call struct {
	turn    int
	value   jsonstream.Value
	result  jsonstream.Value // absent if there is none
	kinds   map[Kind]bool    // of the commands that it ran
	decides Kind             // the kind that failed if the call failed; "" if that may be another command
	written []string         // the paths of files that it wrote or deleted
	words   string           // its arguments as text
	opaque  bool             // it may have changed files that it does not name

	outcomes  map[Kind]outcome // nil before read
	isFailure bool
}

func newRecord(h *history.History) *record {
	r := &record{complete: isComplete(h), turns: h.Turns}
	byID := map[string]*call{}
	var unnamed []*call // without an id or result
	for i, t := range h.Turns {
		for p := range conversation.ToolEvents(t.Value) {
			if p.Kind == conversation.Call {
				c := newCall(i, p)
				r.calls = append(r.calls, c)
				if id := p.ID.Text(); id != "" {
					byID[id] = c
				} else {
					unnamed = append(unnamed, c)
				}
				continue
			}
			c := byID[p.ID.Text()]
			if c == nil && len(unnamed) > 0 {
				c, unnamed = unnamed[0], unnamed[1:]
			}
			if c != nil && !c.result.Exists() {
				c.result = p.Value
			}
		}
	}
	r.complete = r.complete && len(r.calls) > 0
	return r
}

func isComplete(h *history.History) bool {
	if h.Format == format.EAAPL {
		session := h.Root.At("/extensions/session")
		return session.Exists() && format.Natural(session.Get("turnsLeftOut")) == 0 && format.Natural(session.Get("compactions")) == 0
	}
	for _, t := range h.Turns {
		if !t.IsInstruction() {
			return t.Role == "user" && !strings.Contains(t.Text(), "continued from a previous conversation")
		}
	}
	return false
}

// turnOf returns the index of the last turn of the assistant whose text is a result, which may have been cut
// and end with an ellipsis; the number of turns if there is none.
func (r *record) turnOf(result string) int {
	beginning := func(text string) string { return text[:min(len(text), 200)] }
	if r.said == nil {
		r.said = map[string]int{}
		for i, t := range r.turns {
			if t.Role == "assistant" {
				r.said[beginning(t.Text())] = i
			}
		}
	}
	uncut := strings.TrimSuffix(result, "…")
	i, found := r.said[beginning(uncut)]
	if result == "" || !found || !strings.HasPrefix(r.turns[i].Text(), uncut) {
		return len(r.turns)
	}
	return i
}

// last has the nouns for the call that decides about a claim.
var last = map[Kind]string{
	Tests: "the last run of the tests", Build: "the last build", Lint: "the last run of a linter", Commit: "the last commit", PullRequest: "the last request to open a pull request",
	Deployment: "the last deployment",
}

// judge returns a claim with its verdict by the calls before a turn.
func (r *record) judge(c Claim, turn int) Claim {
	before := r.calls
	if i := slices.IndexFunc(r.calls, func(one *call) bool { return one.turn >= turn }); i >= 0 {
		before = r.calls[:i]
	}
	if c.Kind == Files {
		return r.judgeFile(c, before)
	}
	changed := false // files may have changed after the call that decides
	for _, one := range slices.Backward(before) {
		result, ran := one.outcome(c.Kind)
		if !ran {
			changed = changed || (one.opaque || len(one.written) > 0) && !one.failed()
			continue
		}
		c.Calls = one.evidence()
		switch {
		case result == succeeded:
			c.Verdict, c.Reason = Shown, last[c.Kind]+" succeeded"
		case result == failed && changed && (c.Kind == Tests || c.Kind == Build || c.Kind == Lint):
			c.Verdict, c.Reason = NotShown, last[c.Kind]+" failed, and files changed after it"
		case result == failed && !c.covers(one):
			c.Verdict, c.Reason = NotShown, last[c.Kind]+" failed, but not necessarily the part in the claim"
		case result == failed:
			c.Verdict, c.Reason = Contradicted, last[c.Kind]+" failed"
		default:
			c.Verdict, c.Reason = NotShown, last[c.Kind]+" has no result that says whether it succeeded"
		}
		return c
	}
	c.Verdict, c.Reason = NotShown, "no call shows it"
	return c
}

// judgeFile returns a claim about a file with its verdict.
func (r *record) judgeFile(c Claim, before []*call) Claim {
	var refused, named *call
	opaque := !r.complete
	for _, one := range slices.Backward(before) {
		isWritten := slices.ContainsFunc(one.written, func(written string) bool { return samePath(written, c.Path) })
		switch {
		case isWritten && !one.failed():
			c.Verdict, c.Reason, c.Calls = Shown, "a call wrote the file", one.evidence()
			return c
		case isWritten && refused == nil:
			refused = one
		case !isWritten && named == nil && strings.Contains(one.words, path.Base(c.Path)):
			named = one
		}
		opaque = opaque || one.opaque && !one.failed()
	}
	switch {
	case refused != nil && !opaque:
		c.Verdict, c.Reason, c.Calls = Contradicted, "the call that was to write the file failed", refused.evidence()
	case refused != nil:
		c.Verdict, c.Reason, c.Calls = NotShown, "the call that was to write the file failed; another call may have written it", refused.evidence()
	case named != nil:
		c.Verdict, c.Reason, c.Calls = NotShown, "a call names the file, but does not show that it wrote it", named.evidence()
	case opaque:
		c.Verdict, c.Reason = NotShown, "no call names the file"
	default:
		c.Verdict, c.Reason = Contradicted, "no call names the file, and no call can have changed it"
	}
	return c
}

// samePath reports whether a claimed path is the end of a written one, or the reverse.
func samePath(written, claimed string) bool {
	written, claimed = cleanPath(written), cleanPath(claimed)
	return written == claimed || strings.HasSuffix(written, "/"+claimed) || strings.HasSuffix(claimed, "/"+written)
}

func cleanPath(p string) string {
	return strings.TrimPrefix(path.Clean(strings.ReplaceAll(p, `\`, "/")), "/")
}

// evidence returns the call and its result.
func (c *call) evidence() []jsonstream.Value {
	if !c.result.Exists() {
		return []jsonstream.Value{c.value}
	}
	return []jsonstream.Value{c.value, c.result}
}
