package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/eaapl/handoff/relay/transport"
)

// The names of the workflow's signals and activities.
const (
	answerSignal = "handoff-answer" // carries an answer after the message was accepted
	activityName = "handoff-accept"
)

// patience bounds one attempt to accept a message, including the wait for an agent.
const patience = 24 * time.Hour

// An Accept function accepts a message as its receiver, and returns the answer, nil for none. It may
// take as long as it needs, and is called again after an error, or if its process dies.
type Accept func(context.Context, transport.Message) (*transport.Message, error)

// Register registers the workflow and the activity of a place with a worker. If the worker sends no
// heartbeat for o.Lease, the server gives the message to another one.
func Register(w worker.Registry, names Names, o transport.Options, accept Accept) {
	o = o.WithDefaults()
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context) error { return carry(ctx, names.Signal, o.Lease) }, workflow.RegisterOptions{Name: names.Workflow})
	w.RegisterActivityWithOptions(func(ctx context.Context, text []byte) ([]byte, error) {
		m := decode(text)
		if int64(len(m.Body)) > o.MaxBytes {
			return nil, temporal.NewNonRetryableApplicationError("the body is too long", "TooLarge", nil)
		}
		ended := make(chan struct{})
		defer close(ended)
		go beat(ctx, o.Lease/3, ended)
		answer, err := accept(ctx, m)
		if err != nil || answer == nil {
			return nil, err
		}
		return encode(answer), nil
	}, activity.RegisterOptions{Name: activityName})
}

// beat sends heartbeats of an activity until it has ended.
func beat(ctx context.Context, every time.Duration, ended <-chan struct{}) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			activity.RecordHeartbeat(ctx)
		case <-ended:
			return
		}
	}
}

// carry is the workflow: it runs the activity for every message; its result is the answer. Later
// answers are signals, which it only has to receive. It ends when no signal is left, and the next
// signal starts it again. If a message was not accepted, it fails after handling all others.
func carry(ctx workflow.Context, signal string, lease time.Duration) error {
	messages, answers := workflow.GetSignalChannel(ctx, signal), workflow.GetSignalChannel(ctx, answerSignal)
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: patience, HeartbeatTimeout: lease,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: 30 * time.Second},
	})
	var failed error // only the first one: joined errors lose their types
	for {
		var value converter.RawValue // with any other type, the SDK drops signals in another encoding
		switch {
		case messages.ReceiveAsync(&value):
			text, err := textOf(value.Payload())
			if err == nil {
				err = workflow.ExecuteActivity(ctx, activityName, text).Get(ctx, nil)
			}
			if err != nil {
				workflow.GetLogger(ctx).Error("a message was not accepted, and the workflow fails", "signal", signal, "error", err)
				failed = cmp.Or(failed, err)
			}
		case answers.ReceiveAsync(&value):
		default:
			return failed
		}
	}
}

// textOf returns a signal in the form that [decode] reads. The SDKs send bytes as binary/plain,
// objects and strings as json/plain, and Protocol Buffers messages as json/protobuf: the latter two
// are bodies.
func textOf(p *common.Payload) ([]byte, error) {
	encoding := string(p.GetMetadata()[converter.MetadataEncoding])
	switch encoding {
	case converter.MetadataEncodingBinary:
		return p.GetData(), nil
	case converter.MetadataEncodingJSON, converter.MetadataEncodingProtoJSON:
		body := p.GetData()
		var text string
		if json.Unmarshal(body, &text) == nil && string(body) != "null" {
			body = []byte(text)
		}
		return encode(&transport.Message{Body: body}), nil
	}
	return nil, temporal.NewNonRetryableApplicationError(fmt.Sprintf("a signal with the encoding %.100q: send the message as bytes (%s) or as JSON (%s)",
		encoding, converter.MetadataEncodingBinary, converter.MetadataEncodingJSON), "Unreadable", nil)
}
