package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// unreadableCompaction is the rule about compactions that hide the work before them.
const unreadableCompaction = "session/unreadable-compaction"

// unreachableTurns is the rule about turns that an agent does not find when it resumes a session.
const unreachableTurns = "session/unreachable-turns"

// The rules about compactions, rollbacks, running calls and unknown records.
const (
	uninformativeCompaction = "session/uninformative-compaction"
	returnedRequest         = "session/returned-request"
	runningCall             = "session/running-call"
	unknownRecords          = "session/unknown-records"
)

// sessionRules are the lint rules on sessions of coding agents.
func sessionRules() []finding.Rule {
	return []finding.Rule{{
		ID:       unreachableTurns,
		Layer:    finding.Lint,
		Severity: finding.Warning,
		Reason:   IncompleteContext,
		Summary:  "Turns in the file of a session cannot be reached from its last line.",
		Why:      "The agent resumes the session without them, so that a task or a constraint is missing and no one notices. A parentUuid names a line that is not in the file, or a request that failed and was made again has left its reply on a branch of its own. handoff repair links these lines again. A branch beside the conversation whose first line has no parent, and a turn without a uuid, are only reported.",
		Bad: `[{"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s1", "message": {"role": "user", "content": "Use tabs."}},
 {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s1", "message": {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}},
 {"type": "user", "uuid": "u2", "parentUuid": "x9", "sessionId": "s1", "message": {"role": "user", "content": "Commit."}}]`,
		Good: `[{"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s1", "message": {"role": "user", "content": "Use tabs."}},
 {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s1", "message": {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}},
 {"type": "user", "uuid": "u2", "parentUuid": "a1", "sessionId": "s1", "message": {"role": "user", "content": "Commit."}}]`,
		Whole: true,
	}, {
		ID:       unreadableCompaction,
		Layer:    finding.Lint,
		Severity: finding.Warning,
		Reason:   IncompleteContext,
		Summary:  "A compaction replaces turns by a summary that is encrypted or missing.",
		Why:      "Only the API that wrote the summary can read it. Another agent, a person or a handoff message learns nothing about the work before the compaction. Hand over the file before the compaction, or ask the agent for a summary in its own words.",
		Bad: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind the rye."}]}},
 {"timestamp": "2026-10-02T08:00:02.000Z", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Mill 2 is free."}]}},
 {"timestamp": "2026-10-02T08:00:03.000Z", "type": "compacted", "payload": {"message": "", "replacement_history": [{"type": "compaction", "encrypted_content": "gAAAA"}]}}]`,
		Good: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind the rye."}]}},
 {"timestamp": "2026-10-02T08:00:02.000Z", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Mill 2 is free."}]}},
 {"timestamp": "2026-10-02T08:00:03.000Z", "type": "compacted", "payload": {"message": "The user wants rye. Mill 2 is free.", "replacement_history": null}}]`,
		Whole: true,
	}, {
		ID:       uninformativeCompaction,
		Layer:    finding.Lint,
		Severity: finding.Warning,
		Reason:   IncompleteContext,
		Summary:  "A compaction replaces turns by a summary that names none of their files, errors and constraints.",
		Why:      "The agent goes on without what it may not do and what it has changed. The files that tools wrote, lines of errors in results, and sentences of the user such as \"never …\" and \"only …\" (in English) are looked for in the summary. One that is named is enough.",
		Bad: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind the rye. Never touch the payment folder."}]}},
 {"timestamp": "2026-10-02T08:00:02.000Z", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Ground."}]}},
 {"timestamp": "2026-10-02T08:00:03.000Z", "type": "compacted", "payload": {"message": "", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Another language model started to solve this problem and produced a summary of its thinking process. Things went well."}]}]}}]`,
		Good: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind the rye. Never touch the payment folder."}]}},
 {"timestamp": "2026-10-02T08:00:02.000Z", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Ground."}]}},
 {"timestamp": "2026-10-02T08:00:03.000Z", "type": "compacted", "payload": {"message": "", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Another language model started to solve this problem and produced a summary of its thinking process. The rye is ground; the payment folder must not be touched."}]}]}}]`,
		Whole: true,
	}, {
		ID:       returnedRequest,
		Layer:    finding.Lint,
		Severity: finding.Warning,
		Reason:   IncompleteContext,
		Summary:  "A compaction has a message that the user took back.",
		Why:      "The agent follows an instruction that does not hold any more. A message that the user sent again counts as said.",
		Bad: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind the rye."}]}},
 {"timestamp": "2026-10-02T08:00:03.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind it fine after all."}]}},
 {"timestamp": "2026-10-02T08:00:04.000Z", "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
 {"timestamp": "2026-10-02T08:00:04.000Z", "type": "event_msg", "payload": {"type": "task_started", "turn_id": "t2"}},
 {"timestamp": "2026-10-02T08:00:05.000Z", "type": "compacted", "payload": {"message": "", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Another language model started to solve this problem and produced a summary of its thinking process. The user wants rye. Grind it fine after all."}]}]}}]`,
		Good: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind the rye."}]}},
 {"timestamp": "2026-10-02T08:00:03.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind it fine after all."}]}},
 {"timestamp": "2026-10-02T08:00:04.000Z", "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
 {"timestamp": "2026-10-02T08:00:04.000Z", "type": "event_msg", "payload": {"type": "task_started", "turn_id": "t2"}},
 {"timestamp": "2026-10-02T08:00:05.000Z", "type": "compacted", "payload": {"message": "", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Another language model started to solve this problem and produced a summary of its thinking process. The user wants rye."}]}]}}]`,
		Whole: true,
	}, {
		ID:       runningCall,
		Layer:    finding.Lint,
		Severity: finding.Warning,
		Reason:   IncompleteContext,
		Summary:  "A session ends while a tool call runs.",
		Why:      "The call may have had its effect, such as a deployment, although no result says so. Find out before the call is made again; handoff repair gives it a result that says that the run was interrupted.",
		Bad: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Deploy the mill."}]}},
 {"timestamp": "2026-10-02T08:00:02.000Z", "type": "response_item", "payload": {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{\"command\":[\"make\",\"deploy\"]}"}}]`,
		Good: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Deploy the mill."}]}},
 {"timestamp": "2026-10-02T08:00:02.000Z", "type": "response_item", "payload": {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{\"command\":[\"make\",\"deploy\"]}"}},
 {"timestamp": "2026-10-02T08:00:03.000Z", "type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": "deployed"}}]`,
		Whole: true,
	}, {
		ID:       unknownRecords,
		Layer:    finding.Lint,
		Severity: finding.Warning,
		Reason:   IncompleteContext,
		Summary:  "Records of a session are of a type that the reader does not know.",
		Why:      "A newer version of the agent may have added them. They are kept, but their content is not part of the conversation that is read. Each type is reported once, with the number of its records.",
		Bad: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind the rye."}]}},
 {"timestamp": "2026-10-02T08:00:02.000Z", "type": "branch_note", "payload": {"text": "Use mill 2."}}]`,
		Good: `[{"timestamp": "2026-10-02T08:00:00.000Z", "type": "session_meta", "payload": {"id": "5d0c2a6e-0000-4000-8000-00000000000b", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/mill", "originator": "codex", "cli_version": "0.169.0"}},
 {"timestamp": "2026-10-02T08:00:01.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grind the rye."}]}},
 {"timestamp": "2026-10-02T08:00:02.000Z", "type": "event_msg", "payload": {"type": "agent_message", "message": "Use mill 2."}}]`,
		Whole: true,
	}}
}

// lintSession returns warnings about lost turns, compactions, running calls and unknown records of a session.
func lintSession(doc *jsonstream.Document, f format.Format) []finding.Finding {
	known := formats.Named(f).Known
	if known == nil || known.Trail == nil {
		return nil
	}
	var all []jsonstream.Value
	var unknown format.Unknowns
	for i, v := range known.List(doc.Root()).Elements() {
		all = append(all, v)
		unknown.Add(known, i, v)
	}
	trail := known.Trail()
	trail.Add(trail.Read(slices.All(all)))
	found, err := lintTrail(known, trail, unknown, func(indices []int) ([]jsonstream.Value, error) {
		values := make([]jsonstream.Value, len(indices))
		for i, index := range indices {
			values[i] = all[index]
		}
		return values, nil
	})
	if err != nil {
		panic(err) // impossible: read does not fail
	}
	return found
}

// lintTrail returns the findings about a session by its trail. read returns the lines with indices, which are valid
// until it is called again.
func lintTrail(known *format.Elements, trail format.Trail, unknown format.Unknowns, read func(indices []int) ([]jsonstream.Value, error)) (found []finding.Finding, err error) {
	l := sessionLinter{known: known, read: read}
	if lossy, ok := trail.(format.Lossy); ok {
		losses := lossy.Losses()
		for _, loss := range losses[:min(len(losses), maxPerRule)] {
			l.on(loss.At, func(line jsonstream.Value) finding.Finding { return lossFinding(loss, line) })
		}
	}
	turns := trail.Turns()
	if revising, ok := trail.(format.Revising); ok {
		compactions := revising.Compactions()
		for _, c := range compactions[:min(len(compactions), maxPerRule)] {
			l.compaction(c)
		}
		l.returned(revising.RolledBack(), turns, compactions)
	}
	if known.Kind != nil {
		l.running(turns)
		l.unknown(unknown)
	}
	return l.found, l.err
}

// A sessionLinter collects the findings about a session.
type sessionLinter struct {
	known *format.Elements
	read  func(indices []int) ([]jsonstream.Value, error)
	found []finding.Finding
	err   error
}

// on adds a finding at a line.
func (l *sessionLinter) on(index int, of func(line jsonstream.Value) finding.Finding) {
	if l.err != nil {
		return
	}
	values, err := l.read([]int{index})
	if l.err = err; err == nil {
		l.found = append(l.found, of(values[0]))
	}
}

// warn adds a finding of a rule at a value.
func (l *sessionLinter) warn(rule string, at jsonstream.Value, message string, args ...any) finding.Finding {
	f := finding.Finding{Rule: rule, Layer: finding.Lint, Severity: finding.Warning, Reason: IncompleteContext, Message: fmt.Sprintf(message, args...)}
	return f.On(at)
}

// linesAtOnce is the number of lines that are in memory at once.
const linesAtOnce = 64

// each calls do with the turns at spots, in order, until it returns false.
func (l *sessionLinter) each(spots []format.Spot, do func(spot format.Spot, turn jsonstream.Value) bool) {
	for len(spots) > 0 && l.err == nil {
		n := min(len(spots), linesAtOnce)
		part := spots[:n]
		spots = spots[n:]
		var indices []int
		at := map[int32]int{}
		for _, s := range part {
			if _, known := at[s.Index]; !known {
				at[s.Index] = len(indices)
				indices = append(indices, int(s.Index))
			}
		}
		values, err := l.read(indices)
		if l.err = err; err != nil {
			return
		}
		for i, turn := range l.known.At(part, func(index int) jsonstream.Value { return values[at[int32(index)]] }) {
			if !do(part[i], turn) {
				return
			}
		}
	}
}

// compaction adds a finding if the turns of a compaction name nothing of what they replace.
func (l *sessionLinter) compaction(c format.Compaction) {
	var lost facts
	l.each(c.Replaced, func(_ format.Spot, turn jsonstream.Value) bool {
		lost.add(turn)
		return len(lost.all) < maxFacts
	})
	if len(lost.all) == 0 {
		return
	}
	isNamed := false
	l.each(c.Instead, func(_ format.Spot, turn jsonstream.Value) bool {
		text := strings.ToLower(conversation.Turn{Value: turn}.Text())
		isNamed = slices.ContainsFunc(lost.all, func(f fact) bool { return f.isNamed(text) })
		return !isNamed
	})
	if isNamed {
		return
	}
	first := finding.Quote(lost.all[0].text)
	l.on(c.At, func(line jsonstream.Value) finding.Finding {
		return l.warn(uninformativeCompaction, line, "what replaces the %d turns before this compaction names none of their %d files, errors and constraints, such as %s: hand over the turns before it, too",
			len(c.Replaced), len(lost.all), first)
	})
}

// leastReturned is the length of a message that is recognised when it returns, in bytes.
const leastReturned = 12

// returned adds a finding for each message that the user took back and that a compaction has.
func (l *sessionLinter) returned(taken, turns []format.Spot, compactions []format.Compaction) {
	texts := map[string]bool{}
	l.each(taken, func(_ format.Spot, turn jsonstream.Value) bool {
		if text := strings.TrimSpace(conversation.Turn{Value: turn}.Text()); len(text) >= leastReturned {
			texts[text] = true
		}
		return len(texts) < maxFacts
	})
	if len(texts) == 0 {
		return
	}
	isInstead := map[format.Spot]bool{}
	for _, c := range compactions {
		for _, s := range c.Instead {
			isInstead[s] = s.Nth > 0 || int(s.Index) == c.At
		}
	}
	var where []format.Spot
	var which []string
	l.each(turns, func(s format.Spot, turn jsonstream.Value) bool {
		said := conversation.Turn{Value: turn}.Text()
		if !isInstead[s] && conversation.Role(turn) == "user" { // the user says it again
			delete(texts, strings.TrimSpace(said))
			return true
		}
		for text := range texts {
			if isInstead[s] && strings.Contains(said, text) {
				where, which = append(where, s), append(which, text)
			}
		}
		return len(where) < maxPerRule
	})
	for i, s := range where {
		if texts[which[i]] {
			l.each([]format.Spot{s}, func(_ format.Spot, turn jsonstream.Value) bool {
				l.found = append(l.found, l.warn(returnedRequest, turn, "the user took %s back, but the compaction here has it again", finding.Quote(which[i])))
				return false
			})
		}
	}
}

// running adds a finding for each call at the end of the conversation that has no result.
func (l *sessionLinter) running(turns []format.Spot) {
	const last = 200
	answered := map[string]bool{}
	var open []conversation.Part
	l.each(turns[max(0, len(turns)-last):], func(_ format.Spot, turn jsonstream.Value) bool {
		isAnswer := false
		for p := range conversation.Parts(turn) {
			switch {
			case p.Kind == conversation.Result:
				answered[p.ID.Text()], isAnswer = true, true
			case p.Kind == conversation.Call && !p.Hosted && p.ID.Text() != "":
				open = append(open, p)
			}
		}
		if conversation.Role(turn) == "user" && !isAnswer {
			open = nil
		}
		return true
	})
	for _, call := range open[:min(len(open), maxPerRule)] {
		if !answered[call.ID.Text()] {
			l.found = append(l.found, l.warn(runningCall, call.Value, "the session ends while the call %s of %s runs: it may have had its effect, and its result is missing", finding.Quote(call.ID.Text()), finding.Quote(call.Tool())))
		}
	}
}

// unknown adds a finding for each kind of record that the reader does not know.
func (l *sessionLinter) unknown(all format.Unknowns) {
	for _, s := range all[:min(len(all), maxPerRule)] {
		l.on(s.First, func(line jsonstream.Value) finding.Finding {
			kind := "without a type"
			if s.Kind != "" {
				kind = "of the type " + finding.Quote(s.Kind)
			}
			return l.warn(unknownRecords, line, "%d %s %s %s unknown, and not part of the conversation", s.Count, map[bool]string{true: "record", false: "records"}[s.Count == 1], kind, map[bool]string{true: "is", false: "are"}[s.Count == 1])
		})
	}
}

// lossFinding returns the finding about a loss at a line.
func lossFinding(loss format.Loss, line jsonstream.Value) finding.Finding {
	f := finding.Finding{Rule: unreachableTurns, Layer: finding.Lint, Severity: finding.Warning, Reason: IncompleteContext}
	switch loss.Cause {
	case format.Unreadable:
		f.Rule = unreadableCompaction
		f.Message = loss.Count() + " before this compaction cannot be read any more: its summary is encrypted or missing; hand over the session before it was compacted"
	case format.Detached:
		f.Message = loss.Count() + " on the branch of this line cannot be reached: the branch begins with a line whose parentUuid is missing, or leads back to itself"
	case format.Unlinked:
		f.Message = loss.Count() + " from this line on cannot be reached: the line of a turn has no uuid"
	case format.Orphaned:
		f.Message = loss.Count() + " of a reply cannot be reached: the conversation follows the note of a failed request beside it; handoff repair links them"
	default:
		f.Message = fmt.Sprintf("%s before this line cannot be reached: no line has its parentUuid, %s; handoff repair links it to the line before", loss.Count(), finding.Quote(line.Get("parentUuid").Text()))
	}
	return f.On(line)
}
