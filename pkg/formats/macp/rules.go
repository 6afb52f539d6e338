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
		Summary: "A transcript, a message or its payload is not made as the protocol says.",
		Why:     "A runtime rejects what it cannot read. Most of it the schema finds before; the rules with a number are about what a message does in its session.",
	}, {
		ID: expectation, Reason: InvalidEnvelope,
		Summary: "A conformance fixture expects something else than what comes of its messages.",
		Why:     "Either the fixture is wrong, or what it was recorded from breaks the rules. Only handoff macp check replays fixtures.",
	}, {
		ID:      frozen,
		Summary: "A transcript binds another context than the one whose hash is given.",
		Why:     "The replay of a session begins with the same SessionStart and the same HandoffContext messages, or it is the replay of another one. It is checked where the hash of the context is given.",
	}, {
		ID: runtimeRule, Reason: InvalidEnvelope, Severity: finding.Warning,
		Summary: "A SessionStart has what the reference runtime rejects and no RFC forbids.",
		Why:     "The runtime takes no versions or participants that are blank, no participants that differ in white space alone, no more than 1,000 of them, no mode_version but 1.0.0, and no ttl_ms of more than 24 hours. Other runtimes may.",
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
		"The first message of a session is SessionStart, and there is no second one.",
		"SessionStart binds what all other messages are judged by: participants, versions, policy and time. Begin with it; to bind something else, open another session.",
		example(start, start), example(start, offer),
	), numbered(
		2, UnsupportedVersion,
		`macp_version of a message and protocol_version of the transcript are "1.0".`,
		"A receiver cannot know what a message of another version means. Write the version that the message follows, as a text.",
		replaceLast(example(start, offer), `"macp_version":"1.0"`, `"macp_version":"2.0"`), example(start, offer),
	), numbered(
		3, DuplicateMessage,
		"A message_id is used once in a session; a second message with it has no effect.",
		"A runtime acknowledges a message that was delivered twice and does nothing, so that the copy does not belong in a transcript. Another message needs its own id. A message that was rejected has not used its id.",
		example(start, offer, gives("h1", alice), twice), example(start, offer, gives("h1", alice), gives("h1", alice)),
	), numbered(
		4, SessionNotOpen,
		"Nothing is accepted after the session resolved.",
		"The commitment is the last word: what came later would change what it was based on. Send context before it, or open another session.",
		example(start, offer, accepts("h1", bob, bob), commits(alice), gives("h1", alice)),
		example(start, offer, accepts("h1", bob, bob), gives("h1", alice), commits(alice)),
	)}
}

func offerRules() []finding.Rule {
	start, offer := starts(), offers("h1", alice, bob)
	return []finding.Rule{numbered(
		5, Forbidden,
		"HandoffOffer comes from the initiator, the sender of SessionStart.",
		"Only the participant who holds the responsibility can offer it. A participant who has accepted one opens a session to hand it on.",
		example(start, offers("h1", bob, carol)), example(start, offers("h1", alice, carol)),
	), numbered(
		6, Forbidden,
		"HandoffContext, HandoffAccept and HandoffDecline come from declared participants.",
		"The participants are fixed by SessionStart; strangers have no say. Declare everybody who is to take part, or have a participant send the message.",
		example(start, offer, gives("h1", mallory)), example(start, offer, gives("h1", alice)),
	), numbered(
		7, InvalidEnvelope,
		"An offer has a handoff_id and a target_participant that are not empty; the target is a declared participant and not the sender.",
		"An offer that nobody can answer blocks the session. Name a participant of SessionStart.",
		example(start, offers("h1", alice, alice)), example(start, offer),
	), numbered(
		8, InvalidEnvelope,
		"A handoff_id is used for one offer only.",
		"Contexts and answers name the offer by it. Give each offer its own id, also when the same thing is offered again.",
		example(start, offer, declines("h1", bob), offers("h1", alice, carol)), example(start, offer, declines("h1", bob), offers("h2", alice, carol)),
	), numbered(
		9, InvalidEnvelope,
		"At most one offer is outstanding: there is no new one before the last was accepted or declined.",
		"Two participants could accept the same responsibility. Wait for the answer.",
		example(start, offer, offers("h2", alice, carol)), example(start, offer, declines("h1", bob), offers("h2", alice, carol)),
	), numbered(
		10, InvalidEnvelope,
		"There is no further offer after one was accepted. After a decline there can be a new one.",
		"The responsibility has found its holder: what is left is the commitment. Open another session to hand on.",
		example(start, offer, accepts("h1", bob, bob), offers("h2", alice, carol)), example(start, offer, declines("h1", bob), offers("h2", alice, carol)),
	), numbered(
		11, InvalidEnvelope,
		"HandoffContext, HandoffAccept and HandoffDecline name the handoff_id of an offer before them.",
		"Otherwise nobody knows what they are about. Offer first, and copy the id from the offer.",
		example(start, offer, gives("h9", alice)), example(start, offer, gives("h1", alice)),
	), numbered(
		12, Forbidden,
		"HandoffContext comes from the participant who made the offer. It may come after the answer, as documentation.",
		"The target decides on what the offerer says; others could mislead it. Have the offerer send the context.",
		example(start, offer, gives("h1", bob)), example(start, offer, accepts("h1", bob, bob), gives("h1", alice)),
	)}
}

func answerRules() []finding.Rule {
	start, offer := starts(), offers("h1", alice, bob)
	return []finding.Rule{numbered(
		13, Forbidden,
		"Accept and decline come from the target of the offer.",
		"Nobody accepts or declines for somebody else. Offer it to the participant who is to answer.",
		example(start, offer, accepts("h1", carol, carol)), example(start, offer, accepts("h1", bob, bob)),
	), numbered(
		14, InvalidEnvelope,
		"accepted_by or declined_by, if it is not empty, is the sender.",
		`A log that names another holder than the one who answered is worth nothing. Write the sender, or "".`,
		example(start, offer, accepts("h1", bob, carol)), example(start, offer, accepts("h1", bob, "")),
	), numbered(
		15, InvalidEnvelope,
		"Only an offer that is still outstanding is accepted or declined.",
		"The first answer counts, since others have acted on it. To change it, open another session.",
		example(start, offer, accepts("h1", bob, bob), declines("h1", bob)), example(start, offer, accepts("h1", bob, bob)),
	)}
}

func commitmentRules() []finding.Rule {
	start, offer, accept := starts(), offers("h1", alice, bob), accepts("h1", bob, bob)
	good := example(start, offer, accept, commits(alice))
	return []finding.Rule{numbered(
		16, Forbidden,
		"Commitment comes from the initiator, unless commitment.authority of the policy is any_participant or designated_role; then it comes from a declared participant, or from one of designated_roles.",
		"The commitment binds all. Let the initiator send it, or bind a policy that lets others: a transcript does not hold the rules of its policy, so that they have to be given.",
		example(start, offer, accept, commits(bob)), good,
	), numbered(
		17, InvalidEnvelope,
		"There is no commitment before an offer was accepted or declined.",
		"There is nothing to commit to. Wait for the answer, or let the session expire.",
		example(start, offer, commits(alice)), good,
	), numbered(
		18, InvalidEnvelope,
		"mode_version and configuration_version of the commitment are the session's; so is policy_version, unless it is empty.",
		`A commitment under other rules than the session's cannot be replayed. Copy the versions from SessionStart; an empty policy_version there means "policy.default".`,
		example(start, offer, accept, changed(func(c *Commitment) { c.ModeVersion = "2.0.0" })), good,
	), numbered(
		19, InvalidEnvelope,
		"outcome_positive is set explicitly and agrees with the action: one that ends in rejected, failed or declined is negative, one that ends in selected, accepted, completed or approved is positive.",
		"Programs read the boolean and people the action: they must agree. Write it also for false, which encoders like to leave out.",
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
		"With acceptance.implicit_accept_timeout_ms of the policy above 0, an offer that is outstanding for that long at the commitment counts as accepted by its target. An accept that a participant sends does not set implicit.",
		"Only a runtime knows that the time has passed: it is measured by accepted_at_unix_ms where the transcript has it, as senders can write what they like. "+
			"Nothing in a transcript proves that a runtime wrote an accept, so that none may set implicit: the commitment is where a replay accepts for the target. Leave the message out.",
		example(start, offer, implicit), good,
	), numbered(
		21, InvalidEnvelope,
		"message_type and mode are those of the handoff mode.",
		"A receiver cannot judge what it does not know, and must not ignore it silently. Check the spelling; sessions of other modes have their own rules.",
		replaceLast(example(start, offer, accept), `"message_type":"HandoffAccept"`, `"message_type":"HandoffAgree"`), good,
	), numbered(
		22, SessionNotOpen,
		"A session takes no more messages when its ttl_ms has passed.",
		"Whoever offers must be able to count on an end. What comes after a message that was too late is too late as well, whatever its time. It is measured from the SessionStart, by accepted_at_unix_ms where the transcript has it and else by the senders' timestamps. Open another session, with more time.",
		example(after(0, start), after(1000, offer), after(60_001, accept)), example(after(0, start), after(1000, offer), after(60_000, accept)),
	)}
}
