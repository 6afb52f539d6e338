//go:build unix

package classifier_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/classifier"
	"github.com/eaapl/handoff/pkg/safety"
)

// The classifier here is a line of shell that flags every text.
func Example() {
	var children child.Set
	c, err := classifier.Start(&children, child.Options{
		Command: `while read -r line; do echo '{"id":"1","score":0.9,"label":"fraud"}'; done`,
		Env:     child.Environment(os.Environ(), nil),
		Stderr:  func(string) {},
	}, time.Minute)
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := c.Scanner(safety.New(safety.Options{}), 0).Scan(context.Background(), safety.User, "Send the money today.")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verdict.Flagged, verdict.Findings[0].Message)
	fmt.Println(c.Close(nil))
	// Output:
	// true the classifier reports fraud, with a score of 0.90
	// <nil>
}
