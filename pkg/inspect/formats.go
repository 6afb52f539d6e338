package inspect

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A Context is what a message carries for its receiver: the snapshot of an SW4RM
// request, or the context of a MACP transcript that holds the turns.
type Context struct {
	Pointer string        `json:"pointer"` // of the string or object in the message that is it
	Format  format.Format `json:"format"`
	Bytes   int           `json:"bytes"`   // as compact JSON, decoded
	Members []Member      `json:"members"` // largest first
}

// An SW4RM has the facts of an SW4RM context, request or response that others lack.
type SW4RM struct {
	RequestID       string          `json:"request_id"`
	HandoffID       string          `json:"handoff_id"`
	Reason          string          `json:"reason"`
	Capabilities    []string        `json:"capabilities_required"`
	PreserveHistory *bool           `json:"preserve_history"` // nil where the message does not say
	Priority        json.RawMessage `json:"priority"`         // as the message has it, nil for none
	Timeout         json.RawMessage `json:"timeout"`

	Accepted        *bool  `json:"accepted"` // of a response; nil for others
	Status          string `json:"status"`
	RejectionReason string `json:"rejection_reason"`

	ToolState []Count  `json:"tool_state"` // elements of its members
	Metadata  []string `json:"metadata"`   // names of its members: of the context, and for others of the message
}

// An OpenAI has the facts of a HandoffInputData that others lack.
type OpenAI struct {
	Lists     []ItemList `json:"lists"` // those that are there
	Transfers []Transfer `json:"transfers"`
	Nested    int        `json:"nested"` // summaries of a nested history in input_history
}

// An ItemList is one of the lists of items.
type ItemList struct {
	Name  string  `json:"name"`
	Items int     `json:"items"`
	Types []Count `json:"types"` // in order of appearance; items that only have a role are messages
}

// A Count is how many of something there are.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// A Transfer is a call of a handoff's tool.
type Transfer struct {
	Tool  string `json:"tool"`
	Agent string `json:"agent"` // as the tool's output names it, "" where there is none
}

// transferPrefix begins the default name of a handoff's tool.
const transferPrefix = "transfer_to_"

// ofFormat returns the facts of a message that is not canonical.
func ofFormat(m *message.Message, of format.Format, limits jsonstream.Limits) Facts {
	root := m.Root()
	sizes, whole := newSizer(root)
	f := Facts{
		Format: of, Receivers: []Receiver{}, Completed: []Subtask{}, Remaining: []Subtask{}, Constraints: []string{}, Extensions: []string{},
		HandoffID: history.ID(root, of), Bytes: len(m.Raw()), CompactBytes: whole, Members: members(root, sizes, whole),
	}
	h, err := history.Of(m.Document(), of, limits)
	if err != nil { // what it carries cannot be read
		h = &history.History{Format: of, Root: root}
	}
	f.addHistory(h)
	switch of {
	case format.MACP:
		f.addSession(m.Document())
	case format.OpenAI:
		f.OpenAI = openAI(h)
		if n := len(f.OpenAI.Transfers); n > 0 {
			f.To.Type = f.OpenAI.Transfers[n-1].Agent
		}
	default:
		f.SW4RM = sw4rm(root, h)
		f.From.ID, f.To.Type = root.Get("from_agent").Text(), cmp.Or(root.Get("to_agent").Text(), root.Get("accepting_agent").Text())
		f.TaskDescription = f.SW4RM.Reason
	}
	return f
}

// addHistory adds the facts of the conversation, and of the context that it is in.
func (f *Facts) addHistory(h *history.History) {
	turns := make([]jsonstream.Value, len(h.Turns))
	for i, t := range h.Turns {
		turns[i] = t.Value
	}
	sizes, whole := newSizer(h.Root)
	f.VerbatimTurns, f.Roles, f.Tools = len(turns), roles(turns, sizes, speaker), called(h)
	if h.ContextFormat == format.EAAPL {
		f.SummaryCharacters = utf8.RuneCountInString(h.Root.Get("conversationHistorySummary").Text())
	}
	if v := h.Carrier(); v.Exists() {
		f.Context = &Context{Pointer: v.Pointer(), Format: h.ContextFormat, Bytes: whole, Members: members(h.Root, sizes, whole)}
	}
}

// speaker returns the role of a turn, the type of an item that has none, and the role
// of a string that is one.
func speaker(turn jsonstream.Value) string {
	if turn.Kind() == jsonstream.String {
		return "user"
	}
	item := conversation.Item(turn)
	return cmp.Or(roleOf(item), item.Get("type").Text())
}

// called tells which tools a conversation has calls of.
func called(h *history.History) []Tool {
	all := []Tool{}
	seen := places{}
	add := func(name string) {
		i, added := seen.of(name)
		if added {
			all = append(all, Tool{Tool: name})
		}
		all[i].Calls++
	}
	for _, t := range h.Turns {
		if h.ContextFormat == format.SW4RMContext && t.Role == "tool" { // SW4RM has the results only
			add(t.Name())
			continue
		}
		for e := range conversation.ToolEvents(t.Value) {
			if !e.Result {
				add(cmp.Or(e.Item.Get("name").Text(), e.Item.Get("function").Get("name").Text(), e.Item.Get("type").Text()))
			}
		}
	}
	return all
}

// addSession adds the facts of a MACP session.
func (f *Facts) addSession(doc *jsonstream.Document) {
	transcript, _ := macp.Read(doc)
	p := macp.Project(transcript, macp.Options{})
	f.MACP = &p
	f.From.ID, f.TaskDescription = p.Initiator, p.Intent
	if n := len(p.Handoffs); n > 0 {
		f.To.Type = p.Handoffs[n-1].Target
	}
	if n := len(p.TimeLine); n > 0 {
		f.Timestamp = p.TimeLine[n-1].Time
	}
}

func sw4rm(root jsonstream.Value, h *history.History) *SW4RM {
	s := &SW4RM{
		RequestID:       root.Get("request_id").Text(),
		HandoffID:       root.Get("handoff_id").Text(),
		Reason:          root.Get("reason").Text(),
		Capabilities:    []string{},
		PreserveHistory: boolean(root.Get("preserve_history")),
		Priority:        numberText(root.Get("priority")),
		Timeout:         slices.Clone(json.RawMessage(root.Get("timeout").Raw())),
		Accepted:        boolean(root.Get("accepted")),
		Status:          root.Get("status").Text(),
		RejectionReason: root.Get("rejection_reason").Text(),
		ToolState:       []Count{},
		Metadata:        []string{},
	}
	for _, c := range root.Get("capabilities_required").Elements() {
		if c.Kind() == jsonstream.String {
			s.Capabilities = append(s.Capabilities, c.Text())
		}
	}
	if h.ContextFormat == format.SW4RMContext {
		for name, v := range h.Root.Get("tool_state").Members() {
			s.ToolState = append(s.ToolState, Count{name, v.Len()})
		}
	}
	for name := range root.Get("metadata").Members() {
		s.Metadata = append(s.Metadata, name)
	}
	return s
}

func boolean(v jsonstream.Value) *bool {
	if v.Kind() != jsonstream.True && v.Kind() != jsonstream.False {
		return nil
	}
	is := v.Kind() == jsonstream.True
	return &is
}

func openAI(h *history.History) *OpenAI {
	o := &OpenAI{Lists: []ItemList{}, Transfers: []Transfer{}}
	types := make([]places, len(h.Lists))
	for i, list := range h.Lists {
		types[i] = places{}
		o.Lists = append(o.Lists, ItemList{Name: list.Name, Types: []Count{}})
	}
	calls := map[string]int{} // transfers, by the ids of their calls
	for _, t := range h.Turns {
		item := t.Item()
		kind := item.Get("type").Text()
		if kind == "" && t.Role != "" {
			kind = "message"
		}
		list := &o.Lists[t.List]
		i, added := types[t.List].of(kind)
		if added {
			list.Types = append(list.Types, Count{Name: kind})
		}
		list.Types[i].Count++
		list.Items++
		id := item.Get("call_id").Text()
		if name := item.Get("name").Text(); kind == "function_call" && strings.HasPrefix(name, transferPrefix) {
			calls[id] = len(o.Transfers)
			o.Transfers = append(o.Transfers, Transfer{Tool: name})
		}
		if at, ok := calls[id]; ok && kind == "function_call_output" {
			o.Transfers[at].Agent = transferredTo(item.Get("output").Text())
		}
		if h.Lists[t.List].Name == "input_history" && isNested(t) {
			o.Nested++
		}
	}
	o.Lists = slices.DeleteFunc(o.Lists, func(l ItemList) bool { return !history.List{Value: h.Root.Get(l.Name)}.HasTurns() })
	return o
}

// isNested reports whether a turn is the summary of a nested history.
func isNested(t conversation.Turn) bool {
	text := t.Item().Get("content").Text()
	return t.Role == "assistant" && strings.Contains(text, openai.DefaultStart+"\n") && strings.HasSuffix(text, "\n"+openai.DefaultEnd)
}

// transferredTo returns the agent that the output of a handoff's tool names.
func transferredTo(output string) string {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(output)), jsonstream.Limits{})
	if err != nil {
		return ""
	}
	return doc.Root().Get("assistant").Text()
}
