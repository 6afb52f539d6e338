package model

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCorpus logs the scores of the shipped weights on their training texts: it checks the file,
// not the quality of the model on other texts. For that, see the -evaluate flag of the training
// program.
func TestCorpus(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "shared", "injection", "dev.jsonl")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no labelled text at %s", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, flagged := make(map[string]int), make(map[string]int)
	for line := range strings.Lines(string(data)) {
		var r struct{ Label, Kind, Tier, Text string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		name := r.Kind
		if r.Label == "injection" {
			name = "tier " + r.Tier + " " + r.Kind
		}
		rows[name]++
		if Score(r.Text) > Threshold {
			flagged[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t.Logf("%6.2f%% of %4d %s", 100*float64(flagged[name])/float64(rows[name]), rows[name], name)
	}
	if len(rows) == 0 {
		t.Errorf("%s has no rows", path)
	}
}
