package probe_test

import (
	"fmt"
	"time"

	"github.com/eaapl/handoff/pkg/probe"
)

func ExampleCompare() {
	asked := time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC)
	c := probe.Compare(asked.Add(time.Minute), asked, asked.Add(20*time.Millisecond), time.Second)
	fmt.Println(c.Ahead, "ahead, within", c.Within)
	// Output: 1m0.49s ahead, within 510ms
}
