// Program handoff-transport-temporal lets handoff send and receive messages through Temporal: put it
// in a folder of PATH, and use addresses that begin with temporal://. handoff starts it, and
// communicates with it over its standard input and output.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/eaapl/handoff/relay/transport/helper"
	"github.com/eaapl/handoff/transports/temporal"
)

func main() {
	// The parent ends this program by closing its input, after the requests in flight.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	err := helper.Serve(context.Background(), os.Stdin, os.Stdout, helper.Transport{Scheme: "temporal", Check: temporal.Check, Publish: temporal.Publish, Consume: temporal.Consume, Withholds: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, "handoff-transport-temporal:", err)
		os.Exit(1)
	}
}
