package validate

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

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
		Why:      "The agent resumes the session without them, so that a task or a constraint is missing and no one notices. A parentUuid names a line that is not in the file, or a request that failed and was made again has left its reply on a branch of its own. handoff repair links the lines again.",
		Bad: `[{"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s1", "message": {"role": "user", "content": "Use tabs."}},
 {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s1", "message": {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}},
 {"type": "user", "uuid": "u2", "parentUuid": "x9", "sessionId": "s1", "message": {"role": "user", "content": "Commit."}}]`,
		Good: `[{"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s1", "message": {"role": "user", "content": "Use tabs."}},
 {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s1", "message": {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}},
 {"type": "user", "uuid": "u2", "parentUuid": "a1", "sessionId": "s1", "message": {"role": "user", "content": "Commit."}}]`,
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
	if loss.Cause == format.Orphaned {
		f.Message = loss.Count() + " of a reply cannot be reached: the conversation follows the note of a failed request beside it; handoff repair links them"
		return f.On(line)
	}
	f.Message = fmt.Sprintf("%s before this line cannot be reached: no line has its parentUuid, %s; handoff repair links it to the line before", loss.Count(), finding.Quote(line.Get("parentUuid").Text()))
	return f.On(line)
}
