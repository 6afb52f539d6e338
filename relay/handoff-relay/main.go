// Handoff-relay delivers, receives and records the messages that AI agents hand to each other. It is normally
// run by handoff: "handoff send" runs "handoff-relay send".
package main

import (
	"os"

	"github.com/eaapl/handoff/relay/cmd"
)

func main() { os.Exit(cmd.Main()) }
