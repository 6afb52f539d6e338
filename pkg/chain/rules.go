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
		"The parent of a message is not among those given, though the first message of its task is.",
		"A handoff between the two was not logged, or was lost: nobody knows what the agents in between did, and nothing is compared across the gap. "+
			"Add the message. If its log record is gone, the trace of the task has a hole (section 6.2).",
	), rule(
		"chain/orphan", finding.Error,
		"The parent of a message is not among those given, and neither is the first message of its task.",
		"What was given is the end of a chain without its beginning: constraints, subtasks and costs cannot be followed from where they began. "+
			"Add the messages before it, or switch the rule off where only a part of the log is meant to be checked.",
	), rule(
		"chain/cycle", finding.Error,
		"The parents of a message lead back to the message itself.",
		"A handoff cannot come before itself: ids were reused or parents were copied from the wrong message. "+
			"It is reported once, at the smallest handoffId, where the tree is cut; the message there is compared with no parent.",
	), rule(
		"chain/duplicate-id", finding.Error,
		"Two messages have the same handoffId.",
		"Children of one cannot be told apart from children of the other; they are counted as those of the message in their own task, or of the earlier one. Draw a fresh UUID for every handoff, also for a retry that says something else. "+
			"If the messages are the same, one was delivered twice: that is a note, unless the severity of the rule is set, and the copy counts for nothing.",
	), rule(
		"chain/many-roots", finding.Error,
		"A task has several messages without parent.",
		"A task begins once (section 5.2). An agent has lost parentHandoffId, or two tasks have one taskId. It is reported at each but the first, and all of them are added up.",
	), rule(
		"chain/task-changed", finding.Error,
		"The taskId is not that of the parent.",
		"Whoever asks for the task by its id gets half of it (section 8.2). The message is shown at the root of the task it names, and is still compared with its parent.",
	), rule(
		"chain/trace-broken", finding.Error,
		"The traceparent has another trace-id than the parent's, or the same parent-id.",
		"Tracing shows two traces in place of one, or two handoffs as one span (W3C Trace Context, section 3.2). Keep the trace-id and draw a fresh parent-id for every handoff. "+
			"A traceparent that is not valid is not compared.",
	), rule(
		"chain/parent-digest", finding.Error,
		"The parent is not the message that this one was built from.",
		"Somebody has changed or exchanged a message of the history, or the copies of it differ: what extensions.parentDigest says is not the digest of the parent (SHA-256 of its canonical form, RFC 8785). "+
			"handoff build records it. A message without it is not compared; where that matters, sign messages, so that nobody can take it off.",
	)}
}

func agentRules() []finding.Rule {
	return []finding.Rule{rule(
		"chain/wrong-sender", finding.Error,
		"The agent that sends a message is not one that the parent was addressed to.",
		"The task was taken by an agent that it was not meant for, or parentHandoffId names the wrong message. fromAgent.agentId must be the agentType in toAgent or receiverList of the parent. "+
			"If your agents' ids are not their types, map them. What joins a fan-out may go on from any branch, or the fan-out: the other branches have to hand to it.",
	), rule(
		"chain/version-mismatch", finding.Error,
		"The version of the sender is not in the range that the parent asks for.",
		"The parent counted on what only other versions can do (toAgent.agentVersion). Deploy a version that satisfies the range, or widen it. What is no semantic version or no range is not compared.",
	), rule(
		"chain/time-reversed", finding.Warning,
		"A message is older than its parent, or a subtask was not completed between the two.",
		"Records sorted by time, as section 8.2 has it, come out in the wrong order. The clocks of the agents differ, or a parent or completedAt is made up. "+
			"Only subtasks that the parent has not completed yet are looked at; in a first message, those completed after it was sent.",
	)}
}

func relayRules() []finding.Rule {
	return []finding.Rule{rule(
		"chain/subtask-lost", finding.Error,
		"A subtask that remained at the parent is neither completed nor remaining.",
		"Nobody will do it, and nobody will notice. List it in completedSubtasks or in remainingSubtasks. The branches of a fan-out share the work: there it is enough that one of them lists it.",
	), rule(
		"chain/subtask-reopened", finding.Error,
		"A subtask that was completed at the parent remains again.",
		"Agents do again what was done and paid for, and what depended on its result has lost its basis. What has to be done again is a new subtask with its own id.",
	), rule(
		"chain/result-changed", finding.Error,
		"The result of a subtask that was completed at the parent is another.",
		"The agent that completed the subtask did not say this. Results are passed on as they are: numbers compare by value, members in any order. To correct one, add a subtask that says so.",
	), rule(
		"chain/subtask-forgotten", finding.Error,
		"A subtask that was completed at the parent is not there at all.",
		"Later agents do not know that it was done, and what came out of it. Pass completed subtasks on with their results.",
	), rule(
		"chain/constraint-dropped", finding.Error,
		"A constraint of the parent is not among the constraints.",
		"Constraints bind every agent of the task; the next one will not know of it. Constraints compare word for word, so that one in other words counts as dropped.",
	), rule(
		"chain/state-lost", finding.Warning,
		"A member of the parent's currentState is not there.",
		"Later agents derive again what was known, or go on without it. Some members are no longer of use, so this is a warning. Only the members of currentState itself are compared, not what is in them.",
	), rule(
		"chain/fact-lost", finding.Warning,
		"An identifier, a figure, a flag or a warning in the parent's conversation is nowhere in the message.",
		"Turns were dropped, and the summary does not say what they said (section 6.4). A figure or identifier counts as kept if it occurs in any member but the ids and times of the message itself, and a sentence if most of its words do. "+
			"Not all that is lost is missed, so that this is a warning. Credentials are no facts.",
	)}
}

func costRules() []finding.Rule {
	return []finding.Rule{rule(
		"chain/budget-drift", finding.Error,
		"What was spent and what remains do not add up to what they did at the parent.",
		"Every agent deducts what it spent, no more and no less (section 9); otherwise a task halts too early or too late. Amounts are compared exactly, to the tolerance. "+
			"That costSpentSoFarUSD went down is a drift as well. For a message that joins a fan-out, what its branches spent is added up.",
	), rule(
		"chain/budget-grown", finding.Error,
		"More of the budget remains than at the parent.",
		"The ceiling holds for the whole chain (section 9): an agent that raises it, or forgets what was deducted, lets the task cost more than was granted. It is not reported as a drift as well.",
	), rule(
		"chain/tokens-shrunk", finding.Error,
		"Fewer tokens were spent than at the parent.",
		"tokenSpent counts the tokens of the task so far, prompt and completion each. An agent that starts at zero makes the task look cheaper than it was.",
	)}
}

func courseRules() []finding.Rule {
	return []finding.Rule{rule(
		"chain/loop", finding.Error,
		"An agent hands a task to the same other agent again and again.",
		"Two or more agents pass the task around, each time at a cost, and none ends it. It is reported once, where one agent hands to the same one more often than the limit allows in a line of handoffs from the root. "+
			"Let an agent see who has had the task, end it, or ask a person; raise the limit for agents that are meant to take turns.",
	), rule(
		"chain/fan-in", finding.Error,
		"A message that joins a fan-out does not account for every receiver.",
		"The agent that joins the branches has to wait until all receivers have answered (section 14.2), and to take over what each has done. It is the one that the ends of all branches hand to, but for the branch that it goes on from. "+
			"Each receiver needs its own message whose parent is the fan-out; what its branch has completed has to be completed in the one that joins, and what it has left must not be lost.",
	), rule(
		"chain/schema-skew", finding.Warning,
		"The schema version is more than two minor versions from the parent's, or of another major one.",
		"Agents understand messages up to two minor versions away (section 11); beyond that they may reject them or miss members. Update the agent with the older version.",
	)}
}
