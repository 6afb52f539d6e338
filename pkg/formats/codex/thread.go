package codex

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Thread is the conversation of a rollout as Codex resumes it. A compaction replaces the turns
// before it by its replacement_history, or by the user's messages and its summary. A rollback removes the
// last turns of the user, and a compaction among them.
//
// It follows reconstruct_history_from_rollout of codex-rs; codex exec resume sends the same turns.
type Thread struct{ lines []Line }

// A Line is the effect of a line on the conversation.
type Line struct {
	Index  int32 // in the file, to be set by the caller of LineOf
	effect effect
	nature nature
	count  int32    // of the user's turns that a rollback takes back
	agent  uint64   // a hash of the id of the agent's turn, 0 for none
	within []nature // of the turns that a compaction holds
	sealed bool     // a compaction has an encrypted summary, or none
}

type effect uint8

const (
	isItem       effect = iota // it is an item
	compacts                   // a compaction with the turns that replace all others
	summarises                 // a compaction with a summary
	rollsBack                  // the user took turns back
	beginsTurn                 // a turn of the agent begins
	endsTurn                   // a turn of the agent ends
	abortsTurn                 // a turn of the agent is interrupted
	showsRequest               // an event for a message of the user
	setsTurn                   // the settings of a turn of the agent
)

type nature uint8

const (
	other     nature = iota
	request          // a message of the user
	summary          // the summary of a compaction, as a message of the user
	addedText        // a message that Codex added, in the name of the user or the developer
	fromAgent        // a message from another agent
)

// begins reports whether a turn of the user begins with a turn of this nature, for a rollback.
func (n nature) begins() bool { return n == request || n == fromAgent }

// LineOf returns the effect of a line, or false if it has none.
func LineOf(line jsonstream.Value) (l Line, ok bool) {
	kind, payload := line.Get("type").Text(), line.Get("payload")
	if payload.Kind() != jsonstream.Object { // the form of the first versions
		return Line{nature: natureOf(line)}, kind != ""
	}
	switch kind {
	case "response_item":
		return Line{nature: natureOf(payload)}, true
	case conversation.AgentCommunication:
		return Line{nature: fromAgent}, true
	case compactedType:
		l.effect = compacts
		if payload.Get("replacement_history").Kind() != jsonstream.Array {
			l.effect = summarises
		}
		told := false
		for _, turn := range Within(line) {
			l.within = append(l.within, natureOf(turn))
			told = told || turn.Kind() == jsonstream.String || turn.Get("type").Text() == "message"
			l.sealed = l.sealed || IsSealed(turn)
		}
		l.sealed = l.sealed || !told
		return l, true
	case "turn_context":
		return Line{effect: setsTurn, agent: hashOf(payload.Get("turn_id"))}, true
	case "event_msg":
		switch payload.Get("type").Text() {
		case "thread_rolled_back":
			count := min(format.Natural(payload.Get("num_turns")), math.MaxInt32)
			return Line{effect: rollsBack, count: int32(count)}, true
		case "task_started", "turn_started":
			return Line{effect: beginsTurn, agent: hashOf(payload.Get("turn_id"))}, true
		case "task_complete", "turn_complete":
			return Line{effect: endsTurn, agent: hashOf(payload.Get("turn_id"))}, true
		case "turn_aborted":
			return Line{effect: abortsTurn, agent: hashOf(payload.Get("turn_id"))}, true
		case userMessage:
			return Line{effect: showsRequest}, true
		}
	}
	return Line{}, false
}

// IsSealed reports whether a turn of a compaction is its summary, encrypted.
func IsSealed(turn jsonstream.Value) bool {
	return turn.Get("encrypted_content").Text() != "" && turn.Get("type").Text() != "reasoning"
}

// compactedType is the type of the line of a compaction.
const compactedType = "compacted"

// Within returns the turns in the line of a compaction, nil for any other line: the items that
// replace the earlier ones, or the summary, which is a string.
func Within(line jsonstream.Value) []jsonstream.Value {
	payload := line.Get("payload")
	if line.Get("type").Text() != compactedType || payload.Kind() != jsonstream.Object {
		return nil
	}
	turns := []jsonstream.Value{}
	history := payload.Get("replacement_history")
	for _, item := range history.Elements() {
		if item.Kind() == jsonstream.Object {
			turns = append(turns, item)
		}
	}
	if text := payload.Get("message"); history.Kind() != jsonstream.Array && text.Text() != "" {
		turns = append(turns, text)
	}
	return turns
}

// hold returns the line of a compaction with other turns in the place of its first.
func hold(line jsonstream.Value, first int, turns []jsonstream.Value) []byte {
	history := []byte{'['}
	for _, turn := range slices.Concat(turns, Within(line)[first:]) {
		item := conversation.Item(turn).Raw()
		if turn.Kind() == jsonstream.String {
			item = format.Fill(`{"type":"message","role":"user","content":[{"type":"input_text","text":%}]}`, turn.Text())
		}
		history = append(jsonstream.AppendComma(history), item...)
	}
	d := jsonstream.NewDraft(line)
	if err := d.Set("/payload/replacement_history", append(history, ']')); err != nil {
		panic(err) // impossible: the payload is an object
	}
	return d.Bytes()
}

// lift returns the line of an item, with the time of the line of a compaction.
func lift(line, item jsonstream.Value) []byte {
	if item.Get("payload").Exists() {
		return item.Raw()
	}
	return append(append(format.Fill(`{"timestamp":%,"type":"response_item","payload":`, line.Get("timestamp").Text()), item.Raw()...), '}')
}

func hashOf(id jsonstream.Value) uint64 {
	if id.Text() == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id.Text())) // never fails
	return h.Sum64() | 1
}

func natureOf(item jsonstream.Value) nature {
	kind, role := item.Get("type").Text(), item.Get("role").Text()
	added := ofProgram
	switch {
	case item.Kind() == jsonstream.String && isOwnSummary(item.Text()):
		return summary
	case item.Kind() == jsonstream.String:
		return request
	case kind == conversation.AgentMessage, role == "assistant" && isCommunication(item):
		return fromAgent
	case kind != "message":
		return other
	case role == "developer":
		added = ofDeveloper
	case role != "user":
		return other
	}
	for _, part := range item.Get("content").Elements() {
		text := part.Get("text").Text()
		if isOwnSummary(text) {
			return summary
		}
		if slices.ContainsFunc(added, func(mark string) bool { return strings.HasPrefix(text, mark) }) {
			return addedText
		}
	}
	if role == "user" {
		return request
	}
	return other
}

// isCommunication reports whether a message of the assistant is one from another agent, in the form of earlier
// versions: as JSON.
func isCommunication(item jsonstream.Value) bool {
	text := ""
	for i, part := range item.Get("content").Elements() {
		if text = part.Get("text").Text(); i > 0 || !strings.HasPrefix(text, "{") || !strings.Contains(text, `"trigger_turn"`) {
			return false
		}
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		return false
	}
	m := doc.Root()
	isTold := m.Get("trigger_turn").Kind() == jsonstream.True || m.Get("trigger_turn").Kind() == jsonstream.False
	for _, name := range []string{"author", "recipient", "content"} {
		isTold = isTold && m.Get(name).Kind() == jsonstream.String
	}
	return isTold
}

// isOwnSummary reports whether Codex takes a text of the user for the summary of a compaction.
func isOwnSummary(text string) bool {
	return strings.HasPrefix(text, summaryPrefix)
}

// IsSummary reports whether a text of the user is the summary that a compaction made.
func IsSummary(text string) bool {
	return strings.HasPrefix(text, summaryMark)
}

// summaryMark begins the summary that a compaction gives to the model.
const summaryMark = "Another language model started to solve this problem"

// summaryPrefix is all that Codex writes before the text of a summary. It takes a text with another beginning for a
// message of the user.
const summaryPrefix = summaryMark + " and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. " +
	"Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, " +
	"use the information in this summary to assist with your own analysis:\n"

// ofDeveloper are the prefixes of texts that Codex adds as the developer before a turn.
var ofDeveloper = []string{"<permissions instructions>", "<model_switch>", "<collaboration_mode>", "<realtime_conversation>", "<personality_spec>"}

// IsTurn reports whether an item is a message of the user, the assistant or another agent, not the summary of a
// compaction.
func IsTurn(item jsonstream.Value) bool {
	role := item.Get("role").Text()
	return item.Get("type").Text() == conversation.AgentMessage || item.Get("type").Text() == "message" && (role == "assistant" || role == "user" && natureOf(item) != summary)
}

// Add adds lines in the order of the file.
func (t *Thread) Add(lines ...Line) { t.lines = append(t.lines, lines...) }

// A threadTurn is a turn during a replay.
type threadTurn struct {
	format.Spot
	nature nature
}

// Turns returns the places of the turns, oldest first; earlier has the places of the turns that compactions
// replaced, among them the turns of earlier compactions. Neither has rolled-back turns.
func (t *Thread) Turns() (turns, earlier []format.Spot) {
	return t.replay(func(Line, []threadTurn) {}, func(Line, []threadTurn) {})
}

// replay returns the result of Turns. It calls compacting with each compaction and the turns before it, and
// rolling with the turns that each rollback takes back.
func (t *Thread) replay(compacting func(l Line, now []threadTurn), rolling func(l Line, taken []threadTurn)) (turns, earlier []format.Spot) {
	void := t.takenBack()
	var now, before, within []threadTurn // within: turns of compactions that later ones replaced
	replace := func(turns []threadTurn) {
		for _, turn := range turns {
			if turn.Nth > 0 {
				within = append(within, turn)
			} else {
				before = append(before, turn)
			}
		}
	}
	for i, l := range t.lines {
		if void[i] {
			continue
		}
		held := make([]threadTurn, len(l.within))
		for n, nature := range l.within {
			held[n] = threadTurn{format.Spot{Index: l.Index, Nth: int32(n + 1)}, nature}
		}
		switch l.effect {
		case isItem:
			now = append(now, threadTurn{format.Spot{Index: l.Index}, l.nature})
		case compacts:
			compacting(l, now)
			replace(now)
			now = held
		case summarises:
			compacting(l, now)
			kept := slices.DeleteFunc(slices.Clone(now), func(turn threadTurn) bool { return turn.nature != request })
			replace(slices.DeleteFunc(now, func(turn threadTurn) bool { return turn.nature == request }))
			now = append(kept, held...)
		case rollsBack:
			rest := withoutLast(now, int(l.count))
			rolling(l, now[len(rest):])
			replaced := 0 // messages of the user that replaced earlier ones
			for _, turn := range now[len(rest):] {
				if turn.Nth > 0 && turn.nature == request {
					replaced++
				}
			}
			now, before = rest, withoutLast(before, replaced)
		}
	}
	before = append(before, within...)
	slices.SortFunc(before, func(a, b threadTurn) int { return cmp.Or(int(a.Index-b.Index), int(a.Nth-b.Nth)) })
	return spotsOf(now), spotsOf(before)
}

func spotsOf(turns []threadTurn) []format.Spot {
	spots := make([]format.Spot, len(turns))
	for i, turn := range turns {
		spots[i] = turn.Spot
	}
	return spots
}

// withoutLast returns turns without the last count turns of the user, all turns after them, and the texts
// that Codex added before the first of them. The summary of a compaction is no turn of the user; a message from
// another agent is one.
func withoutLast(turns []threadTurn, count int) []threadTurn {
	end := len(turns)
	for i := len(turns) - 1; i >= 0 && count > 0; i-- {
		if turns[i].nature.begins() {
			end = i
			count--
		}
	}
	first := slices.IndexFunc(turns, func(turn threadTurn) bool { return turn.nature.begins() })
	for first >= 0 && end > first && turns[end-1].nature == addedText && end < len(turns) {
		end--
	}
	return turns[:end]
}

// takenBack returns the compactions with the turns that replace all others that were made in turns that the user
// took back.
func (t *Thread) takenBack() map[int]bool {
	void := map[int]bool{}
	type agentTurn struct {
		id         uint64
		asked, any bool
		compacted  []int
	}
	var now agentTurn
	pending := 0
	end := func() {
		if pending > 0 && now.any {
			for _, i := range now.compacted {
				void[i] = true
			}
			if now.asked {
				pending--
			}
		}
		now = agentTurn{}
	}
	for i, l := range slices.Backward(t.lines) {
		switch l.effect {
		case isItem:
			if l.nature.begins() {
				now.any, now.asked = true, true
			}
		case showsRequest:
			now.any, now.asked = true, true
		case compacts:
			now.any, now.compacted = true, append(now.compacted, i)
		case summarises:
			now.any = true
		case rollsBack:
			pending = min(pending+int(l.count), math.MaxInt32)
		case endsTurn:
			if now.any = true; now.id == 0 {
				now.id = l.agent
			}
		case abortsTurn:
			if now.id == 0 {
				now.any, now.id = now.any || l.agent != 0, l.agent
			}
		case setsTurn:
			if now.any = true; now.id == 0 {
				now.id, now.asked = l.agent, true
			}
		case beginsTurn:
			if now.any && (now.id == 0 || l.agent == 0 || now.id == l.agent) {
				end()
			}
		}
	}
	end()
	return void
}
