package redact_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
)

func Example() {
	scanner, err := privacy.New(privacy.Policy{})
	if err != nil {
		panic(err)
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"note": "Ada Lovelace (ada@example.com) called. Ada will call again."}`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	r, err := redact.Message(doc, redact.Options{Scanner: scanner})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", r.Text)
	// Output:
	// {"note": "<PERSON_1> (<EMAIL_1>) called. <PERSON_1> will call again."}
}
