package chain

import (
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
)

// Rules returns all rules. The caller owns the slice.
func Rules() []finding.Rule {
	return slices.Concat(lineageRules(), agentRules(), relayRules(), costRules(), courseRules())
}

func rule(id string, severity finding.Severity, summary, why string) finding.Rule {
	return finding.Rule{ID: id, Layer: finding.Chain, Severity: severity, Summary: summary, Why: why}
}

func lineageRules() []finding.Rule {
	return []finding.Rule{rule(
		"chain/missing-parent", finding.Error,
		"The parent of a message is missing, although the first message of its task is present.",
		"A handoff between the two was not logged, or was lost. The work of the agents in between is unknown, and nothing is compared across the gap. "+
			"Add the missing message. If its log record is lost, the trace of the task has a gap (section 6.2).",
	), rule(
		"chain/orphan", finding.Error,
		"The parent of a message is missing, and so is the first message of its task.",
		"The input has the end of a chain without its beginning, so constraints, subtasks and costs cannot be followed from the start. "+
			"Add the earlier messages, or turn the rule off to check only a part of the log.",
	), rule(
		"chain/cycle", finding.Error,
		"The parents of a message lead back to the message itself.",
		"A handoff cannot precede itself. Ids were reused, or a parent's id was copied from the wrong message. "+
			"The cycle is reported once, at its smallest handoffId. The tree is cut there, and that message is not compared with a parent.",
	), rule(
		"chain/duplicate-id", finding.Error,
		"Two messages have the same handoffId.",
		"The children of the two messages cannot be distinguished. They count as children of the message in their own task, or of the earlier message. Generate a new UUID for every handoff, also for a retry with other content. "+
			"If the messages are equal, one message was delivered twice. The finding is then a note, unless the severity of the rule is set, and the copy is ignored.",
	), rule(
		"chain/many-roots", finding.Error,
		"A task has several messages without a parent.",
		"A task begins only once (section 5.2). An agent dropped parentHandoffId, or two tasks have the same taskId. Each such message except the first is reported, and the costs of all are added up.",
	), rule(
		"chain/task-changed", finding.Error,
		"The taskId of a message differs from its parent's.",
		"A query for the task by its id returns only a part of its messages (section 8.2). The message is shown as a root of the task that it names, and is still compared with its parent.",
	), rule(
		"chain/trace-broken", finding.Error,
		"The traceparent differs from the parent message's in its trace-id, or has the same parent-id.",
		"Tracing shows two traces instead of one, or two handoffs as one span (W3C Trace Context, section 3.2). Keep the trace-id, and generate a new parent-id for every handoff. "+
			"An invalid traceparent is not compared.",
	), rule(
		"chain/parent-digest", finding.Error,
		"The parent differs from the message that this message was built from.",
		"extensions.parentDigest is not the digest of the parent (SHA-256 of its canonical form, RFC 8785). The parent was changed or replaced, or there are different copies of it. "+
			"handoff build records the digest. A message without it is not compared; sign messages to prevent its removal.",
	)}
}

func agentRules() []finding.Rule {
	return []finding.Rule{rule(
		"chain/wrong-sender", finding.Error,
		"The parent of a message was not addressed to the message's sender.",
		"The wrong agent took the task, or parentHandoffId names the wrong message. fromAgent.agentId must be the agentType in toAgent or receiverList of the parent. "+
			"If the ids of your agents are not their types, map them. The message that joins a fan-out may have any branch, or the fan-out itself, as its parent; the other branches must hand over to its sender.",
	), rule(
		"chain/version-mismatch", finding.Error,
		"The version of the sender is not in the range that the parent requires.",
		"The parent relies on features of other versions (toAgent.agentVersion). Deploy a version in the range, or widen the range. Invalid versions and ranges are not compared.",
	), rule(
		"chain/time-reversed", finding.Warning,
		"A message is older than its parent, or a subtask was completed outside the time between them.",
		"Records that are sorted by time, as in section 8.2, are in the wrong order. The clocks of the agents differ, or a parent or completedAt is wrong. "+
			"Only subtasks that were not yet completed in the parent are checked. In a first message, subtasks must not be completed after its timestamp.",
	)}
}

func relayRules() []finding.Rule {
	return []finding.Rule{rule(
		"chain/subtask-lost", finding.Error,
		"A remaining subtask of the parent is missing.",
		"No agent will do it. List it in completedSubtasks or in remainingSubtasks. The branches of a fan-out share the work, so one branch that lists it is enough.",
	), rule(
		"chain/subtask-reopened", finding.Error,
		"A completed subtask of the parent is remaining again.",
		"Agents repeat work that was done and paid for, and work that depended on its result loses its basis. To repeat a subtask, add a new one with its own id.",
	), rule(
		"chain/result-changed", finding.Error,
		"The result of a completed subtask of the parent was changed.",
		"The result differs from the result of the agent that completed the subtask. Pass results on unchanged. Numbers are compared by value, and members in any order. To correct a result, add a new subtask.",
	), rule(
		"chain/evidence-lost", finding.Error,
		"Evidence of a completed subtask of the parent is missing or was changed.",
		"A later agent cannot tell a proven claim from another, or does not learn that a claim was contradicted. Pass on the evidence of completed subtasks unchanged. Pointers may change, since turns move; claims that are not shown may be dropped, and evidence added.",
	), rule(
		"chain/subtask-forgotten", finding.Error,
		"A completed subtask of the parent is missing.",
		"Later agents do not know the subtask and its result. Pass on completed subtasks with their results.",
	), rule(
		"chain/constraint-dropped", finding.Error,
		"A constraint of the parent is missing.",
		"Constraints bind every agent of the task, but the next agent will not know this one. Constraints are compared word for word, so a reworded constraint counts as dropped.",
	), rule(
		"chain/state-lost", finding.Warning,
		"A member of the parent's currentState is missing.",
		"Later agents must derive it again, or continue without it. The rule is a warning because some members become obsolete. Only the names of the members of currentState are compared, not their values.",
	), rule(
		"chain/fact-lost", finding.Warning,
		"An identifier, a figure, a flag or a warning in the parent's conversation is missing from the message.",
		"Turns were dropped, and the summary lacks their content (section 6.4). A figure or an identifier counts as kept if it occurs in any member except the ids and times of the message itself; a sentence counts as kept if most of its words do. "+
			"The rule is a warning because not every lost fact matters. Credentials do not count as facts.",
	)}
}

func costRules() []finding.Rule {
	return []finding.Rule{rule(
		"chain/budget-drift", finding.Error,
		"The sum of the spent and the remaining budget differs from the sum in the parent.",
		"Every agent must deduct exactly the amount that it spent (section 9). Otherwise a task halts too early or too late. Amounts are compared exactly, within the tolerance. "+
			"A decrease of costSpentSoFarUSD is a drift too. For a message that joins a fan-out, the amounts of its branches are added up.",
	), rule(
		"chain/budget-grown", finding.Error,
		"The remaining budget is larger than in the parent.",
		"The budget is for the whole chain (section 9). An agent that raises it, or drops a deduction, allows the task to cost more than its budget. The fault is not also reported as a drift.",
	), rule(
		"chain/tokens-shrunk", finding.Error,
		"The number of spent tokens is smaller than in the parent.",
		"tokenSpent counts the tokens of the task so far, prompt and completion each. An agent that starts at zero makes the task look cheaper than it was.",
	)}
}

func courseRules() []finding.Rule {
	return []finding.Rule{rule(
		"chain/loop", finding.Error,
		"An agent hands a task over to the same agent again and again.",
		"Two or more agents pass the task around, at a cost each time, and none of them ends it. The loop is reported once, where an agent hands over to the same agent more often than the limit allows, on a path from the root. "+
			"Give agents the list of earlier agents of the task, have an agent end the task or ask a person, or raise the limit for agents that alternate intentionally.",
	), rule(
		"chain/fan-in", finding.Error,
		"A message that joins a fan-out does not account for every receiver.",
		"The agent that joins the branches must wait until all receivers have answered (section 14.2), and must take over the results of each. It is the agent to which the ends of all branches hand over, except for the branch with its parent. "+
			"Each receiver needs its own message with the fan-out as its parent. The completed subtasks of a branch must be completed in the joining message, and its remaining subtasks must not be lost.",
	), rule(
		"chain/schema-skew", finding.Warning,
		"The schema version differs from the parent's by more than two minor versions, or by the major version.",
		"Agents support messages up to two minor versions away (section 11). They may reject other messages, or ignore members. Update the agent with the older version.",
	)}
}
