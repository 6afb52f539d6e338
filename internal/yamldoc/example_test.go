package yamldoc_test

import (
	"fmt"

	"github.com/eaapl/handoff/internal/yamldoc"
)

func ExampleParse() {
	doc, err := yamldoc.Parse([]byte("agentType: scorer\nrequiredState: [clauses]\n"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", doc.Raw().Bytes)
	// Output: {"agentType":"scorer","requiredState":["clauses"]}
}
