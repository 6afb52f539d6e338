package validate

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// unreadableCompaction is the rule about compactions that hide the work before them.
const unreadableCompaction = "session/unreadable-compaction"

// unreachableTurns is the rule about turns that an agent does not find when it resumes a session.
const unreachableTurns = "session/unreachable-turns"

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
	}}
}

// lintSession returns warnings about turns of a session that its agent does not find.
func lintSession(doc *jsonstream.Document, f format.Format) []finding.Finding {
	known := formats.Named(f).Known
	if known == nil || known.Trail == nil {
		return nil
	}
	list := known.List(doc.Root())
	var found []finding.Finding
	for _, loss := range known.Losses(list.Elements()) {
		found = append(found, lossFinding(loss, list.At(fmt.Sprintf("/%d", loss.At))))
	}
	return found[:min(len(found), maxPerRule)]
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
