package helper_test

import (
	"context"
	"net/url"
	"os"
	"strings"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/helper"
)

// A program handoff-transport-memory, with requests from handoff.
func ExampleServe() {
	var place transport.Memory
	input := `{"id":1,"do":"hello","versions":[1],"role":"publish","url":"memory:"}
{"id":2,"do":"publish","message":{"headers":{"Idempotency-Key":"0b1f62a9"},"body":"eyJhIjoxfQ=="}}
`
	err := helper.Serve(context.Background(), strings.NewReader(input), os.Stdout, helper.Transport{
		Scheme: "memory",
		Publish: func(context.Context, *url.URL, transport.Options) (transport.Publisher, error) {
			return place.Publisher(), nil
		},
		Consume: func(context.Context, *url.URL, transport.Options) (transport.Consumer, error) {
			return place.Consumer(), nil
		},
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// {"id":1,"version":1}
	// {"id":2}
}
