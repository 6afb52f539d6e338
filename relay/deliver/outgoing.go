package deliver

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/relay/audit"
)

// An Outgoing is a message to send, with the data needed for sending it.
type Outgoing struct {
	HandoffID string
	TaskID    string
	Sender    string   // fromAgent.agentId
	Receivers []string // receiverList, or toAgent if there is none
	Listed    bool     // whether the message has a receiverList
	To        []Address

	// Checkpoint is the state to which the sender returns if the handoff fails (section 6.3), as received.
	Checkpoint []byte

	traceparent string
	digest      []byte
	frame       []byte
	text        []byte // as received
	size        int64
}

// An Address is the destination of a receiver's copy.
type Address struct {
	Receiver    string // one of Outgoing's Receivers
	Destination string // the address of the transport
}

// A MessageError reports that a message cannot be sent at all.
type MessageError struct{ Pointer, Problem string }

func (e *MessageError) Error() string {
	if e.Pointer == "" {
		return e.Problem
	}
	return e.Pointer + ": " + e.Problem
}

// Examine reads the members of a message that sending needs. It does not validate the message, which is left
// to the receiver. The error is a [*MessageError], or the syntax error of invalid JSON. The caller sets To
// and Checkpoint. The bytes are retained.
func (s *Store) Examine(raw jsonstream.Raw, limits jsonstream.Limits) (*Outgoing, error) {
	m, err := message.ParseInPlace(raw, message.Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	root := m.Root()
	o := &Outgoing{
		HandoffID: m.HandoffID(), TaskID: root.Get("taskId").Text(), Sender: root.Get("fromAgent").Get("agentId").Text(),
		traceparent: root.Get("traceparent").Text(), size: int64(len(raw.Bytes)),
	}
	if root.Kind() != jsonstream.Object {
		return nil, &MessageError{"", "is not a canonical message, which is an object"}
	}
	list := root.Get("receiverList")
	o.Listed = list.Exists()
	for _, receiver := range list.Elements() {
		o.Receivers = append(o.Receivers, message.ReceiverType(receiver).Text())
	}
	if len(o.Receivers) == 0 {
		o.Receivers = []string{root.Get("toAgent").Get("agentType").Text()}
	}
	for _, need := range []struct{ pointer, value string }{
		{"/handoffId", o.HandoffID}, {"/taskId", o.TaskID}, {"/toAgent/agentType", strings.Join(o.Receivers, "")},
	} {
		switch {
		case need.value == "":
			return nil, &MessageError{need.pointer, "missing or empty: a handoff cannot be sent without it"}
		case strings.ContainsRune(need.value, 0):
			return nil, &MessageError{need.pointer, fmt.Sprintf("%s has a character that is not permitted in names", finding.Quote(need.value))}
		}
	}
	seen := map[string]bool{}
	for _, name := range o.Receivers {
		if name == "" || seen[name] {
			return nil, &MessageError{"/receiverList", fmt.Sprintf("names the receiver %s twice, or has an empty name: name each receiver once", finding.Quote(name))}
		}
		seen[name] = true
	}
	o.traceparent, o.Sender = strings.ReplaceAll(o.traceparent, "\x00", ""), strings.ReplaceAll(o.Sender, "\x00", "")
	digest, err := m.Digest()
	if err != nil { // a number beyond JSON's doubles: then the bytes are compared
		digest = sha256.Sum256(bytes.TrimSpace(raw.Bytes))
	}
	o.digest, o.frame, o.text = digest[:], audit.AppendFrame(nil, raw.Bytes), raw.Bytes
	return o, nil
}

// Size returns the length of the message in bytes.
func (o *Outgoing) Size() int { return int(o.size) }
