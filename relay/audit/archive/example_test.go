package archive_test

import (
	"fmt"

	"github.com/eaapl/handoff/relay/audit/archive"
)

func ExampleName() {
	fmt.Println(archive.Name(0, 16383))
	// Output: messages-000000000000-000000016383.zst
}
