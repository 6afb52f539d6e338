package temporal

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/eaapl/handoff/relay/transport"
)

// patient permits a workflow the time that a busy machine needs: the SDK considers a second a deadlock.
var patient = worker.Options{DeadlockDetectionTimeout: time.Minute}

// carried runs the workflow with signals, and returns the bodies passed to the activity, and the log.
func carried(t *testing.T, signals ...any) (bodies []string, log string, err error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	var text bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	defer slog.SetDefault(before)
	suite.SetLogger(errorLog{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(patient)
	accept := func(_ context.Context, m transport.Message) (*transport.Message, error) {
		bodies = append(bodies, string(m.Body))
		return &transport.Message{Body: []byte("ok")}, nil
	}
	names := Names{Workflow: "tasks", Signal: "handoff", TaskQueue: "tasks"}
	Register(env, names, transport.Options{}, accept)
	env.RegisterDelayedCallback(func() {
		for _, s := range signals {
			env.SignalWorkflow(names.Signal, s)
		}
	}, 0)
	env.ExecuteWorkflow(names.Workflow)
	if !env.IsWorkflowCompleted() {
		t.Error("the workflow has not ended")
	}
	return bodies, text.String(), env.GetWorkflowError()
}

// payload is a value in the encoding of a client in another language.
func payload(encoding, data string) converter.RawValue {
	return converter.NewRawValue(&common.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding)}, Data: []byte(data)})
}

// TestSignalsOfOthers checks that a message arrives in the encoding of any client. TypeScript, Python, Java and
// .NET send objects and strings as json/plain and bytes as binary/plain, and so does the temporal program with
// --input (JSON, unless --input-meta names another encoding).
func TestSignalsOfOthers(t *testing.T) {
	const body = `{"handoffId":"x"}`
	spaced := "{\"handoffId\": \"x\",\n\n\"n\": 9007199254740993}" // this looks like headers
	for _, tt := range []struct {
		name   string
		signal any
		want   string
	}{
		{"bytes", []byte(body), body},
		{"bytes as handoff sends them", encode(&transport.Message{ID: "x", Body: []byte(body)}), body},
		{"an object", map[string]any{"handoffId": "x"}, body},
		{"a string", body, body},
		{"raw JSON", json.RawMessage(body), body},
		{"an object of TypeScript", payload("json/plain", body), body},
		{"JSON.stringify of TypeScript, json.dumps of Python", payload("json/plain", `"{\"handoffId\":\"x\"}"`), body},
		{"--input of the temporal program", payload("json/plain", spaced), spaced},
		{"--input-meta encoding=json/protobuf", payload("json/protobuf", body), body},
		{"a message of Protocol Buffers", &common.WorkflowType{Name: "x"}, `{"name":"x"}`},
		{"a number, which the receiver rejects", 7, "7"},
		{"null, which the receiver rejects", payload("json/plain", "null"), "null"},
	} {
		bodies, log, err := carried(t, tt.signal)
		if err != nil || !slices.Equal(bodies, []string{tt.want}) || log != "" {
			t.Errorf("%s: the activity ran for %q, want %q; error %v, log %s", tt.name, bodies, tt.want, err, log)
		}
	}
}

// TestUnreadableSignal checks that an unreadable signal makes the workflow fail with the name of its encoding,
// that the log has it, and that the messages before and after it are accepted.
func TestUnreadableSignal(t *testing.T) {
	for _, tt := range []struct {
		name     string
		signal   any
		encoding string
	}{
		{"nothing", nil, "binary/null"},
		{"undefined of TypeScript", payload("binary/null", ""), "binary/null"},
		{"encrypted by a codec", payload("binary/encrypted", "\x00\x01"), "binary/encrypted"},
		{"compressed by a codec", payload("binary/zlib", "\x00\x01"), "binary/zlib"},
		{"binary of Protocol Buffers", payload("binary/protobuf", "\x0a"), "binary/protobuf"},
		{"without an encoding", converter.NewRawValue(&common.Payload{Data: []byte("{}")}), `\"\"`},
	} {
		bodies, log, err := carried(t, []byte("one"), tt.signal, []byte("two"))
		if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(tt.encoding, `\`, "")) || !strings.Contains(log, tt.encoding) {
			t.Errorf("%s: error %v, log %s", tt.name, err, log)
		}
		if !slices.Equal(bodies, []string{"one", "two"}) {
			t.Errorf("%s: the activity ran for %q", tt.name, bodies)
		}
	}
}
