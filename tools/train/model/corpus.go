package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A row is one labelled text.
type row struct {
	Label, Kind, Tier, Source, Text string
	Permissive                      bool

	own          bool // made from our templates
	conversation bool // a turn of a conversation
}

func (r *row) injection() bool { return r.Label == "injection" }

// multilingual reports whether the row is in a language other than English.
func (r *row) multilingual() bool { return strings.HasSuffix(r.Kind, "multilingual") }

// origin returns the collection of a row: the unit that is held back.
func (r *row) origin() string {
	name, _, _ := strings.Cut(r.Source, ":")
	return name
}

// derived reports whether the row is an encoding of a row of another source. Such rows are left out:
// they would carry held-back texts into training.
func (r *row) derived() bool { return r.origin() == "derived" }

// trains reports whether the row may shape the weights.
func (r *row) trains() bool {
	return r.Permissive && !r.derived() && !(r.injection() && r.Tier == "B")
}

// readCorpus reads rows of JSON, one per line.
func readCorpus(path string) ([]row, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []row
	for line := range strings.Lines(string(data)) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}
