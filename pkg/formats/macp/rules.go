package macp

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/finding"
)

// The rules without a number. [CheckFrozen] uses frozen, and [CheckFixture] uses
// expectation.
const (
	shape       = "macp/shape"
	expectation = "macp/expectation"
	frozen      = "macp/frozen"
)

// Rules returns the rules: first the unnumbered ones, then the 22 rules of the replay, in
// order. The caller owns the slice.
func Rules() []finding.Rule {
	rules := []finding.Rule{{
		ID: shape, Reason: InvalidEnvelope,
		Summary: "A transcript, a message or a payload does not have the structure that the protocol requires.",
		Why:     "A runtime rejects a message that it cannot read. The schema finds most of these faults first. The numbered rules are about the effect of a message in its session.",
	}, {
		ID: expectation, Reason: InvalidEnvelope,
		Summary: "The replay of a conformance fixture differs from the expectation of the fixture.",
		Why:     "Either the fixture is wrong, or the implementation that it was recorded from breaks the rules. Only handoff macp check replays fixtures.",
	}, {
		ID:      frozen,
		Summary: "The context of a transcript does not match the given hash.",
		Why:     "A replay of a session must have the same SessionStart and the same HandoffContext messages as the session. The rule is checked only if the hash of the context is given.",
	}, {
		ID: runtimeRule, Reason: InvalidEnvelope, Severity: finding.Warning,
		Summary: "The reference runtime rejects a SessionStart that the RFCs allow.",
		Why:     "The reference runtime does not accept blank versions or participants, participants that differ only in white space, more than 1,000 participants, a mode_version other than 1.0.0, or a ttl_ms of more than 24 hours. Other runtimes may accept them.",
		Bad:     replaceLast(example(starts()), `"ttl_ms":60000`, `"ttl_ms":86400001`),
		Good:    example(starts()),
	}}
	rules = slices.Concat(rules, sessionRules(), offerRules(), answerRules(), commitmentRules(), boundaryRules())
	for i := range rules {
		r := &rules[i]
		r.Layer, r.Severity, r.Whole = finding.Protocol, cmp.Or(r.Severity, finding.Error), true
	}
	return rules
}

// ruleID returns the ID of a numbered rule, or of shape for 0.
func ruleID(number int) string {
	if number == 0 {
		return shape
	}
	return "macp/" + strconv.Itoa(number)
}

// numbered returns a numbered rule. bad is a transcript in which one message breaks only
// this rule; good is the same transcript, fixed.
func numbered(number int, code finding.Reason, summary, why, bad, good string) finding.Rule {
	return finding.Rule{
		ID: ruleID(number), Aliases: []string{"rule " + strconv.Itoa(number)},
		Reason: code, Summary: summary, Why: why, Bad: bad, Good: good,
	}
}

func sessionRules() []finding.Rule {
	start, offer := starts(), offers("h1", alice, bob)
	twice := gives("h1", alice)
	twice.MessageID = "m-3"
	return []finding.Rule{numbered(
		1, SessionAlreadyExists,
		"The first message of a session must be SessionStart, and there must be no second SessionStart.",
		"SessionStart fixes the participants, versions, policy and time limit, which apply to all other messages. Begin with it. To change them, open another session.",
		example(start, start), example(start, offer),
	), numbered(
		2, UnsupportedVersion,
		`macp_version of a message and protocol_version of the transcript must be "1.0".`,
		"A receiver cannot interpret a message of another version. Write the version of the message, as a string.",
		replaceLast(example(start, offer), `"macp_version":"1.0"`, `"macp_version":"2.0"`), example(start, offer),
	), numbered(
		3, DuplicateMessage,
		"A message_id must be used only once in a session. A second message with the same id has no effect.",
		"A runtime acknowledges the second delivery of a message without any other effect, so the copy does not belong in the transcript. Give a different message its own id. A rejected message does not use up its id.",
		example(start, offer, gives("h1", alice), twice), example(start, offer, gives("h1", alice), gives("h1", alice)),
	), numbered(
		4, SessionNotOpen,
		"A session must not have messages after its commitment.",
		"A later message would change the basis of the commitment. Send context before the commitment, or open another session.",
		example(start, offer, accepts("h1", bob, bob), commits(alice), gives("h1", alice)),
		example(start, offer, accepts("h1", bob, bob), gives("h1", alice), commits(alice)),
	)}
}

func offerRules() []finding.Rule {
	start, offer := starts(), offers("h1", alice, bob)
	return []finding.Rule{numbered(
		5, Forbidden,
		"HandoffOffer must come from the initiator, the sender of SessionStart.",
		"Only the participant who has the responsibility can offer it. A participant who has accepted it opens another session to hand it over.",
		example(start, offers("h1", bob, carol)), example(start, offers("h1", alice, carol)),
	), numbered(
		6, Forbidden,
		"HandoffContext, HandoffAccept and HandoffDecline must come from declared participants.",
		"SessionStart fixes the participants of the session. Declare every participant there, or have a declared participant send the message.",
		example(start, offer, gives("h1", mallory)), example(start, offer, gives("h1", alice)),
	), numbered(
		7, InvalidEnvelope,
		"handoff_id and target_participant of an offer must not be empty. The target must be a declared participant other than the sender.",
		"An offer without a valid target cannot be answered, and blocks the session. Name a participant of SessionStart.",
		example(start, offers("h1", alice, alice)), example(start, offer),
	), numbered(
		8, InvalidEnvelope,
		"A handoff_id must be used for only one offer.",
		"Contexts and answers refer to the offer by its handoff_id. Give each offer its own id, also if the same responsibility is offered again.",
		example(start, offer, declines("h1", bob), offers("h1", alice, carol)), example(start, offer, declines("h1", bob), offers("h2", alice, carol)),
	), numbered(
		9, InvalidEnvelope,
		"At most one offer may be outstanding. A new offer must wait until the last one is accepted or declined.",
		"Otherwise two participants could accept the same responsibility. Wait for the answer.",
		example(start, offer, offers("h2", alice, carol)), example(start, offer, declines("h1", bob), offers("h2", alice, carol)),
	), numbered(
		10, InvalidEnvelope,
		"There must be no further offer after one was accepted. After a declined offer, a new one is allowed.",
		"The responsibility has its new holder, so only the commitment remains. Open another session for another handoff.",
		example(start, offer, accepts("h1", bob, bob), offers("h2", alice, carol)), example(start, offer, declines("h1", bob), offers("h2", alice, carol)),
	), numbered(
		11, InvalidEnvelope,
		"handoff_id of HandoffContext, HandoffAccept and HandoffDecline must be the id of an earlier offer.",
		"Otherwise they do not belong to any offer. Send the offer first, and copy its id.",
		example(start, offer, gives("h9", alice)), example(start, offer, gives("h1", alice)),
	), numbered(
		12, Forbidden,
		"HandoffContext must come from the participant who made the offer. It may come after the answer, as documentation.",
		"The target decides on the basis of the context, so context from another participant could mislead it. Have the participant who made the offer send the context.",
		example(start, offer, gives("h1", bob)), example(start, offer, accepts("h1", bob, bob), gives("h1", alice)),
	)}
}

func answerRules() []finding.Rule {
	start, offer := starts(), offers("h1", alice, bob)
	return []finding.Rule{numbered(
		13, Forbidden,
		"HandoffAccept and HandoffDecline must come from the target of the offer.",
		"A participant cannot answer for another. Make the offer to the participant who must answer.",
		example(start, offer, accepts("h1", carol, carol)), example(start, offer, accepts("h1", bob, bob)),
	), numbered(
		14, InvalidEnvelope,
		"accepted_by and declined_by must be empty or name the sender.",
		`Otherwise the log names the wrong holder of the responsibility. Write the sender, or "".`,
		example(start, offer, accepts("h1", bob, carol)), example(start, offer, accepts("h1", bob, "")),
	), numbered(
		15, InvalidEnvelope,
		"Only an outstanding offer can be accepted or declined.",
		"The first answer counts, because other participants may have acted on it. To change it, open another session.",
		example(start, offer, accepts("h1", bob, bob), declines("h1", bob)), example(start, offer, accepts("h1", bob, bob)),
	)}
}

func commitmentRules() []finding.Rule {
	start, offer, accept := starts(), offers("h1", alice, bob), accepts("h1", bob, bob)
	good := example(start, offer, accept, commits(alice))
	return []finding.Rule{numbered(
		16, Forbidden,
		"Commitment must come from the initiator. If commitment.authority of the policy is any_participant or designated_role, it must come from a declared participant, or from one of designated_roles.",
		"The commitment binds all participants. Have the initiator send it, or use a policy that allows other senders. A transcript does not contain the rules of its policy, so pass the policy to the check.",
		example(start, offer, accept, commits(bob)), good,
	), numbered(
		17, InvalidEnvelope,
		"There must be no commitment before an offer is accepted or declined.",
		"Without an answer, there is no result to commit to. Wait for the answer, or let the session expire.",
		example(start, offer, commits(alice)), good,
	), numbered(
		18, InvalidEnvelope,
		"mode_version and configuration_version of the commitment must equal the values of the session. policy_version must equal the value of the session, or be empty.",
		`A commitment with other versions cannot be replayed. Copy the versions from SessionStart. An empty policy_version in SessionStart means "policy.default".`,
		example(start, offer, accept, changed(func(c *Commitment) { c.ModeVersion = "2.0.0" })), good,
	), numbered(
		19, InvalidEnvelope,
		"outcome_positive must be present and agree with the action. An action that ends in rejected, failed or declined is negative; an action that ends in selected, accepted, completed or approved is positive.",
		"Programs read outcome_positive, and people read the action, so both must agree. Write outcome_positive also if it is false: many encoders leave it out.",
		example(start, offer, accept, changed(func(c *Commitment) { c.OutcomePositive = false })), good,
	)}
}

func boundaryRules() []finding.Rule {
	start, offer, accept := starts(), offers("h1", alice, bob), accepts("h1", bob, bob)
	implicit := accepts("h1", bob, bob)
	implicit.Payload.(*HandoffAccept).Implicit = true
	good := example(start, offer, accept)
	return []finding.Rule{numbered(
		20, InvalidEnvelope,
		"An accept that a participant sends must not set implicit. If acceptance.implicit_accept_timeout_ms of the policy is above 0, an offer that has been outstanding for that time at the commitment counts as accepted by its target.",
		"The time is measured by accepted_at_unix_ms if the transcript has it, because senders can write any timestamp. "+
			"A transcript does not prove that a runtime wrote an accept, so no accept may set implicit: a replay accepts for the target at the commitment. Leave the message out.",
		example(start, offer, implicit), good,
	), numbered(
		21, InvalidEnvelope,
		"message_type and mode must belong to the handoff mode.",
		"A receiver cannot check an unknown type or mode, and must not ignore it silently. Check the spelling. Sessions of other modes have their own rules.",
		replaceLast(example(start, offer, accept), `"message_type":"HandoffAccept"`, `"message_type":"HandoffAgree"`), good,
	), numbered(
		22, SessionNotOpen,
		"A session must not have messages after its ttl_ms has passed.",
		"The participant who makes an offer must be able to rely on the end of the session. The time is measured from SessionStart, by accepted_at_unix_ms if the transcript has it, otherwise by the senders' timestamps. After one late message, all later messages are late too, whatever their times. Open another session, with more time.",
		example(after(0, start), after(1000, offer), after(60_001, accept)), example(after(0, start), after(1000, offer), after(60_000, accept)),
	)}
}
