package safety

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

// TestCorpus measures the scanner on labelled text that is kept outside the repository.
// It limits false positives; recall it only reports, with -v, also source by source.
func TestCorpus(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "injection", "dev.jsonl")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no labelled text at %s", path)
	}
	if err != nil {
		t.Fatal(err)
	}

	type tally struct{ rows, flagged int }
	groups := make(map[string]*tally)
	scanner := New()
	for line := range strings.Lines(string(data)) {
		var row struct{ Label, Kind, Tier, Source, Text string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Label == "" || row.Text == "" {
			continue
		}
		found := scanner.Scan(row.Text)
		names := []string{row.Kind}
		if row.Label == "injection" {
			source, _, _ := strings.Cut(row.Source, ":")
			names = []string{"tier " + row.Tier, "tier " + row.Tier + " " + row.Kind, "tier " + row.Tier + " from " + source}
		} else if found != nil {
			t.Logf("false positive: %s: %s: %s", row.Source, found[0].Rule, found[0].Message)
		}
		for _, name := range names {
			if groups[name] == nil {
				groups[name] = new(tally)
			}
			groups[name].rows++
			if found != nil {
				groups[name].flagged++
			}
		}
	}

	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := groups[name]
		t.Logf("%6.2f%% of %4d %s", 100*float64(g.flagged)/float64(g.rows), g.rows, name)
	}
	for name, most := range map[string]float64{"benign": 0.003, "benign-hard": 0.015} {
		g := groups[name]
		if g == nil {
			t.Fatalf("%s has no usable %s rows", path, name)
		}
		if float64(g.flagged) > most*float64(g.rows) {
			t.Errorf("%d false positives in %d %s rows", g.flagged, g.rows, name)
		}
	}
	if groups["tier A"] == nil {
		t.Fatalf("%s has no usable injection rows", path)
	}
}
