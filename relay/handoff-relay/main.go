// Handoff-relay delivers the messages that AI agents hand to each other, receives them and records them.
// People run it as handoff: "handoff send" runs "handoff-relay send".
package main

import (
	"os"

	"github.com/eaapl/handoff/relay/cmd"
)

func main() { os.Exit(cmd.Main()) }
