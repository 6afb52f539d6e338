// Handoff builds, validates and inspects the messages that AI agents hand to
// each other.
package main

import (
	"os"

	"github.com/eaapl/handoff/cmd"
)

func main() { os.Exit(cmd.Main()) }
