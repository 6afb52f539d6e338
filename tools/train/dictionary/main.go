// Command dictionary builds the built-in dictionary from messages composed by the grammars in its
// directory data. The same grammars give the same bytes. A published dictionary never changes: an
// improved one gets a new id.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// The built-in dictionary: its number of samples, and its size.
const (
	samples  = 2400
	maxBytes = 64 << 10
)

func main() {
	output := flag.String("o", "builtin.zdict", "file to write the dictionary to")
	dump := flag.String("dump", "", "file to write the samples to, one per line")
	flag.Parse()
	if err := run(*output, *dump); err != nil {
		fmt.Fprintln(os.Stderr, "dictionary:", err)
		os.Exit(2)
	}
}

func run(output, dump string) error {
	messages, err := compose(samples)
	if err != nil {
		return err
	}
	if dump != "" {
		var lines []byte
		for _, m := range messages {
			lines = append(append(lines, m...), '\n')
		}
		if err := os.WriteFile(dump, lines, 0o644); err != nil {
			return err
		}
	}
	dict, err := dictionary.Train(messages, dictionary.Options{MaxBytes: maxBytes, ID: dictionary.BuiltinID})
	if err != nil {
		return err
	}
	return os.WriteFile(output, dict, 0o644)
}
