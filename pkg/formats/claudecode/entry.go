package claudecode

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Entry is a line with a uuid: a node of a session's tree. Its texts have type K: string, or a
// substitute whose zero value stands for "".
type Entry[K comparable] struct {
	// Order is the entry's position in the file, to be set by the caller of EntryOf.
	Order         int
	UUID, Parent  K
	LogicalParent K // of a compaction: the last summarised entry
	Response      K // message.id, shared by the lines of one response
	Agent, Owner  K // agentId, sourceToolAssistantUUID
	Time          stamp
	Kind          string // user, assistant, attachment, system or progress
	Calls         []K    // the ids of tool calls
	Results       []K    // the ids of the calls whose results it contains
	Answers       bool   // it has results, perhaps without ids
	Sidechain     bool   // of a subagent
	Team, Meta    bool
	Compaction    bool // a compaction boundary
	Summary       bool // the summary that replaces the compacted conversation
	Retry         bool // the program's note that a request failed and is made again
	Interruption  bool // a user's line that only reports the interruption of a turn
	Briefing      bool // an attachment for a fork
	// AttachedCommand is set for an attachment of a queued command, and Queued if that is a text,
	// which the user typed while the agent worked. Source is its uuid as a turn.
	AttachedCommand, Queued bool
	Source                  K
	Kept                    *Kept[K] // of a compaction
}

// Kept lists the entries that a compaction left unchanged, between its summary and the next
// entry: the entries in UUIDs, or the entries from Head to Tail.
type Kept[K comparable] struct {
	Anchor     K
	UUIDs      []K
	Segment    bool
	Head, Tail K
}

// kinds are the kinds of entries, which share these strings.
var kinds = []string{"user", "assistant", "attachment", "system", "progress"}

// EntryOf returns the entry of a line, or false if the line is not one. Its texts are copies,
// which outlive the line's document.
func EntryOf(line jsonstream.Value) (e Entry[string], ok bool) { return entryOf(line, strings.Clone) }

// entryOf is like EntryOf, but has a function that converts the texts, which are valid only as
// long as the line's document.
func entryOf[K comparable](line jsonstream.Value, of func(string) K) (e Entry[K], ok bool) {
	kind := slices.Index(kinds, line.Get("type").Text())
	if kind < 0 || line.Get("uuid").Kind() != jsonstream.String {
		return e, false
	}
	e.Kind = kinds[kind]
	for name, v := range line.Members() {
		switch name {
		case "uuid":
			e.UUID = of(v.Text())
		case "parentUuid":
			e.Parent = of(v.Text())
		case "agentId":
			e.Agent = of(v.Text())
		case "sourceToolAssistantUUID":
			e.Owner = of(v.Text())
		case "timestamp":
			e.Time = stampOf(v.Text())
		case "isSidechain":
			e.Sidechain = truthy(v)
		case "teamName":
			e.Team = truthy(v)
		case "isMeta":
			e.Meta = truthy(v)
		case "isCompactSummary":
			e.Summary = truthy(v)
		case "message":
			e.addMessage(v, of)
		case "attachment":
			e.addAttachment(v, of)
		case "subtype":
			e.Compaction = e.Kind == "system" && v.Text() == "compact_boundary"
			e.Retry = e.Kind == "system" && v.Text() == "api_error"
		}
	}
	if e.Compaction {
		e.LogicalParent, e.Kept = of(line.Get("logicalParentUuid").Text()), keptBy(line.Get("compactMetadata"), of)
	}
	return e, true
}

func (e *Entry[K]) addMessage(message jsonstream.Value, of func(string) K) {
	if e.Kind == "assistant" {
		e.Response = of(message.Get("id").Text())
	}
	content := message.Get("content")
	e.Interruption = e.Kind == "user" && isInterruption(content)
	for _, block := range content.Elements() {
		switch block.Get("type").Text() {
		case "tool_use":
			if id := block.Get("id"); id.Kind() == jsonstream.String {
				e.Calls = append(e.Calls, of(id.Text()))
			}
		case "tool_result":
			e.Answers = true
			if id := block.Get("tool_use_id"); id.Kind() == jsonstream.String {
				e.Results = append(e.Results, of(id.Text()))
			}
		}
	}
}

func (e *Entry[K]) addAttachment(attached jsonstream.Value, of func(string) K) {
	if e.Kind != "attachment" {
		return
	}
	switch attached.Get("type").Text() {
	case "fork_briefing":
		e.Briefing = true
	case "queued_command":
		prompt := attached.Get("prompt").Kind()
		e.AttachedCommand = true
		e.Queued = !truthy(attached.Get("isMeta")) && (prompt == jsonstream.String || prompt == jsonstream.Array)
		e.Source = of(attached.Get("source_uuid").Text())
	}
}

// keptBy returns the entries that a compaction left unchanged, or nil.
func keptBy[K comparable](metadata jsonstream.Value, of func(string) K) *Kept[K] {
	if all := metadata.Get("preservedMessages"); truthy(all) {
		k := &Kept[K]{Anchor: of(all.Get("anchorUuid").Text())}
		for _, uuid := range all.Get("uuids").Elements() {
			k.UUIDs = append(k.UUIDs, of(uuid.Text()))
		}
		return k
	}
	if ends := metadata.Get("preservedSegment"); truthy(ends) {
		return &Kept[K]{
			Anchor: of(ends.Get("anchorUuid").Text()), Segment: true,
			Head: of(ends.Get("headUuid").Text()), Tail: of(ends.Get("tailUuid").Text()),
		}
	}
	return nil
}

// truthy reports whether a value is true in JavaScript.
func truthy(v jsonstream.Value) bool {
	switch v.Kind() {
	case jsonstream.Absent, jsonstream.Null, jsonstream.False:
		return false
	case jsonstream.String:
		return v.Text() != ""
	case jsonstream.Number:
		return strings.ContainsAny(string(v.Raw()), "123456789")
	}
	return true
}

// isInterruption reports whether a user's line only reports the interruption of a turn.
func isInterruption(content jsonstream.Value) bool {
	const mark = "[Request interrupted by user"
	if content.Kind() == jsonstream.String {
		return strings.HasPrefix(content.Text(), mark)
	}
	for _, block := range content.Elements() {
		if block.Get("type").Text() != "text" || !strings.HasPrefix(block.Get("text").Text(), mark) {
			return false
		}
	}
	return content.Len() > 0
}
