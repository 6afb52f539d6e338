package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConversationSets checks that the table of tools/corpora permits tuning on every set that shapes the weights,
// and has the same licence.
func TestConversationSets(t *testing.T) {
	table, err := os.ReadFile("../../corpora/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range conversationSets() {
		found := slices.ContainsFunc(strings.Split(string(table), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "| "+set.name+" | "+set.repository+" | ") && strings.Contains(line, set.licence) && strings.Contains(line, " | tune | ")
		})
		if !found {
			t.Errorf("%s: no row of %s, under %s, that may be tuned on", set.name, set.repository, set.licence)
		}
	}
}

func TestReadTurns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "set.jsonl")
	long := strings.Repeat("é ", turnLen/2)
	err := os.WriteFile(file, []byte(`{"conversationHistoryVerbatim":[{"content":"Hi there"},{"content":"Hi there"},{"content":"ok"},`+
		`{"content":null,"tool_calls":[{"function":{"arguments":"{\"a\": 1}"}}]},{"content":"`+long+`"}]}`+"\n"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := readTurns(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Hi there", `{"a": 1}`}, texts[:2]); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(texts[2:], ""); got != long || len(texts) != 4 {
		t.Errorf("a long turn became %d texts of %d bytes, want 2 of %d", len(texts)-2, len(got), len(long))
	}
}

func TestFolds(t *testing.T) {
	members := map[string][]int{"a": make([]int, 9), "b": make([]int, 5), "c": make([]int, 4)}
	for i := range maxFolds {
		members[strings.Repeat("x", i+1)] = make([]int, 1)
	}
	list := folds(members)
	if all := slices.Concat(list...); len(list) != maxFolds || len(all) != len(members) {
		t.Errorf("%d sources in %d folds: %q", len(all), len(list), list)
	}
	if !slices.Equal(list[0], []string{"a"}) {
		t.Errorf("the largest source shares its fold: %q", list)
	}
}
