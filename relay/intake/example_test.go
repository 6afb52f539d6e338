package intake_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/schemas"
)

// A message is handed over to an agent, and the sender gets an answer.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store, err := sqlstore.Open(ctx, filepath.Join(dir, "audit.db"), sqlstore.Options{Create: true})
	if err != nil {
		panic(err)
	}
	defer store.Close()
	r, err := receiver.New(ctx, validate.New(validate.Options{}), audit.NewLog(store, nil), receiver.Options{})
	if err != nil {
		panic(err)
	}

	var queue transport.Memory
	message, err := schemas.Example("message")
	if err != nil {
		panic(err)
	}
	if _, err := queue.Publisher().Publish(ctx, transport.Message{Body: message, ReplyTo: "sender"}); err != nil {
		panic(err)
	}
	i, err := intake.New(r, intake.Options{
		Open:        func(context.Context) (transport.Consumer, error) { return queue.Consumer(), nil },
		Stream:      agent{},
		MaxMessages: 1,
	})
	if err != nil {
		panic(err)
	}
	if err := i.Run(ctx); err != nil {
		panic(err)
	}
	answers, err := queue.Publisher().Answers(ctx, "sender")
	if err != nil {
		panic(err)
	}
	answer, err := answers.Next(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Message().Outcome)
	// Output:
	// the agent has 1 message
	// taken
}

type agent struct{}

func (agent) HandOver(messages [][]byte) error {
	fmt.Println("the agent has", len(messages), "message")
	return nil
}
