package repair

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/validate"
)

// refusals returns the errors of a message by the schema and rules of its format and by a provider's rules.
// For a session, which its own agent reads, it returns only the provider's errors.
func refusals(doc *jsonstream.Document, f format.Format, p provider.Provider, limits jsonstream.Limits) []finding.Finding {
	o := validate.Options{Formats: []format.Format{f}, For: []provider.Provider{p}, Layers: []finding.Layer{finding.Provider}, All: true, Limits: limits}
	if !formats.Named(f).IsLines() {
		o.Layers = append(o.Layers, finding.Schema, finding.Protocol)
	}
	result, err := validate.New(o).Validate(context.Background(), message.Of(doc))
	if err != nil {
		panic(err) // only errors of a context or a scanner
	}
	var left []finding.Finding
	for _, f := range result.Findings {
		if f.Severity == finding.Error {
			left = append(left, f)
		}
	}
	return left
}

// dropTwins removes turns that are stored twice: that equal an earlier one, with an id that the format has only once.
// It comes first, since remedies for the calls and results of both would part them.
func (r *repairer) dropTwins(limits jsonstream.Limits) {
	if r.isLines() || r.h.Carrier().Exists() {
		return
	}
	twins := map[string]*item{}   // the turns that equal an earlier one, by the pointers of their ids
	same := map[string][][]byte{} // the texts of turns, by their ids
	for _, it := range r.items {
		id, text := it.turn.Value.Get("id"), it.turn.Value.Raw()
		switch known := same[id.Text()]; {
		case id.Text() == "":
		case slices.ContainsFunc(known, func(other []byte) bool { return bytes.Equal(other, text) }):
			twins[id.Pointer()] = it
		default:
			same[id.Text()] = append(known, text)
		}
	}
	if len(twins) == 0 {
		return
	}
	for _, e := range refusals(r.doc, r.h.Format, r.provider, limits) {
		i := slices.Index(r.items, twins[e.Pointer])
		if i >= 0 && e.Layer == finding.Protocol && strings.HasSuffix(e.Rule, "/repeated-id") {
			r.step(provider.Fault{Finding: e}, i, "removed the turn, which equals an earlier one")
			r.drop(i)
		}
	}
}

// mendFormat repairs errors of the schema and rules of the format, located in the current history, as far
// as possible, and reports whether it did. It repairs one error per turn, since the others may have changed
// with it.
func (r *repairer) mendFormat(errors []finding.Finding, now *history.History) (mended bool) {
	if r.h.Carrier().Exists() { // the errors are placed in the message, the turns in the carried context
		return false
	}
	items, pointers := slices.Clone(r.items), now.Pointers()
	seen := map[*item]bool{}
	for _, e := range errors {
		n := slices.IndexFunc(pointers, func(pointer string) bool {
			rest, ok := strings.CutPrefix(e.Pointer, pointer)
			return ok && (rest == "" || rest[0] == '/')
		})
		if n < 0 {
			mended = r.mendBeside(e, now.Root.At(e.Pointer)) || mended
			continue
		}
		if seen[items[n]] {
			continue
		}
		i := slices.Index(r.items, items[n])
		if i < 0 {
			continue
		}
		at := r.items[i].turn.Value.At(e.Pointer[len(pointers[n]):])
		if at.Exists() && r.mendRefusal(i, provider.Fault{Finding: e, At: at}) {
			seen[items[n]], mended = true, true
		}
	}
	return mended
}

// mendBeside drops an element that is not a turn, has the id of another one and equals an earlier element.
func (r *repairer) mendBeside(e finding.Finding, id jsonstream.Value) bool {
	element := id.Parent()
	text := string(element.Raw())
	if !strings.HasSuffix(e.Rule, "/repeated-id") || element.Parent().Kind() != jsonstream.Array || r.once[text] {
		return false
	}
	for _, other := range element.Parent().Elements() {
		if other == element {
			break
		}
		if string(other.Raw()) == text {
			r.once[text] = true
			r.steps = append(r.steps, Step{e.Rule, "", fmt.Sprintf("removed an element that is not a turn and equals an earlier one, with the id %q", id.Text())})
			return true
		}
	}
	return false
}

// mendRefusal repairs an error in an item, if possible.
func (r *repairer) mendRefusal(i int, f provider.Fault) bool {
	turn, at := r.items[i].turn, f.At
	_, rule, _ := strings.Cut(f.Rule, "/")
	_, isCall := r.partAt(i, at, conversation.Call)
	switch {
	case rule == "repeated-id" && isCall:
		return r.mendRepeatedCall(f)
	case rule == "repeated-id" && at.Parent().Parent().Name() == "tool_calls": // LangChain has calls twice
		return r.unlistCall(i, f) || r.mendRepeatedCall(f)
	case rule == "repeated-id":
		return r.mendTurnID(f)
	case rule == "contradicting-calls":
		return r.listCall(i, f)
	case f.Layer == finding.Protocol && rule == "call-without-result":
		return r.answerCall(f)
	case f.Layer == finding.Protocol && rule == "result-without-call":
		return r.noteResult(f)
	case f.Layer == finding.Protocol && rule == "approval":
		return r.dropApproval(i, f)
	case f.Layer == finding.Schema && isSilent(turn) && len(r.items) > 1:
		r.step(f, i, "removed the turn, which has no content")
		r.drop(i)
		return true
	case f.Layer == finding.Schema && (at.Name() == "content" || at.Name() == "output"):
		result, ok := r.partAt(i, at, conversation.Result)
		if !ok || result.Value != at.Parent() || at.Kind() == jsonstream.String || at.Kind() == jsonstream.Array || at.Kind() == jsonstream.Null {
			return false
		}
		r.step(f, i, "replaced the %s of %s by its JSON text", at.Name(), resultName(result))
		r.edit(i, at, format.Fill("%", string(jsonstream.AppendCompact(nil, at.Raw()))))
		return true
	}
	return false
}

// dropApproval removes a response to a request for an approval of the AI SDK that is not in the history, or whose call
// is not: no model gets it. In a history without anything else, it becomes a note.
func (r *repairer) dropApproval(i int, f provider.Fault) bool {
	response, ok := r.partAt(i, f.At, conversation.ApprovalResponse)
	if !ok {
		return false
	}
	const why = "which is not in the history, or has no call"
	if len(r.items) == 1 {
		r.note(f, i, response, why)
		return true
	}
	r.step(f, i, "removed %s, %s", resultName(response), why)
	r.take(i, response)
	return true
}

// mendTurnID drops a turn that equals an earlier one, and gives any other turn with a repeated id a new id.
func (r *repairer) mendTurnID(f provider.Fault) bool {
	i := r.indexOf(f.At)
	if f.At.Kind() != jsonstream.String {
		return false
	}
	taken := map[string]bool{}
	again := false
	for j, it := range r.items {
		if j < i && same(it.turn.Value, r.items[i].turn.Value) {
			r.step(f, i, "removed the turn, which equals an earlier one")
			r.drop(i)
			return true
		}
		for v := range it.turn.Value.All() {
			if v.Name() == f.At.Name() {
				taken[v.Text()] = true
				again = again || j != i && v.Text() == f.At.Text()
			}
		}
	}
	if !again { // the other turn was removed
		return false
	}
	if _, ok := r.partAt(i, f.At, conversation.ApprovalRequest); ok {
		r.renameRequest(f, i)
		return true
	}
	fresh := ""
	for n := 2; fresh == "" || taken[fresh]; n++ {
		fresh = fmt.Sprintf("%s_%d", f.At.Text(), n)
	}
	r.step(f, i, "gave the turn the id %q instead of %q, which another turn has", fresh, f.At.Text())
	r.edit(i, f.At, format.Fill("%", fresh))
	return true
}

// listCall adds a call in the content of a LangChain message to the message's list of calls.
func (r *repairer) listCall(i int, f provider.Fault) bool {
	block := f.At.Parent()
	message := block.Parent().Parent()
	list, input := message.Get("tool_calls"), block.Get("input")
	if block.Get("type").Text() != "tool_use" || list.Kind() != jsonstream.Array || input.Kind() != jsonstream.Object {
		return false
	}
	call := format.Fill(`{"type":"tool_call","id":%,"name":%,"args":`, f.At.Text(), block.Get("name").Text())
	r.step(f, i, "added the call %q of the content to the list of calls", f.At.Text())
	r.insertPart(i, list, list.Len(), append(append(call, input.Raw()...), '}'))
	return true
}

// unlistCall removes a call from a LangChain message's list of calls, if the content also has the call, and
// it occurs earlier in the list.
func (r *repairer) unlistCall(i int, f provider.Fault) bool {
	call := f.At.Parent()
	for _, other := range call.Parent().Elements() {
		if other == call {
			break
		}
		if same(other, call) {
			r.step(f, i, "removed the second call %q from the list of calls, which equals the first", f.At.Text())
			r.edit(i, call, nil)
			return true
		}
	}
	return false
}

// isSilent reports whether a turn has an empty list of parts, and no other text, call or result.
func isSilent(turn conversation.Turn) bool {
	for range conversation.Parts(turn.Value) {
		return false
	}
	for _, name := range []string{"parts", "content"} {
		if list := turn.Item().Get(name); list.Kind() == jsonstream.Array && list.Len() == 0 {
			return true
		}
	}
	return false
}
