package collect_test

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/internal/viewer/collect"
	"github.com/eaapl/handoff/internal/viewer/collect/collecttest"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

func Example() {
	messages, err := collect.NewMessages(collecttest.Options(), new(memory))
	if err != nil {
		fmt.Println(err)
		return
	}
	v := validate.New(validate.Options{Layers: validate.Layers()[:0]})
	for i, text := range []string{
		`{"handoffId":"h1","taskId":"t","parentHandoffId":null,"constraints":["no names"]}`,
		`{"handoffId":"h2","taskId":"t","parentHandoffId":"h1","constraints":[]}`,
	} {
		raw := jsonstream.NewRaw([]byte(text))
		_, result, err := v.ValidateRaw(context.Background(), raw, jsonstream.Limits{})
		if err == nil {
			err = messages.Add(messages.Examine(raw, chain.Place{Source: "relay.jsonl", Index: i, Line: i + 1}, result))
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	page := messages.Page() // for viewer.Write
	for _, h := range page.Index.Handoffs {
		for _, l := range h.Lost {
			fmt.Println(h.ID, page.Index.Rules[l.Rule].ID)
		}
	}
	// Output:
	// h2 chain/constraint-dropped
}
