// Program testserver runs a Temporal server in memory, for tests: it prints its address and its
// namespace, and ends with its standard input.
package main

import (
	"fmt"
	"io"
	"os"

	"go.temporal.io/server/temporaltest"
)

func main() {
	server := temporaltest.NewServer()
	fmt.Println(server.GetFrontendHostPort(), server.GetDefaultNamespace())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent ends
	server.Stop()
}
