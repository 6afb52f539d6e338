// Package build makes the canonical handoff message from an agent's state at the end of its
// work: the buildHandoffMessage(agentState, targetAgentType, constraints) of EAAPL-MAG006,
// section 7.1.
//
// The input is an agent state (schemas/agent-state-1.schema.json) and, unless the handoff is
// the first of its task, the message by which the agent got the task: the parent. Members of
// the state that are members of messages are copied byte for byte, except white space between
// tokens: member order, unknown members of turns and subtasks, and the text of numbers stay.
//
// # Members inherited from the parent
//
//   - parentHandoffId and taskId.
//   - the trace-id of traceparent; the message is a new span.
//   - constraints: the parent's first, then the state's, then the options',
//     without repeats.
//   - completedSubtasks: the parent's first, then the state's. A state need
//     not repeat the work of others, and no result is lost. A subtask that the
//     state names itself, as completed or as remaining, is only the state's.
//   - remainingSubtasks, only if the state does not have that member: the
//     parent's without the completed ones. An empty array means that nothing
//     is left.
//   - taskDescription, only if the state has none. INITIAL is not passed on:
//     it marks the first handoff of a task.
//   - the amounts of costTracking, from which this step is deducted
//     (section 9).
//
// Nothing else: currentState, relevantContext, the conversation, tool calls, personal data and
// extensions are the state's, and empty or absent without it ([Options.Provenance] adds to the
// extensions).
//
// # Evidence
//
// Claims of finished work in completedSubtasks, such as "All tests pass", are compared with the tool
// calls of the conversation (package claims). The verdicts become the member evidence of the subtask,
// and the message has schema version 2.1. A subtask that has evidence keeps it.
package build
