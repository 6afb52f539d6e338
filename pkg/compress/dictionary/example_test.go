package dictionary_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

func ExampleID() {
	id, err := dictionary.ID(dictionary.Builtin())
	fmt.Println(id == dictionary.BuiltinID, err)
	// Output: true <nil>
}
