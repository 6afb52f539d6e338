package tokens_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/tokens"
)

func ExampleCounter_Count() {
	encoding, exact, ok := tokens.ForModel("gpt-4o")
	if !ok {
		panic("an unknown model")
	}
	counter, err := tokens.New(encoding)
	if err != nil {
		panic(err)
	}
	fmt.Println(encoding, exact, counter.Count("Score each clause of the contract."))
	// Output: o200k_base true 7
}
