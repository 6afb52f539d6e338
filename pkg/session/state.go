package session

import (
	"cmp"
	"crypto/sha256"
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// Member is the member of extensions that describes the session of a message.
const Member = "session"

// StateOptions supply data that a session lacks, and limits.
type StateOptions struct {
	// BudgetUSD is the receiver's remaining budget, in US dollars.
	BudgetUSD message.Decimal
	// MaxText bounds the input of a call and the result of a tool, in bytes; 0 for any length.
	MaxText int
	// Bytes is the approximate limit of the message; 0 means none. Lists, files, texts and tool
	// calls are limited so that turns fit too. The latest are kept.
	Bytes int
}

// A State is an agent state (schemas/agent-state-1.schema.json) made of a session.
type State struct {
	Text    []byte // JSON
	Secrets int    // credentials that were masked
	Seed    [32]byte
}

// State returns the agent's knowledge at the end of the session, as the input of
// [github.com/eaapl/handoff/pkg/build.Message]. It is deterministic. Credentials that package
// secrets finds are masked, and so are values assigned to a credential's name. docs/sessions.md
// lists the source of each member. The error reports a text that JSON cannot hold.
func (s *Session) State(o StateOptions) (State, error) {
	w := &stateWriter{Session: s, o: o}
	text, err := json.Marshal(w.state(), json.Deterministic(true))
	if err != nil {
		return State{}, err
	}
	return State{text, w.secrets, sha256.Sum256(text)}, nil
}

// AgentVersion returns the agent's version if it is a semantic version, else 0.0.0.
func (s *Session) AgentVersion() string {
	parts := strings.Split(s.Version, ".")
	for _, part := range parts {
		if part == "" || strings.Trim(part, "0123456789") != "" || len(part) > 1 && part[0] == '0' {
			return "0.0.0"
		}
	}
	if len(parts) != 3 {
		return "0.0.0"
	}
	return s.Version
}

// A stateWriter makes the members of a state.
type stateWriter struct {
	*Session
	o       StateOptions
	secrets int
}

type state struct {
	TaskID                      string                     `json:"taskId"`
	ExecutionID                 string                     `json:"executionId"`
	TaskDescription             string                     `json:"taskDescription"`
	CompletedSubtasks           []message.CompletedSubtask `json:"completedSubtasks"`
	RemainingSubtasks           []message.RemainingSubtask `json:"remainingSubtasks"`
	CurrentState                currentState               `json:"currentState"`
	RelevantContext             []message.ContextItem      `json:"relevantContext"`
	ConversationHistorySummary  string                     `json:"conversationHistorySummary"`
	ConversationHistoryVerbatim []stateTurn                `json:"conversationHistoryVerbatim"`
	ToolCalls                   []stateCall                `json:"toolCalls"`
	Cost                        stateCost                  `json:"cost"`
	Extensions                  map[string]origin          `json:"extensions"`
}

type currentState struct {
	Folder string `json:"folder"`
	Branch string `json:"branch,omitzero"`
	Files  []File `json:"files"`
	// FilesLeftOut is the number of omitted files.
	FilesLeftOut int `json:"filesLeftOut,omitzero"`
}

type stateCall struct {
	Tool      string `json:"tool"`
	CalledAt  string `json:"calledAt"`
	InputHash string `json:"inputHash,omitzero"`
}

type stateCost struct {
	CostUSD   message.Number     `json:"costUSD"`
	BudgetUSD message.Number     `json:"budgetUSD"`
	Tokens    message.TokenSpent `json:"tokens"`
}

// An origin describes the session of a state, and the share of it that is included.
type origin struct {
	Agent        Agent           `json:"agent"`
	ID           string          `json:"id"`
	Title        string          `json:"title,omitzero"`
	Version      string          `json:"version,omitzero"`
	Model        string          `json:"model,omitzero"`
	Began        string          `json:"began,omitzero"`
	Ended        string          `json:"ended,omitzero"`
	Bytes        int64           `json:"bytes"`
	Lines        int             `json:"lines"`
	DamagedLines int             `json:"damagedLines"`
	Unknown      []UnknownRecord `json:"unknownRecords,omitzero"`
	Requests     int             `json:"requests"`
	ToolCalls    int             `json:"toolCalls"`
	TurnsLeftOut int             `json:"turnsLeftOut"`
	Compactions  int             `json:"compactions"`
	Omissions    []stateOmission `json:"omissions,omitzero"`
	Usage        Usage           `json:"usage"`
	CostUSD      *message.Number `json:"costUSD"` // null if unknown
}

// A stateOmission is an [Omission] in a state.
type stateOmission struct {
	Cause     Cause `json:"cause"`
	Turns     int   `json:"turns"`
	FirstLine int   `json:"firstLine"`
}

func (w *stateWriter) state() state {
	cost := message.NewDecimal(0, 0)
	if w.Usage.CostUSD != nil {
		cost = *w.Usage.CostUSD
	}
	s := state{
		TaskID: w.uuid("task"), ExecutionID: w.uuid("execution"),
		TaskDescription:             w.task(),
		CurrentState:                w.current(),
		RelevantContext:             w.context(),
		ConversationHistorySummary:  w.summary(),
		ConversationHistoryVerbatim: w.turns(),
		ToolCalls:                   w.calls(),
		Cost: stateCost{
			CostUSD: message.Number(cost.String()), BudgetUSD: message.Number(w.o.BudgetUSD.Add(cost).String()),
			Tokens: tokenSpent(w.Usage),
		},
	}
	if id, err := uuid.Parse(w.ID); err == nil && id.Version() == 4 && id.Variant() == uuid.RFC4122 && len(w.ID) == 36 {
		s.ExecutionID = strings.ToLower(w.ID)
	}
	s.CompletedSubtasks, s.RemainingSubtasks = w.subtasks()
	s.Extensions = map[string]origin{Member: w.origin()}
	return s
}

// share returns the latest elements of list that fit an eighth of the state, in order.
func share[T any](w *stateWriter, list []T, size func(T) int) []T {
	n := len(list)
	for room := w.o.Bytes / 8; n > 0; n-- {
		if room -= size(list[n-1]); w.o.Bytes > 0 && room < 0 {
			break
		}
	}
	return list[n:]
}

// part returns the beginning of text that fits an eighth of the state, masked.
func (w *stateWriter) part(text string) string {
	if w.o.Bytes > 0 {
		text = Clip(text, w.o.Bytes/8)
	}
	return w.mask(text)
}

// current returns the folder and the touched files, preferring changed ones.
func (w *stateWriter) current() currentState {
	files := slices.Clone(w.Files)
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(min(a.Changed, 1), min(b.Changed, 1)) })
	files = share(w, files, func(f File) int { return len(f.Path) + 40 })
	c := currentState{w.mask(w.Folder), w.mask(w.Branch), []File{}, len(w.Files) - len(files)}
	for _, f := range files {
		f.Path = w.mask(f.Path)
		c.Files = append(c.Files, f)
	}
	return c
}

func tokenSpent(u Usage) message.TokenSpent {
	return message.TokenSpent{Prompt: message.Number(fmt.Sprint(u.Prompt())), Completion: message.Number(fmt.Sprint(u.Output))}
}

func (w *stateWriter) origin() origin {
	o := origin{
		Agent: w.Agent, ID: w.mask(w.ID), Title: w.mask(Clip(w.Title, 200)), Version: w.mask(w.Version), Model: w.mask(w.Model),
		Bytes: w.Bytes, Lines: w.Lines, DamagedLines: w.Damaged, Requests: w.RequestCount, ToolCalls: w.CallCount,
		TurnsLeftOut: w.TurnsLeftOut, Compactions: w.Compactions, Usage: w.Usage,
	}
	for _, omitted := range w.Omissions {
		o.Omissions = append(o.Omissions, stateOmission{omitted.Cause, omitted.Turns, omitted.Lines[0]})
	}
	for _, u := range w.UnknownRecords() {
		u.Type = w.mask(Clip(u.Type, 200))
		o.Unknown = append(o.Unknown, u)
	}
	if !w.Began.IsZero() {
		o.Began, o.Ended = w.Began.Format("2006-01-02T15:04:05.000Z"), w.Ended.Format("2006-01-02T15:04:05.000Z")
	}
	if w.Usage.CostUSD != nil {
		o.CostUSD = new(message.Number(w.Usage.CostUSD.String()))
	}
	return o
}

// uuid returns a version 4 id that depends only on the session and purpose.
func (w *stateWriter) uuid(purpose string) string {
	sum := sha256.Sum256([]byte("handoff session\x00" + purpose + "\x00" + string(w.Agent) + "\x00" + w.ID))
	id := uuid.UUID(sum[:16])
	id[6], id[8] = id[6]&0x0F|0x40, id[8]&0x3F|0x80
	return id.String()
}

// mask returns text with a note in place of every credential.
func (w *stateWriter) mask(text string) string {
	masked, notes := secrets.Mask(text)
	w.secrets += notes
	return masked
}

// task returns the user's first request and the latest others.
func (w *stateWriter) task() string {
	const others, bytes = 5, 500
	if len(w.Requests) == 0 {
		return cmp.Or(w.mask(Clip(w.Title, bytes)), "Continue the session of "+string(w.Agent))
	}
	text := w.part(w.Requests[0].Text)
	rest := w.Requests[1:]
	if len(rest) == 0 {
		return text
	}
	text += "\n\nThe last requests of the user:"
	for _, r := range share(w, rest[max(0, len(rest)-others):], func(r Request) int { return min(len(r.Text), bytes) }) {
		text += "\n- " + w.mask(Clip(r.Text, bytes))
	}
	return text
}

// subtasks returns the finished and the remaining work: answered requests; unanswered ones, as after
// an interruption by the user; and the agent's to-do list. The last request remains while that list
// has open entries.
func (w *stateWriter) subtasks() (done []message.CompletedSubtask, left []message.RemainingSubtask) {
	left = []message.RemainingSubtask{}
	open := w.Open
	for _, todo := range w.Todos {
		open = open || !todo.Done()
	}
	for i, r := range w.Requests {
		number := i + 1
		if i > 0 {
			number += w.RequestCount - len(w.Requests)
		}
		id, description := fmt.Sprintf("request-%d", number), w.mask(Clip(r.Text, 300))
		if r.Answer == "" || i == len(w.Requests)-1 && open {
			left = append(left, message.RemainingSubtask{SubtaskID: id, Description: description})
		} else {
			done = append(done, message.CompletedSubtask{SubtaskID: id, Description: description, Result: w.quoted(Clip(r.Answer, 1000)), CompletedAt: ""})
		}
	}
	for i, todo := range w.Todos {
		id, description := fmt.Sprintf("todo-%d", i+1), w.mask(Clip(todo.Text, 300))
		if todo.Done() {
			done = append(done, message.CompletedSubtask{SubtaskID: id, Description: description})
		} else {
			left = append(left, message.RemainingSubtask{SubtaskID: id, Description: description})
		}
	}
	done = share(w, done, func(t message.CompletedSubtask) int { return len(t.Description) + len(t.Result) + 60 })
	left = share(w, left, func(t message.RemainingSubtask) int { return len(t.Description) + 50 })
	if len(done) == 0 {
		done = []message.CompletedSubtask{{SubtaskID: "session", Description: fmt.Sprintf("Worked on the task in a session of %s, with %d tool calls", w.Agent, w.CallCount)}}
	}
	return done, left
}

// quoted returns text as a JSON string, nil if it is empty.
func (w *stateWriter) quoted(text string) stdjson.RawMessage {
	if text == "" {
		return nil
	}
	quoted, _ := json.Marshal(w.mask(text))
	return stdjson.RawMessage(quoted)
}

// context returns the user's decisions.
func (w *stateWriter) context() []message.ContextItem {
	items := []message.ContextItem{}
	for _, d := range share(w, w.Decisions, func(d Decision) int { return len(d.Text) + 100 }) {
		source := map[string]string{"question": "the user's answer to a question", "plan": "the user's decision on a plan", "rejection": "the user's rejection"}[d.Kind]
		if d.Time != "" {
			source += ", " + d.Time
		}
		items = append(items, message.ContextItem{Source: source, Excerpt: w.mask(d.Text)})
	}
	return items
}

// summary returns a compaction's summary of the earlier conversation, and the number of turns
// dropped after it.
func (w *stateWriter) summary() string {
	text := w.part(w.Summary)
	if w.Compactions > 0 && text == "" {
		text = "The agent compacted the conversation before these turns; its summary cannot be read."
	}
	if w.TurnsLeftOut > 0 {
		turns := "1 earlier turn is"
		if w.TurnsLeftOut > 1 {
			turns = fmt.Sprintf("%d earlier turns are", w.TurnsLeftOut)
		}
		text = strings.TrimPrefix(fmt.Sprintf("%s\n\n%s left out.", text, turns), "\n\n")
	}
	return text
}

// calls returns the latest tool calls, with the digests of their inputs.
func (w *stateWriter) calls() []stateCall {
	list := []stateCall{}
	for _, call := range share(w, w.Calls, func(c Call) int { return len(c.Tool) + 150 }) {
		if call.Time == "" {
			continue
		}
		list = append(list, stateCall{w.mask(call.Tool), call.Time, inputHash(call.Input)})
	}
	return list
}

// inputHash returns the digest of an input over its canonical form, as package build computes it. An
// input that is not JSON is hashed as a string. The digest is "" if there is no canonical form.
func inputHash(input string) string {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(input)), jsonstream.Unlimited())
	if err != nil {
		quoted, failed := json.Marshal(input)
		if doc, err = jsonstream.Parse(jsonstream.NewRaw(quoted), jsonstream.Unlimited()); failed != nil || err != nil {
			return ""
		}
	}
	canonical, err := jsonstream.AppendCanonical(nil, doc.Root(), jsonstream.CanonicalOptions{})
	if err != nil {
		return ""
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(canonical))
}
