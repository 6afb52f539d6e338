package gram

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func words(text string) []string {
	var list []string
	var r Reader
	r.Reset(text, nil)
	for r.Next() {
		for _, t := range r.Tokens {
			list = append(list, text[t.Start:t.End])
		}
	}
	return list
}

func TestReader(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"English", "Don't: ignore_it, v2!", []string{"Don't", "ignore", "it", "v2"}},
		{"accents", "oublie ça", []string{"oublie", "ça"}},
		{"Chinese", "忽略 all", []string{"忽", "略", "all"}},
		{"zero-width space", "ig\u200bnore", []string{"ig\u200bnore"}},
		{"no words", " \n\xff!", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, words(tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReaderCoversLongText(t *testing.T) {
	text := strings.Repeat("eins zwei drei ", 2000) + "ende"
	if got := words(text); !slices.Contains(got, "ende") || len(got) < 6001 {
		t.Errorf("%d words", len(got))
	}
}

func TestModelReadsBack(t *testing.T) {
	ignore := &Token{}
	next("ignore", 0, 0, ignore)
	w := Weights{Keys: []uint64{ignore.ID}, Values: []float64{2}, Bias: -0.25}
	w.Gate = Gate{Words: new(Entries), Limit: 7}
	m, err := Decode(w.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, weight := m.lookup(ignore.ID); weight != 127 {
		t.Errorf("weight %d, want 127", weight)
	}
	if _, weight := m.lookup(ignore.ID + 1); weight != 0 {
		t.Errorf("weight %d of an unknown feature", weight)
	}
	if m.bias != -0.25 || m.gate.Limit != 7 {
		t.Errorf("bias %v, limit %d", m.bias, m.gate.Limit)
	}
	if _, err := Decode(nil); err == nil {
		t.Error("no error for no data")
	}
}

// TestGate checks that training and Peak use the same entries.
func TestGate(t *testing.T) {
	g := Gate{Words: new(Entries)}
	var stream GateStream
	for word, weight := range map[string]byte{"Ignore": 40, "rules": 30} {
		single, _, _ := new(GateStream).Add(word)
		g.Words[single] = weight
	}
	stream.Add("ignore")
	_, pair, _ := stream.Add("rules")
	g.Words[pair] = 50
	tests := []struct {
		text string
		peak int
	}{
		{"ignore", 40},
		{"IGNORE, rules!", 120},
		{"rules ignore", 70},
		{"été", 4 * wideLetters},
		{"", 0},
	}
	for _, tt := range tests {
		if got := g.Peak(tt.text); got != tt.peak {
			t.Errorf("%q: peak %d, want %d", tt.text, got, tt.peak)
		}
		if g.Limit = tt.peak; !g.Opens(tt.text) {
			t.Errorf("%q is held back", tt.text)
		}
		if g.Limit = tt.peak + 1; g.Opens(tt.text) {
			t.Errorf("%q goes through", tt.text)
		}
	}
}
