package validate_test

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// A receiver validates before anything else.
func ExampleValidator_Validate() {
	text, err := schemas.Example("message")
	if err != nil {
		panic(err)
	}
	m, err := message.Parse(text, message.Options{})
	if err != nil {
		panic(err) // a *jsonstream.SyntaxError: not strict JSON, with the place
	}
	receiver := &validate.Receiver{}
	if err := receiver.As("report-agent@2.0.0"); err != nil {
		panic(err)
	}
	result, err := validate.New(validate.Options{Receiver: receiver}).Validate(context.Background(), m)
	if err != nil {
		panic(err) // the message could not be checked
	}
	fmt.Println(result.Valid, result.Reason)
	fmt.Println(result.Details)
	// Output:
	// false INCOMPLETE_CONTEXT
	// /toAgent: addressed to "risk-scoring-agent", but the receiver is "report-agent"
}
