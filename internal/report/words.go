package report

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
)

// A Word is a word in reports and answers that is not the name of a rule.
type Word struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // one of [WordKinds]
	Of      string   `json:"of"`   // who uses the word, in which place
	Meaning string   `json:"meaning"`
	Action  string   `json:"action"`         // who must act, and how
	Rules   []string `json:"rules,omitzero"` // the rules behind it
}

// WordKinds are the kinds of words, in the order of [Words].
var WordKinds = []string{"reasons", "verdicts", "states", "exit"}

// Words returns all words.
func Words() []Word {
	rules := Rules()
	var list []Word
	for i, group := range [][]Word{reasons(), verdicts(), states(), exits()} {
		for _, w := range group {
			w.Kind = WordKinds[i]
			for _, r := range rules {
				isReason := w.Kind == "reasons" && string(r.Reason) == w.Name && strings.HasPrefix(r.ID, "sw4rm/") == (w.Of == ofSW4RM)
				if isReason || w.Of == ofVerify && r.ID == "signature/signature-"+w.Name {
					w.Rules = append(w.Rules, r.ID)
				}
			}
			list = append(list, w)
		}
	}
	return list
}

// WordsNamed returns the words with a name, or of a kind, regardless of case and of hyphens or underscores.
func WordsNamed(name string) []Word {
	plain := func(text string) string {
		return strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(text))
	}
	var list []Word
	for _, w := range Words() {
		if plain(w.Name) == plain(name) || w.Kind == name {
			list = append(list, w)
		}
	}
	return list
}

// RulesOf returns the rules of a word.
func (w Word) RulesOf(all []finding.Rule) []finding.Rule {
	return slices.DeleteFunc(slices.Clone(all), func(r finding.Rule) bool { return !slices.Contains(w.Rules, r.ID) })
}

// Texts that several words share.
const (
	ofReceiver = "a receiver's reason for rejecting a message"
	ofVerify   = "a verdict of verify"
	ofStream   = "a fault of a stream of chunks"
	ofSend     = "a state of a sent message"
	ofRecord   = "an event in the audit log"
	ofAnswer   = "the status in a receiver's answer"
	ofMACP     = "an error code of MACP"
	ofSW4RM    = "a status code of SW4RM's wire service"

	senderCorrects = "The sender corrects the message and sends it again: the findings name the place and the remedy."
	senderRepairs  = "The sender corrects the history: handoff repair can do most of it, and handoff validate --for names the place."
	senderAgain    = "The sender sends the whole stream again, as a new handoff."
	senderSigns    = "The sender signs the message again with the right key; a person asks why, because the message may be forged."
	operator       = "A person at the receiver decides: handoff dead-letter release accepts the message, discard ends its wait."
	nobody         = "Nobody has to act."
)

func reasons() []Word {
	return []Word{
		{Name: "SCHEMA_INVALID", Of: ofReceiver, Meaning: "The document is not JSON, or breaks the schema of its format: a member is missing, misspelt or of a wrong type.", Action: senderCorrects},
		{Name: "INCOMPLETE_CONTEXT", Of: ofReceiver, Meaning: "The message does not contain what its receiver needs to continue the task, such as completed subtasks, state or tools.", Action: senderCorrects},
		{Name: "BUDGET_EXHAUSTED", Of: ofReceiver, Meaning: "No budget remains: costBudgetRemainingUSD is not above 0.", Action: "The sender's owner grants a budget, and the sender builds a new message. This message is never accepted."},
		{Name: "SAFETY_VIOLATION", Of: ofReceiver, Meaning: "A text of the message tries to steer the agent that reads it, or contains a secret or personal data.", Action: operator + " For a false alarm, allow the rule at its place: handoff explain RULE shows how."},
		{Name: "SIGNATURE_INVALID", Of: ofReceiver, Meaning: "The signature is missing or not valid, its key may not sign for the sender, or the message is too old.", Action: operator + " handoff verify --diagnose searches for the cause."},
		{Name: "HANDOFF_ID_REUSED", Of: ofReceiver, Meaning: "Another message with this handoffId, but other content, was accepted before.", Action: "The sender gives the new message a new handoffId. " + operator},
		{Name: "REVOKED", Of: ofReceiver, Meaning: "The sender has taken the message back before it was accepted.", Action: "The sender has the task; a new message needs a new handoffId."},
		{Name: "EXECUTION_FAILED", Of: ofReceiver, Meaning: "The message was accepted, but the agent that got it has failed at once, or ended together with its receiver.", Action: "The sender has the task again: it may send the same message again, or give the task to another agent."},
		{Name: "INVALID_REQUEST_ERROR", Of: "an error type of the APIs of OpenAI and Anthropic", Meaning: "The API rejects the request, for example because a tool call has no result.", Action: senderRepairs},
		{Name: "INVALID_ARGUMENT", Of: "a status of the Gemini API", Meaning: "The API rejects the contents, for example because turns are in the wrong order.", Action: senderRepairs},
		{Name: "INVALID_ARGUMENT", Of: ofSW4RM, Meaning: "A required field of the request is empty or malformed.", Action: senderCorrects},
		{Name: "VALIDATION_EXCEPTION", Of: "an error of Amazon Bedrock", Meaning: "The Converse API rejects the messages.", Action: senderRepairs},
		{Name: "INVALID_PROMPT", Of: "an error of the AI SDK", Meaning: "The SDK rejects the messages before it sends them.", Action: senderRepairs},
		{Name: "INVALID_CHAT_HISTORY", Of: "an error of LangGraph", Meaning: "A tool call of the history has no result.", Action: senderRepairs},
		{Name: "INVALID_PARAMS", Of: "an error of A2A (JSON-RPC -32602)", Meaning: "A member of the A2A message is missing or malformed.", Action: senderCorrects},
		{Name: "ALREADY_EXISTS", Of: ofSW4RM, Meaning: "A handoff with this request_id exists already.", Action: "The sender uses a new request_id."},
		{Name: "NOT_FOUND", Of: ofSW4RM, Meaning: "No handoff has this request_id.", Action: "The caller checks the request_id."},
		{Name: "FAILED_PRECONDITION", Of: ofSW4RM, Meaning: "The handoff is in a state that does not permit this event.", Action: "The caller reads the status first: handoff sw4rm status replays the events."},
		{Name: "FORBIDDEN", Of: ofMACP, Meaning: "The sender may not send this message in this session, or breaks a rule of the handoff mode.", Action: senderCorrects},
		{Name: "INVALID_ENVELOPE", Of: ofMACP, Meaning: "The envelope or its payload is missing a member, or a member is malformed.", Action: senderCorrects},
		{Name: "DUPLICATE_MESSAGE", Of: ofMACP, Meaning: "The session has a message with this message_id already.", Action: "The sender gives each message its own message_id."},
		{Name: "SESSION_NOT_OPEN", Of: ofMACP, Meaning: "The session is resolved, expired or cancelled.", Action: "The sender starts a new session."},
		{Name: "SESSION_ALREADY_EXISTS", Of: ofMACP, Meaning: "The session was started before.", Action: "The sender uses a new session_id."},
		{Name: "UNSUPPORTED_PROTOCOL_VERSION", Of: ofMACP, Meaning: "The macp_version is not 1.0.", Action: senderCorrects},
		{Name: "MODE_NOT_SUPPORTED", Of: ofMACP, Meaning: "The session is not in the handoff mode.", Action: senderCorrects},
		{Name: "UNKNOWN_POLICY_VERSION", Of: ofMACP, Meaning: "The session names a policy that is not available.", Action: "The caller names the policy's file with --policy."},
	}
}

func verdicts() []Word {
	return []Word{
		{Name: "valid", Of: ofVerify, Meaning: "The signature is valid, and its key may sign for the sender.", Action: nobody},
		{Name: "missing", Of: ofVerify, Meaning: "The message has no member signature.", Action: "The sender signs the message: handoff sign."},
		{Name: "malformed", Of: ofVerify, Meaning: `The signature is neither "hmac-sha256:" and 64 hex digits, nor "ed25519:" and 86 characters of base64url.`, Action: senderSigns},
		{Name: "unsupported-algorithm", Of: ofVerify, Meaning: "The signature names an unknown algorithm, or one for which the receiver has no key.", Action: "The receiver adds the sender's key: a public key for ed25519, the shared secret for hmac-sha256."},
		{Name: "unknown-key-id", Of: ofVerify, Meaning: "No key of the receiver has the ID in signatureKeyId.", Action: "The receiver adds the sender's new key, or the sender signs with the known one."},
		{Name: "not-canonicalizable", Of: ofVerify, Meaning: "A number has another value in canonical form, so that no signature would protect it.", Action: "The sender writes the number as a string, or with fewer digits, and signs again."},
		{Name: "mismatch", Of: ofVerify, Meaning: "The signature does not belong to this content under this key: the message was changed after it was signed, or signed with another key.", Action: "The receiver rejects the message. handoff verify --diagnose searches for the cause, and --against shows the changes."},
		{Name: "untrusted", Of: ofVerify, Meaning: "The signature is valid, but its key may not sign for this sender.", Action: senderSigns},
		{Name: "key-period", Of: ofVerify, Meaning: "The signature is valid, but its key is not valid at this time.", Action: senderSigns},
		{Name: "no-timestamp", Of: ofVerify, Meaning: "With --max-age: the timestamp is missing or not a time, so the age is unknown.", Action: senderCorrects},
		{Name: "expired", Of: ofVerify, Meaning: "With --max-age: the message is too old, and may be a replay.", Action: "The sender makes a new message."},
		{Name: "not-yet-valid", Of: ofVerify, Meaning: "With --max-age: the message was made in the future of this computer's clock.", Action: "A person sets the clock that is wrong."},
		{Name: "no-handoff-id", Of: ofVerify, Meaning: "With --seen: the message has no handoffId, so that a replay cannot be detected.", Action: senderCorrects},
		{Name: "replayed", Of: ofVerify, Meaning: "With --seen: a message with this handoffId was accepted before.", Action: "The receiver drops the copy."},
		{Name: "malformed", Of: ofStream, Meaning: "The document is not a chunk.", Action: senderCorrects},
		{Name: "forged", Of: ofStream, Meaning: "The signature of the chunk is missing or not valid.", Action: senderSigns},
		{Name: "foreign", Of: ofStream, Meaning: "The chunk does not continue this stream.", Action: senderAgain},
		{Name: "lost", Of: ofStream, Meaning: "Earlier chunks are missing.", Action: senderAgain},
		{Name: "reordered", Of: ofStream, Meaning: "The chunk arrived after later ones.", Action: senderAgain},
		{Name: "repeated", Of: ofStream, Meaning: "Another chunk with other content has the same sequence number.", Action: senderAgain},
		{Name: "invalid", Of: ofStream, Meaning: "The message so far, or an addition to it, is not valid.", Action: senderCorrects},
		{Name: "changed", Of: ofStream, Meaning: "The message does not match the digest in its last chunk.", Action: senderAgain},
		{Name: "cut-off", Of: ofStream, Meaning: "The last chunk is missing.", Action: senderAgain},
		{Name: "expired", Of: ofStream, Meaning: "The last chunk did not come in time.", Action: senderAgain},
		{Name: "too-large", Of: ofStream, Meaning: "The stream exceeds the limits of its receiver.", Action: "The sender trims the message, or the receiver raises its limits."},
	}
}

func states() []Word {
	return []Word{
		{Name: "WAITING", Of: ofSend, Meaning: "The message waits in the outbox for its next try; the sender has the task.", Action: "The next send or outbox flush tries again."},
		{Name: "STOPPED", Of: ofSend, Meaning: "Another try would fail, too: the address does not exist, the message is too long for it, or access is denied.", Action: "A person corrects the cause, and runs handoff outbox retry."},
		{Name: "STREAMING", Of: ofSend, Meaning: "Some chunks of the message are sent, and others are still to come.", Action: "The sender continues its stream."},
		{Name: "DISPATCHED", Of: ofSend, Meaning: "The transport has the message; there is no answer yet.", Action: "The receiver answers. handoff status reads the answer, and handoff rollback takes the message back."},
		{Name: "ACCEPTED", Of: ofSend, Meaning: "The receiver has checked and recorded the message, and has the task.", Action: nobody},
		{Name: "COMPLETED", Of: ofSend, Meaning: "The receiver's agent has ended successfully.", Action: nobody},
		{Name: "REJECTED", Of: ofSend, Meaning: "The receiver does not take the message; the sender has the task. The reason says why.", Action: "The reason decides: handoff explain REASON."},
		{Name: "ROLLED_BACK", Of: ofSend, Meaning: "The task has returned to the sender, with its state before the handoff.", Action: "The sender continues the task, or hands it to another agent."},
		{Name: "ROLLING_BACK", Of: ofSend, Meaning: "The task returns to the sender; the audit log has no record of it yet.", Action: "The next command on this outbox writes the record."},
		{Name: "PENDING_HANDOFF", Of: "the state of a task (EAAPL-MAG006, section 6.3)", Meaning: "The sender has the task, and no receiver.", Action: "The sender sends the message again, or a corrected one."},
		{Name: "DUPLICATE", Of: ofAnswer, Meaning: "The same message was accepted before; this copy is dropped.", Action: nobody},
		{Name: "ESCALATED", Of: ofRecord, Meaning: "The message has failed so often that a person must look at it.", Action: "A person reads the findings: handoff audit show HANDOFF."},
		{Name: "BEGUN", Of: ofRecord, Meaning: "An agent has begun with the first chunk of a stream.", Action: nobody},
		{Name: "HANDED_OVER", Of: ofRecord, Meaning: "The receiver's agent has the message.", Action: nobody},
		{Name: "ACKNOWLEDGED", Of: ofRecord, Meaning: "The sender knows that one of several receivers has accepted the message.", Action: nobody},
		{Name: "EXECUTION_FAILED", Of: ofRecord, Meaning: "The agent has failed.", Action: "If it failed at once, the sender has the task again; otherwise the agent's owner looks into it."},
		{Name: "DEAD_LETTERED", Of: ofRecord, Meaning: "The message waits for a decision, and is not tried again.", Action: operator},
		{Name: "RELEASED", Of: ofRecord, Meaning: "A person has accepted a dead letter.", Action: nobody},
		{Name: "DISCARDED", Of: ofRecord, Meaning: "A person has decided against a dead letter.", Action: "The sender has the task."},
		{Name: "REVOKED", Of: ofRecord, Meaning: "The sender has taken the message back: receivers no longer accept it.", Action: "The sender has the task."},
		{Name: "REFUSED", Of: ofRecord, Meaning: "A revocation has no effect, because its signer may not send it.", Action: senderSigns},
		{Name: "ERASED", Of: ofRecord, Meaning: "Personal data was erased.", Action: nobody},
		{Name: "CONFIGURED", Of: ofRecord, Meaning: "A setting of the log was made.", Action: nobody},
		{Name: "ARCHIVED", Of: ofRecord, Meaning: "Messages were moved to a file.", Action: nobody},
		{Name: "PRUNED", Of: ofRecord, Meaning: "Records were removed after their retention period.", Action: nobody},
		{Name: "UNRECORDED", Of: ofRecord, Meaning: "More messages were rejected than the log records one by one.", Action: "A person looks at who sends them; --rejected-per-day sets the limit."},
		{Name: "VERIFIED", Of: "the check of an answer's signature", Meaning: "The answer is signed by a key that may sign for the receiver.", Action: nobody},
		{Name: "NOT_SIGNED", Of: "the check of an answer's signature", Meaning: "The answer has no signature, so anybody can have written it.", Action: "The receiver signs its answers: --answer-key-file."},
		{Name: "NO_KEY", Of: "the check of an answer's signature", Meaning: "The answer is signed, but the sender has no key of the receiver.", Action: "The sender names keys with --answer-trust."},
		{Name: "PENDING", Of: "a status of SW4RM", Meaning: "The request waits for an answer.", Action: "The receiver accepts or rejects it."},
		{Name: "EXPIRED", Of: "a status of SW4RM", Meaning: "The request was not answered, or not completed, in time.", Action: "The sender makes a new request."},
	}
}

func exits() []Word {
	return []Word{
		{Name: "exit 0", Of: "an exit code", Meaning: "Yes: the command succeeded, and every check passed.", Action: nobody},
		{Name: "exit 1", Of: "an exit code", Meaning: "No: a message is invalid, a signature is not valid, differences were found, or a rule is broken.", Action: "The report names the place and the remedy."},
		{Name: "exit 2", Of: "an exit code", Meaning: "No answer: the call is wrong, or something could not be read, written or reached.", Action: "The caller corrects the call or the cause that stderr names, and runs the command again."},
		{Name: "exit 130", Of: "an exit code", Meaning: "The run was ended by Ctrl-C (SIGINT).", Action: nobody},
		{Name: "exit 137", Of: "an exit code", Meaning: "The run was killed (SIGKILL), for example because the machine has no memory left.", Action: "The caller runs the command again; nothing is left half done."},
		{Name: "exit 141", Of: "an exit code", Meaning: "The reader of the pipe has exited (SIGPIPE).", Action: nobody},
		{Name: "exit 143", Of: "an exit code", Meaning: "The run was asked to end (SIGTERM).", Action: nobody},
	}
}
