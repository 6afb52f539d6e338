package temporal

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/eaapl/handoff/relay/transport"
)

// TestCarry checks that the workflow runs the activity for every message, again if it was returned, and ends
// when no message is left.
func TestCarry(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(patient)
	var runs []string
	accept := func(_ context.Context, m transport.Message) (*transport.Message, error) {
		runs = append(runs, string(m.Body))
		if len(runs) == 1 {
			return nil, givenBack(time.Minute)
		}
		return &transport.Message{Body: append([]byte("answer to "), m.Body...)}, nil
	}
	names := Names{Workflow: "tasks", Signal: "handoff", TaskQueue: "tasks"}
	Register(env, names, transport.Options{}, accept)
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(names.Signal, encode(&transport.Message{Body: []byte("one")}))
		env.SignalWorkflow(names.Signal, encode(&transport.Message{Body: []byte("two")}))
	}, 0)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(answerSignal, encode(&transport.Message{Body: []byte("completed")})) }, 30*time.Second)
	env.ExecuteWorkflow(names.Workflow)
	if err := env.GetWorkflowError(); err != nil || !env.IsWorkflowCompleted() {
		t.Errorf("it ended with %v", err)
	}
	if want := []string{"one", "one", "two"}; !slices.Equal(runs, want) {
		t.Errorf("the activity ran for %q, want %q", runs, want)
	}
}
