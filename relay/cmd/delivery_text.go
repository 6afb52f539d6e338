package cmd

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
)

// A handoffRecord is the displayed form of a handoff to one receiver.
type handoffRecord struct {
	HandoffID    string              `json:"handoffId"`
	TaskID       string              `json:"taskId"`
	Sender       string              `json:"sender"`
	Receiver     string              `json:"receiver"`
	State        deliver.State       `json:"state"`
	SW4RM        string              `json:"sw4rmStatus"`
	Attempt      int                 `json:"attempt"`
	Destination  string              `json:"destination"` // without its password
	QueuedAt     string              `json:"queuedAt"`
	DispatchedAt string              `json:"dispatchedAt,omitzero"`
	Tries        int                 `json:"tries"`
	NextTryAt    string              `json:"nextTryAt,omitzero"`
	InFlight     bool                `json:"inFlight,omitzero"`
	Problem      string              `json:"problem,omitzero"`
	Revoked      bool                `json:"revoked,omitzero"`
	Explanation  string              `json:"explanation,omitzero"`
	Escalated    bool                `json:"escalated,omitzero"`
	Restored     bool                `json:"restored,omitzero"`
	MessageBytes int64               `json:"messageBytes"`
	Answer       *receiver.Answer    `json:"answer"` // null for none
	AnswerCheck  deliver.AnswerCheck `json:"answerCheck,omitzero"`
	AnswerKey    string              `json:"answerKeyId,omitzero"`
	Refused      int                 `json:"refusedAnswers,omitzero"`
	Refusal      string              `json:"refusal,omitzero"` // reason for the last one

	now time.Time
}

func newHandoffRecord(h *deliver.Handoff) handoffRecord {
	r := handoffRecord{
		HandoffID: h.HandoffID, TaskID: h.TaskID, Sender: h.Sender, Receiver: h.Receiver, State: shownState(h), SW4RM: sw4rmStatus(h.State),
		Attempt: h.Attempt, Destination: deliver.Redacted(h.Destination), QueuedAt: recorded(h.Queued), DispatchedAt: recorded(h.Dispatched),
		Tries: h.Tries, InFlight: h.InFlight(), Problem: h.Problem, Revoked: h.Revoked, Explanation: h.Explanation, Escalated: h.Escalated,
		Restored: h.Restored, MessageBytes: h.MessageSize, Answer: h.Answer,
		AnswerCheck: h.AnswerCheck, AnswerKey: h.AnswerKey, Refused: h.Refused, Refusal: h.Refusal, now: time.Now(),
	}
	if !h.InFlight() {
		r.NextTryAt = recorded(h.Next)
	}
	return r
}

// streaming is the displayed state of a handoff that was sent in part.
const streaming deliver.State = "STREAMING"

// shownState returns the displayed state of a handoff.
func shownState(h *deliver.Handoff) deliver.State {
	if h.Streaming() {
		return streaming
	}
	return h.State
}

// sw4rmStatus returns SW4RM's status for a state.
func sw4rmStatus(s deliver.State) string {
	switch {
	case s == deliver.Completed:
		return string(sw4rm.Completed)
	case s.Taken():
		return string(sw4rm.Accepted)
	case s.Pending():
		return string(sw4rm.Rejected)
	default:
		return string(sw4rm.Pending)
	}
}

// recorded returns a time in the form of records, "" for none.
func recorded(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}

// WriteText writes one line, and a second one if there is a problem.
func (r handoffRecord) WriteText(w io.Writer, _ int, colors term.Palette) error {
	state := string(r.State)
	switch {
	case r.Escalated:
		state += ", ESCALATED"
	case r.Revoked:
		state += ", REVOKED"
	}
	facts := fmt.Sprintf("attempt %d", r.Attempt)
	if queued, err := time.Parse(time.RFC3339Nano, r.QueuedAt); err == nil {
		facts += ", " + term.Elapsed(r.now.Sub(queued)) + " old"
	}
	if r.Tries > 0 {
		facts += ", " + term.Counted(r.Tries, "failure")
	}
	switch next, err := time.Parse(time.RFC3339Nano, r.NextTryAt); {
	case r.InFlight:
		facts += ", being sent"
	case err == nil && next.After(r.now):
		facts += ", next in " + term.Elapsed(next.Sub(r.now))
	case err == nil:
		facts += ", due"
	}
	if _, err := fmt.Fprintf(w, "%s  %s -> %s  %s  %s  %s\n", term.Visible(r.HandoffID), term.Visible(cmp.Or(r.Sender, "?")), term.Visible(r.Receiver),
		colors.Bold(state), facts, term.Visible(r.Destination)); err != nil {
		return err
	}
	var err error
	if a := r.Answer; a != nil {
		_, err = fmt.Fprintf(w, "    %s%s\n", answerLine(a), answerCheck(r.AnswerCheck, r.AnswerKey))
	}
	if err == nil && r.Refused > 0 {
		_, err = fmt.Fprintf(w, "    %s refused: %s\n", term.Counted(r.Refused, "answer"), term.Visible(r.Refusal))
	}
	if err == nil && r.Problem != "" {
		_, err = fmt.Fprintf(w, "    %s\n", term.Visible(r.Problem))
	}
	return err
}

// answerCheck describes the result of checking an answer's signature.
func answerCheck(c deliver.AnswerCheck, key string) string {
	switch c {
	case deliver.AnswerVerified:
		return " (signed by " + term.Visible(cmp.Or(key, "a key without an ID")) + ")"
	case deliver.AnswerUnchecked:
		return " (signature not checked: --answer-trust names keys)"
	default:
		return " (answer not signed)"
	}
}

// answerLine returns a receiver's answer in one line.
func answerLine(a *receiver.Answer) string {
	if a.Status != receiver.Rejected {
		return fmt.Sprintf("%s by %s at %s", a.Status, term.Visible(cmp.Or(a.Receiver, "its receiver")), term.Visible(a.RecordedAt))
	}
	return fmt.Sprintf("%s: %s", a.Status, term.Visible(a.Why()))
}
