package safety

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/internal/model"
)

// heldBack are sources whose texts were not read while the rules were written.
var heldBack = []string{
	"NVIDIA/garak", "ogulcanaydogan/", "protectai/llm-guard", "Giskard-AI/", "sherdencooper/", "CatarinaSeigward/", "kyahikaru/",
	"OpenBMB/AgentVerse", "SWE-agent/", "NVIDIA/NeMo-Guardrails", "THUDM/AgentBench", "microsoft/BIPIA", "maverick98/",
}

// A labelled text, as in dev.jsonl.
type labelled struct{ Label, Kind, Tier, Source, Text string }

func (l labelled) side() string {
	if slices.ContainsFunc(heldBack, func(s string) bool { return strings.HasPrefix(l.Source, s) }) {
		return "held back"
	}
	return "seen"
}

// readCorpus reads labelled text that is kept outside the repository.
func readCorpus(t testing.TB) []labelled {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "injection", "dev.jsonl")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no labelled text at %s", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	var rows []labelled
	for line := range strings.Lines(string(data)) {
		var row labelled
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Label != "" && row.Text != "" {
			rows = append(rows, row)
		}
	}
	return rows
}

// opinions replaces the model's answers, which mean nothing for texts of its training data.
var opinions = flag.String("opinions", "", "the model's held-out probabilities: lines of a row's number from 0 and a probability")

// readOpinions reads the file of the flag, if it is set.
func readOpinions(t *testing.T) map[int]float64 {
	t.Helper()
	if *opinions == "" {
		return nil
	}
	data, err := os.ReadFile(*opinions)
	if err != nil {
		t.Fatal(err)
	}
	held := make(map[int]float64)
	for line := range strings.Lines(string(data)) {
		var row int
		var p float64
		if _, err := fmt.Sscan(line, &row, &p); err != nil {
			t.Fatalf("%s: %q: %v", *opinions, line, err)
		}
		held[row] = p
	}
	return held
}

// A setting is a configuration of the scanner for the corpus.
type setting struct {
	name    string
	opinion func(row int, rowText string) func(text string) float64
}

func settings(t *testing.T) []setting {
	list := []setting{
		{"rules alone", func(int, string) func(string) float64 { return neutral }},
		{"rules and model as shipped", func(int, string) func(string) float64 { return model.Score }},
	}
	if held := readOpinions(t); held != nil {
		list = append(list, setting{"rules and model that has not seen the source", func(row int, rowText string) func(string) float64 {
			p, ok := held[row]
			return func(text string) float64 {
				if ok && strings.Contains(rowText, text) {
					return p
				}
				return neutral(text)
			}
		}})
	}
	return list
}

// neutral is the opinion without an effect.
func neutral(string) float64 { return 0.1 }

type tally struct{ rows, flagged int }

func (g *tally) String() string {
	return fmt.Sprintf("%6.2f%% (%d of %d)", 100*float64(g.flagged)/float64(g.rows), g.flagged, g.rows)
}

// TestCorpus measures the scanner on labelled text, in each setting. It limits false positives; it
// only reports recall, with -v. Texts of held-back sources are counted and never shown. The
// built-in model was trained on most of the corpus: its effect there does not carry over to other
// texts.
func TestCorpus(t *testing.T) {
	rows := readCorpus(t)
	for _, setting := range settings(t) {
		t.Run(setting.name, func(t *testing.T) {
			groups := make(map[string]*tally)
			for i, row := range rows {
				s := scanner{Options{Threshold: DefaultThreshold}, setting.opinion(i, row.Text)}
				v, err := s.Scan(t.Context(), Data, row.Text)
				if err != nil {
					t.Fatal(err)
				}
				if v.Flagged && row.Label == "clean" && row.side() == "seen" {
					t.Logf("false positive: %s: %.2f %s", row.Source, v.Score, ids(v.Findings))
				}
				for _, name := range row.groups() {
					if groups[name] == nil {
						groups[name] = new(tally)
					}
					groups[name].rows++
					if v.Flagged {
						groups[name].flagged++
					}
				}
			}
			for _, name := range slices.Sorted(maps.Keys(groups)) {
				t.Logf("%s %s", groups[name], name)
			}
			for name, most := range map[string]float64{"all: benign": 0.005, "all: benign-hard": 0.02} {
				if g := groups[name]; g == nil || float64(g.flagged) > most*float64(g.rows) {
					t.Errorf("too many false positives, or no rows: %v, %s", g, name)
				}
			}
			if groups["all: tier A"] == nil {
				t.Error("no usable injection rows")
			}
		})
	}
}

// groups returns the names of the groups in which the row is counted.
func (l labelled) groups() []string {
	source, _, _ := strings.Cut(l.Source, ":")
	if l.Label == "clean" {
		return []string{"all: " + l.Kind, l.side() + ": " + l.Kind, "source: clean, " + source + ", " + l.side()}
	}
	return []string{
		"all: tier " + l.Tier, l.side() + ": tier " + l.Tier, l.side() + ": tier " + l.Tier + " " + l.Kind,
		"source: tier " + l.Tier + ", " + source + ", " + l.side(),
	}
}
