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

// An Outgoing is a message that is to be sent, and what has to be known of it.
type Outgoing struct {
	HandoffID string
	TaskID    string
	Sender    string   // fromAgent.agentId
	Receivers []string // those of receiverList, or toAgent if there is none
	Listed    bool     // whether there is a receiverList
	To        []Address

	// Checkpoint is the state that the sender goes back to if the handoff fails (section 6.3),
	// as it came.
	Checkpoint []byte

	traceparent string
	digest      []byte
	frame       []byte
	text        []byte // as it came
	size        int64
}

// An Address is where the copy for a receiver goes.
type Address struct {
	Receiver    string // one of Outgoing's Receivers
	Destination string // the address of the transport
}

// A MessageError says why a message cannot be sent at all.
type MessageError struct{ Pointer, Problem string }

func (e *MessageError) Error() string {
	if e.Pointer == "" {
		return e.Problem
	}
	return e.Pointer + ": " + e.Problem
}

// Examine looks at a message for what sending it needs, and at nothing else: whether it is
// valid is the receiver's business. The error is a [*MessageError], or that of a text that is
// no JSON. To and Checkpoint are for the caller to fill in. The bytes are kept.
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
		return nil, &MessageError{"", "is no canonical message, which is an object"}
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
			return nil, &MessageError{need.pointer, fmt.Sprintf("%s has a character that no name may have", finding.Quote(need.value))}
		}
	}
	seen := map[string]bool{}
	for _, name := range o.Receivers {
		if name == "" || seen[name] {
			return nil, &MessageError{"/receiverList", fmt.Sprintf("names the receiver %s twice, or no receiver: name each of them once", finding.Quote(name))}
		}
		seen[name] = true
	}
	o.traceparent, o.Sender = strings.ReplaceAll(o.traceparent, "\x00", ""), strings.ReplaceAll(o.Sender, "\x00", "")
	digest, err := m.Digest()
	if err != nil { // a number beyond JSON's doubles: then its bytes are what counts
		digest = sha256.Sum256(bytes.TrimSpace(raw.Bytes))
	}
	o.digest, o.frame, o.text = digest[:], audit.AppendFrame(nil, raw.Bytes), raw.Bytes
	return o, nil
}

// Size returns how long the message is, in bytes.
func (o *Outgoing) Size() int { return int(o.size) }
