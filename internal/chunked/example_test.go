package chunked_test

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

// A message is split, and assembled by a receiver that begins with the first chunk.
func Example() {
	text, err := schemas.Example("message")
	if err != nil {
		panic(err)
	}
	m, err := message.Parse(text, message.Options{})
	if err != nil {
		panic(err)
	}
	a := chunked.NewAssembler(chunked.AssemblerOptions{MaxAge: time.Hour})
	splitter := chunked.NewSplitter(chunked.SplitOptions{ChunkBytes: 2048})
	err = splitter.Split(m, func(chunk []byte) error {
		events, err := a.Add(context.Background(), jsonstream.NewRaw(chunk), time.Now())
		for _, e := range events {
			switch e.Kind {
			case chunked.Began:
				fmt.Println("begin with", e.Stream)
			case chunked.Completed:
				fmt.Println("the same message:", bytes.Equal(e.Message, jsonstream.AppendCompact(nil, text)))
			case chunked.Failed:
				fmt.Println("roll back:", e.Fault)
			}
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// begin with 6e7f936b-cafd-4624-8754-0bafc4e8acb3
	// the same message: true
}
