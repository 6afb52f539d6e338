// Peer is the counterpart of a command of handoff, made with another library, for comparison by scripts/bench.sh:
//
//	peer canonicalize FILE
//
// FILE has JSON Lines. It prints the canonical form (RFC 8785) of each line, by jsontext.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"

	"github.com/go-json-experiment/json/jsontext"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "canonicalize" {
		fmt.Fprintln(os.Stderr, "usage: peer canonicalize FILE")
		os.Exit(2)
	}
	if err := canonicalize(os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(2)
	}
}

func canonicalize(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(os.Stdout)
	for line := range bytes.Lines(text) {
		v := jsontext.Value(bytes.TrimSuffix(line, []byte("\n")))
		if err := v.Canonicalize(); err != nil {
			return err
		}
		_, _ = w.Write(append(v, '\n')) // Flush returns the error
	}
	return w.Flush()
}
