package repair

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// idMembers are the members with the id of a call, in all formats.
var idMembers = []string{"id", "call_id", "callId", "tool_call_id", "tool_use_id", "toolCallId", "toolUseId"}

// renameIn changes the id of a call or result, in a value of an item.
func (r *repairer) renameIn(i int, v jsonstream.Value, id, fresh string) {
	base := len(r.items[i].turn.Value.Pointer())
	var pointers []string
	for at := range v.All() {
		if at.Kind() == jsonstream.String && at.Text() == id && slices.Contains(idMembers, at.Name()) && !inArguments(at, v) {
			pointers = append(pointers, at.Pointer()[base:])
		}
	}
	byID := r.byID
	for _, pointer := range pointers {
		r.editAt(i, pointer, format.Fill("%", fresh))
	}
	if byID != nil {
		it, named := r.items[i], byID[fresh]
		at, known := slices.BinarySearchFunc(named, i, func(other *item, i int) int { return r.placeOf(other) - i })
		if !known {
			byID[fresh] = slices.Insert(named, at, it)
		}
	}
	r.byID = byID // no other ids change
}

// inArguments reports whether a value is within the arguments of a call or the content of a result.
func inArguments(at, v jsonstream.Value) bool {
	for ; at.Exists() && at != v; at = at.Parent() {
		switch at.Name() {
		case "input", "args", "arguments", "output", "response", "content":
			return at.Parent() == v || at.Parent().Parent() == v
		}
	}
	return false
}

// withID returns the items that have, or had until they were renamed, a call or a result with an id, in order.
func (r *repairer) withID(id string) []*item {
	if r.byID == nil {
		r.byID = map[string][]*item{}
		for _, it := range r.items {
			for p := range conversation.ToolEvents(it.turn.Value) {
				if named := r.byID[p.ID.Text()]; len(named) == 0 || named[len(named)-1] != it {
					r.byID[p.ID.Text()] = append(named, it)
				}
			}
		}
	}
	return r.byID[id]
}

// freshID returns a new id, similar to id, that the provider accepts.
func (r *repairer) freshID(id string) string {
	base := r.wellFormed(id)
	for n := 2; ; n++ {
		fresh := fmt.Sprintf("%s_%d", base, n)
		if _, ok := r.provider.FitsCallID(fresh); !ok && r.provider != provider.Gemini {
			base = base[:len(base)/2]
			continue
		}
		if len(r.withID(fresh)) == 0 {
			return fresh
		}
	}
}

// wellFormed returns an id in the provider's form: other characters become _, and a digest replaces the
// part beyond the maximum length.
func (r *repairer) wellFormed(id string) string {
	clean := cleaned(id, "-")
	if clean == "" {
		clean = "call"
	}
	if _, ok := r.provider.FitsCallID(clean); !ok {
		const kept = 24
		clean = clean[:min(kept, len(clean))] + "_" + digest(id)
	}
	return clean
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// cleaned returns a text with _ in place of characters other than letters, digits, _ and others.
func cleaned(text, others string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', strings.ContainsRune(others, c):
			return c
		default:
			return '_'
		}
	}, text)
}

// mendCallID changes the id of a call and its results to the provider's form.
func (r *repairer) mendCallID(f provider.Fault) bool {
	id := f.At.Text()
	fresh := r.wellFormed(id)
	if _, ok := r.provider.FitsCallID(id); ok || id == "" {
		return false
	}
	if len(r.withID(fresh)) > 0 {
		fresh = r.freshID(fresh)
	}
	r.step(f, r.indexOf(f.At), "gave the call the id %q, also in its result", fresh)
	for _, it := range r.withID(id) {
		i := r.placeOf(it)
		for again := true; again; {
			again = false
			for p := range conversation.ToolEvents(r.items[i].turn.Value) {
				if p.ID.Text() == id {
					r.renameIn(i, p.Value, id, fresh)
					again = true
					break
				}
			}
		}
		if twin := r.items[i].turn.Item(); twin.Get("tool_calls").Exists() { // LangChain has calls twice
			r.renameIn(i, twin.Get("tool_calls"), id, fresh)
		}
	}
	return true
}

// mendToolName changes the name of a tool to a valid one.
func (r *repairer) mendToolName(f provider.Fault) bool {
	i := r.indexOf(f.At)
	for _, kind := range []conversation.PartKind{conversation.Call, conversation.Result} {
		p, ok := r.partAt(i, f.At, kind)
		if !ok || !p.Name.Exists() {
			continue
		}
		name, prefix := p.Tool(), strings.TrimSuffix(p.Name.Text(), p.Tool())
		const longest = 64
		clean := strings.Trim(cleaned(name, "-"), "-")
		if clean == "" || clean[0] >= '0' && clean[0] <= '9' && r.provider == provider.Gemini {
			clean = "_" + clean
		}
		if len(clean) > longest {
			clean = clean[:longest-9] + "_" + digest(name)
		}
		r.step(f, i, "renamed the tool to %q", clean)
		r.rename(i, p.Name, prefix+clean)
		if id := p.ID.Text(); kind == conversation.Call && id != "" {
			r.renameResults(id, name, clean)
		}
		return true
	}
	return false
}

// rename changes the name of a tool in an item, whose ids stay the same.
func (r *repairer) rename(i int, name jsonstream.Value, to string) {
	byID := r.byID
	r.edit(i, name, format.Fill("%", to))
	r.byID = byID
}

// renameResults changes the name of a tool in the results of a call.
func (r *repairer) renameResults(id, from, to string) {
	for _, it := range r.withID(id) {
		i, turn := r.placeOf(it), it.turn
		for p := range conversation.ToolEvents(turn.Value) {
			if p.Kind != conversation.Result || p.ID.Text() != id {
				continue
			}
			for _, name := range []jsonstream.Value{p.Name, p.Value.Get("toolName"), turn.Item().Get("name")} { // the AI SDK, LangChain
				if name.Exists() && name.Text() == from {
					r.rename(i, name, to)
					break
				}
			}
			break
		}
	}
}

// mendName changes the name of a message's author to a valid one.
func (r *repairer) mendName(f provider.Fault) bool {
	i := r.indexOf(f.At)
	clean := cleaned(f.At.Text(), "-")
	if clean == "" {
		r.step(f, i, "removed an empty name")
		r.edit(i, f.At, nil)
		return true
	}
	if !conversation.IsName(clean) {
		clean = clean[:40] + "_" + digest(f.At.Text())
	}
	r.step(f, i, "changed the name of the message to %q", clean)
	r.edit(i, f.At, format.Fill("%", clean))
	return true
}

// mendItemID removes the id of an item, or drops an item that repeats an earlier one.
func (r *repairer) mendItemID(f provider.Fault) bool {
	i := r.indexOf(f.At)
	item := r.items[i].turn.Item()
	for j := range i {
		if other := r.items[j].turn.Item(); same(other, item) {
			r.step(f, i, "removed the item, which equals an earlier one")
			r.drop(i)
			return true
		}
	}
	if _, ok := r.partAt(i, f.At, conversation.ApprovalRequest); ok {
		r.renameRequest(f, i)
		return true
	}
	if item.Get("type").Text() == "reasoning" {
		return r.dropReasoning(f)
	}
	r.step(f, i, "removed the id of the item")
	r.edit(i, f.At, nil)
	return true
}

// renameRequest gives a request for an approval, which needs an id, a new one, also in the items about it. If an
// earlier request has the same id and no response before this request, the first response is for that request.
func (r *repairer) renameRequest(f provider.Fault, i int) {
	id := f.At.Text()
	taken := map[string]bool{}
	waiting := 0 // earlier requests without a response
	type reference struct {
		at int
		id jsonstream.Value
	}
	var about []reference
	for j, it := range r.items {
		item := it.turn.Item()
		taken[item.Get("id").Text()] = true
		to := conversation.Decision(item).Get("approval_request_id")
		switch isAbout := to.Text() == id; {
		case isAbout && j > i:
			about = append(about, reference{j, to})
		case isAbout && waiting > 0:
			waiting--
		case j < i && item.Get("id").Text() == id:
			waiting++
		}
	}
	fresh := "mcpr_" + digest(id)
	for n := 2; taken[fresh]; n++ {
		fresh = fmt.Sprintf("mcpr_%s_%d", digest(id), n)
	}
	r.step(f, i, "gave the approval request the id %q, also in its response", fresh)
	r.edit(i, f.At, format.Fill("%", fresh))
	item := r.items[i].turn.Item()
	for _, at := range []jsonstream.Value{item.Get("id"), item.Get("providerData").Get("id")} { // of the Agents SDK for JavaScript
		if at.Text() == id {
			r.edit(i, at, format.Fill("%", fresh))
			break // at most one of them is not f.At
		}
	}
	for _, response := range about[min(waiting, max(len(about)-1, 0)):] {
		r.edit(response.at, response.id, format.Fill("%", fresh))
	}
}

// mendDocument changes the name of a document to a valid, unique one, or adds a text to a message with a document
// and none.
func (r *repairer) mendDocument(f provider.Fault) bool {
	i := r.indexOf(f.At)
	if f.At.Kind() == jsonstream.Object {
		list := r.items[i].turn.Item().Get("content")
		if f.At.Parent() != list {
			return false
		}
		r.step(f, i, "added the text %q, since the API rejects a document without a text", documentText)
		r.insertPart(i, list, list.Len(), textPart(list, documentText))
		return true
	}
	if f.At.Kind() != jsonstream.String {
		return false
	}
	clean := strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if c == '-' || c == '(' || c == ')' || c == '[' || c == ']' || c == '_' || cleaned(string(c), "") != "_" {
			return c
		}
		return ' '
	}, f.At.Text())), " ")
	const longest = 180
	clean = strings.TrimSpace(clean[:min(len(clean), longest)])
	if clean == f.At.Text() || clean == "" {
		clean = strings.TrimSpace(clean + " " + digest(f.Pointer+f.At.Text()))
	}
	r.step(f, i, "renamed the document to %q", clean)
	r.edit(i, f.At, format.Fill("%", clean))
	return true
}

// documentText is the text of a message with a document and no text.
const documentText = "[see the document]"

// dropMember removes a member that the API does not know.
func (r *repairer) dropMember(f provider.Fault) bool {
	i := r.indexOf(f.At)
	r.step(f, i, "removed the member %q, which the API does not accept", f.At.Name())
	r.edit(i, f.At, nil)
	return true
}

// mendFailed moves other content than text out of a failed result, behind all results of its turn, and gives a
// failed result a text.
func (r *repairer) mendFailed(f provider.Fault) bool {
	i := r.indexOf(f.At)
	if f.At.Get("type").Text() == "tool_result" {
		r.step(f, i, "gave a failed result the text %q", conversation.Failed)
		r.editAt(i, f.At.Pointer()[len(r.items[i].turn.Value.Pointer()):]+"/content", format.Fill("%", conversation.Failed))
		return true
	}
	part := f.At.Raw()
	r.step(f, i, "moved the %s of a failed result behind the results", f.At.Get("type").Text())
	r.edit(i, f.At, nil)
	list := r.items[i].turn.Item().Get("content")
	r.insertPart(i, list, list.Len(), part)
	return true
}
