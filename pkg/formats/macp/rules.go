package macp

import "slices"

// A Rule is one of the 22 rules by which a session is replayed.
type Rule struct {
	Number  int
	Codes   []Code // of its violations
	Summary string // the rule
	Why     string // what it is for, and what to do about a violation
	Bad     string // a transcript in which one message breaks the rule, and no other
	Good    string // the same, put right
}

// Rules returns the rules in their order. The caller owns the slice.
func Rules() []Rule {
	return slices.Concat(sessionRules(), offerRules(), answerRules(), commitmentRules(), boundaryRules())
}

func codes(c ...Code) []Code { return c }

func sessionRules() []Rule {
	start, offer := starts(), offers("h1", alice, bob)
	twice := gives("h1", alice)
	twice.MessageID = "m-3"
	return []Rule{{
		1, codes(SessionAlreadyExists),
		"The first message of a session is SessionStart, and there is no second one.",
		"SessionStart binds what all other messages are judged by: participants, versions, policy and time. Begin with it; to bind something else, open another session.",
		example(start, start), example(start, offer),
	}, {
		2, codes(UnsupportedVersion),
		`macp_version of a message and protocol_version of the transcript are "1.0".`,
		"A receiver cannot know what a message of another version means. Write the version that the message follows, as a text.",
		replaceLast(example(start, offer), `"macp_version":"1.0"`, `"macp_version":"2.0"`), example(start, offer),
	}, {
		3, codes(DuplicateMessage),
		"A message_id is used once in a session; a second message with it has no effect.",
		"A runtime acknowledges a message that was delivered twice and does nothing, so that the copy does not belong in a transcript. Something else to say needs an id of its own. A message that was refused has not used its id.",
		example(start, offer, gives("h1", alice), twice), example(start, offer, gives("h1", alice), gives("h1", alice)),
	}, {
		4, codes(SessionNotOpen),
		"Nothing is accepted after the session resolved.",
		"The commitment is the last word: what came later would change what it was based on. Send context before it, or open another session.",
		example(start, offer, accepts("h1", bob, bob), commits(alice), gives("h1", alice)),
		example(start, offer, accepts("h1", bob, bob), gives("h1", alice), commits(alice)),
	}}
}

func offerRules() []Rule {
	start, offer := starts(), offers("h1", alice, bob)
	return []Rule{{
		5, codes(Forbidden),
		"HandoffOffer comes from the initiator, the sender of SessionStart.",
		"Only who holds the responsibility can offer it. A participant who has accepted one opens a session to hand it on.",
		example(start, offers("h1", bob, carol)), example(start, offers("h1", alice, carol)),
	}, {
		6, codes(Forbidden),
		"HandoffContext, HandoffAccept and HandoffDecline come from declared participants.",
		"The participants are fixed by SessionStart; strangers have no say. Declare everybody who is to take part, or have a participant send the message.",
		example(start, offer, gives("h1", mallory)), example(start, offer, gives("h1", alice)),
	}, {
		7, codes(InvalidEnvelope),
		"An offer has a handoff_id and a target_participant that are not empty; the target is a declared participant and not the sender.",
		"An offer that nobody can answer blocks the session. Name a participant of SessionStart.",
		example(start, offers("h1", alice, alice)), example(start, offer),
	}, {
		8, codes(InvalidEnvelope),
		"A handoff_id is used for one offer only.",
		"Contexts and answers name the offer by it. Give each offer an id of its own, also when the same thing is offered again.",
		example(start, offer, declines("h1", bob), offers("h1", alice, carol)), example(start, offer, declines("h1", bob), offers("h2", alice, carol)),
	}, {
		9, codes(InvalidEnvelope),
		"At most one offer is outstanding: there is no new one before the last was accepted or declined.",
		"Two participants could accept the same responsibility. Wait for the answer.",
		example(start, offer, offers("h2", alice, carol)), example(start, offer, declines("h1", bob), offers("h2", alice, carol)),
	}, {
		10, codes(InvalidEnvelope),
		"There is no further offer after one was accepted. After a decline there can be a new one.",
		"The responsibility has found its holder: what is left is the commitment. Open another session to hand on.",
		example(start, offer, accepts("h1", bob, bob), offers("h2", alice, carol)), example(start, offer, declines("h1", bob), offers("h2", alice, carol)),
	}, {
		11, codes(InvalidEnvelope),
		"HandoffContext, HandoffAccept and HandoffDecline name the handoff_id of an offer before them.",
		"Otherwise nobody knows what they are about. Offer first, and copy the id from the offer.",
		example(start, offer, gives("h9", alice)), example(start, offer, gives("h1", alice)),
	}, {
		12, codes(Forbidden),
		"HandoffContext comes from the participant who made the offer. It may come after the answer, as documentation.",
		"The target decides on what the offerer says; others could mislead it. Have the offerer send the context.",
		example(start, offer, gives("h1", bob)), example(start, offer, accepts("h1", bob, bob), gives("h1", alice)),
	}}
}

func answerRules() []Rule {
	start, offer := starts(), offers("h1", alice, bob)
	return []Rule{{
		13, codes(Forbidden),
		"Accept and decline come from the target of the offer.",
		"Nobody takes over, or refuses, for somebody else. Offer it to who is to answer.",
		example(start, offer, accepts("h1", carol, carol)), example(start, offer, accepts("h1", bob, bob)),
	}, {
		14, codes(InvalidEnvelope),
		"accepted_by or declined_by, if it is not empty, is the sender.",
		`A log that names another holder than the one who answered is worth nothing. Write the sender, or "".`,
		example(start, offer, accepts("h1", bob, carol)), example(start, offer, accepts("h1", bob, "")),
	}, {
		15, codes(InvalidEnvelope),
		"Only an offer that is still outstanding is accepted or declined.",
		"The first answer counts, since others have acted on it. To change it, open another session.",
		example(start, offer, accepts("h1", bob, bob), declines("h1", bob)), example(start, offer, accepts("h1", bob, bob)),
	}}
}

func commitmentRules() []Rule {
	start, offer, accept := starts(), offers("h1", alice, bob), accepts("h1", bob, bob)
	good := example(start, offer, accept, commits(alice))
	return []Rule{{
		16, codes(Forbidden),
		"Commitment comes from the initiator, unless commitment.authority of the policy is any_participant or designated_role; then it comes from a declared participant, or from one of designated_roles.",
		"The commitment binds all. Let the initiator send it, or bind a policy that lets others: a transcript does not hold the rules of its policy, so that they have to be given.",
		example(start, offer, accept, commits(bob)), good,
	}, {
		17, codes(InvalidEnvelope),
		"There is no commitment before an offer was accepted or declined.",
		"There is nothing to commit to. Wait for the answer, or let the session expire.",
		example(start, offer, commits(alice)), good,
	}, {
		18, codes(InvalidEnvelope),
		"mode_version and configuration_version of the commitment are the session's; so is policy_version, unless it is empty.",
		`A commitment under other rules than the session's cannot be replayed. Copy the versions from SessionStart; an empty policy_version there stands for "policy.default".`,
		example(start, offer, accept, changed(func(c *Commitment) { c.ModeVersion = "2.0.0" })), good,
	}, {
		19, codes(InvalidEnvelope),
		"outcome_positive is set explicitly and agrees with the action: one that ends in rejected, failed or declined is negative, one that ends in selected, accepted, completed or approved is positive.",
		"Programs read the boolean and people the action: they must not part. Write it also for false, which encoders like to leave out.",
		example(start, offer, accept, changed(func(c *Commitment) { c.OutcomePositive = false })), good,
	}}
}

func boundaryRules() []Rule {
	start, offer, accept := starts(), offers("h1", alice, bob), accepts("h1", bob, bob)
	implicit := accepts("h1", bob, bob)
	implicit.Payload.(*HandoffAccept).Implicit = true
	good := example(start, offer, accept)
	return []Rule{{
		20, codes(InvalidEnvelope),
		"With acceptance.implicit_accept_timeout_ms of the policy above 0, an offer that is outstanding for that long at the commitment counts as accepted by its target. An accept that a participant sends does not set implicit.",
		"Only a runtime knows that the time has passed: it is measured by accepted_at_unix_ms where the transcript has it, as senders can write what they like. " +
			"Nothing in a transcript proves that a runtime wrote an accept, so that none may set implicit: the commitment is where a replay accepts for the target. Leave the message out.",
		example(start, offer, implicit), good,
	}, {
		21, codes(InvalidEnvelope, ModeNotSupported),
		"message_type and mode are those of the handoff mode.",
		"What a receiver does not know it cannot judge, and must not pass over in silence. Check the spelling; sessions of other modes have rules of their own.",
		replaceLast(example(start, offer, accept), `"message_type":"HandoffAccept"`, `"message_type":"HandoffAgree"`), good,
	}, {
		22, codes(SessionNotOpen),
		"A session takes no more messages when its ttl_ms has passed.",
		"Who offers must be able to count on an end. What comes after a message that was too late is too late as well, whatever time it has. It is measured from the SessionStart, by accepted_at_unix_ms where the transcript has it and else by the senders' timestamps. Open another session, with more time.",
		example(after(0, start), after(1000, offer), after(60_001, accept)), example(after(0, start), after(1000, offer), after(60_000, accept)),
	}}
}
