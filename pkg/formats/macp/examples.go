package macp

import (
	"strconv"
	"strings"
)

// The agents of the examples.
const (
	alice   = "agent://alice" // the initiator
	bob     = "agent://bob"
	carol   = "agent://carol"
	mallory = "agent://mallory" // not a participant
)

// example returns a transcript of messages, valid or not. Missing ids and times are derived
// from the message order.
func example(steps ...Step) string {
	var b strings.Builder
	b.WriteString("{\n  \"protocol_version\": \"" + Version + "\",\n  \"mode\": \"" + Mode + "\",\n  \"session_id\": \"s-1\",\n  \"messages\": [")
	for i, step := range steps {
		if step.MessageID == "" {
			step.MessageID = "m-" + strconv.Itoa(i+1)
		}
		if step.Timestamp == "" {
			step.Timestamp = "2026-03-14T09:20:" + strconv.Itoa(10+i) + "Z"
		}
		var w writer
		w.message("s-1", step)
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(w.out)
	}
	b.WriteString("\n  ]\n}\n")
	return b.String()
}

func starts() Step {
	return Step{Sender: alice, Payload: &SessionStart{Intent: "hand over the frontend", Participants: []string{alice, bob, carol},
		ModeVersion: "1.0.0", ConfigurationVersion: "config-1", TTLMS: 60_000}}
}

func offers(handoffID, sender, target string) Step {
	return Step{Sender: sender, Payload: &HandoffOffer{handoffID, target, "frontend-ownership", "moving to the backend team"}}
}

func gives(handoffID, sender string) Step {
	return Step{Sender: sender, Payload: &HandoffContext{handoffID, "application/json", []byte(`{"openIssues":12}`)}}
}

func accepts(handoffID, sender, by string) Step {
	return Step{Sender: sender, Payload: &HandoffAccept{HandoffID: handoffID, AcceptedBy: by, Reason: "ready to take ownership"}}
}

func declines(handoffID, sender string) Step {
	return Step{Sender: sender, Payload: &HandoffDecline{handoffID, sender, "no bandwidth this quarter"}}
}

func commits(sender string) Step {
	return Step{Sender: sender, Payload: &Commitment{CommitmentID: "c-1", Action: "handoff.accepted", AuthorityScope: "frontend-ownership",
		Reason: "bob took over", ModeVersion: "1.0.0", PolicyVersion: DefaultPolicy, ConfigurationVersion: "config-1", OutcomePositive: true}}
}

// changed returns a modified commitment.
func changed(change func(*Commitment)) Step {
	step := commits(alice)
	change(step.Payload.(*Commitment))
	return step
}

// after sets a message's time of acceptance, in milliseconds after the first message.
func after(ms int64, step Step) Step {
	step.AcceptedAt = Instant{UnixMS: 1_773_480_010_000 + ms, Known: true}
	return step
}

// replaceLast replaces the last occurrence of old in an example.
func replaceLast(text, old, with string) string {
	i := strings.LastIndex(text, old)
	return text[:i] + with + text[i+len(old):]
}
