package summarize_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/summarize"
	"github.com/eaapl/handoff/pkg/tokens"
)

var (
	golden    = flag.String("golden", "../../testdata/trim", "the directory of conversations that TestGolden measures")
	tokenizer = flag.String("tokenizer", "", "what TestGolden counts with, such as o200k_base; four bytes a token if empty")
	misses    = flag.Bool("misses", false, "TestGolden names the facts that were lost")
)

// A fact must be in the summary: all of its parts, each in one of its wordings, in one line.
type fact struct {
	Kind string     `json:"kind"`
	All  [][]string `json:"all"`
}

func (f fact) String() string { return fmt.Sprintf("%s %q", f.Kind, f.All) }

func (f fact) isIn(text string) bool {
	for line := range strings.Lines(strings.ToLower(text)) {
		if !slices.ContainsFunc(f.All, func(wordings []string) bool {
			return !slices.ContainsFunc(wordings, func(w string) bool { return says(line, strings.ToLower(w)) })
		}) {
			return true
		}
	}
	return false
}

// says reports whether a line has a wording, other than as digits of a longer number.
func says(line, wording string) bool {
	isDigit := func(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for at := 0; ; at++ {
		i := strings.Index(line[at:], wording)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(wording)
		if !(isDigit(line, at-1) && isDigit(line, at)) && !(isDigit(line, end) && isDigit(line, end-1)) {
			return true
		}
	}
}

// readConversation returns the turns of the message in a file, and the facts listed
// beside it.
func readConversation(t testing.TB, file string) ([]summarize.Turn, []fact) {
	t.Helper()
	var message struct {
		ConversationHistoryVerbatim []struct {
			Role, Name, Content string
			ToolCalls           []struct {
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	var facts []fact
	readJSON(t, file, &message)
	readJSON(t, strings.TrimSuffix(file, ".json")+".facts.json", &facts)
	var turns []summarize.Turn
	for _, m := range message.ConversationHistoryVerbatim {
		text := m.Content
		for _, call := range m.ToolCalls {
			text = strings.TrimSpace(text + "\n" + call.Function.Name + " " + call.Function.Arguments)
		}
		turns = append(turns, summarize.Turn{Role: m.Role, Name: m.Name, Text: text})
	}
	return turns, facts
}

func readJSON(t testing.TB, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// count counts four bytes as a token, which is about right for English.
func count(text string) int { return (len(text) + 3) / 4 }

// counter returns the counter that the flag names.
func counter(t testing.TB) func(string) int {
	t.Helper()
	if *tokenizer == "" {
		return count
	}
	c, err := tokens.New(tokens.Encoding(*tokenizer))
	if err != nil {
		t.Fatal(err)
	}
	return c.Count
}

// A share is a part of a number of facts.
type share struct{ kept, all int }

func (s share) String() string {
	return fmt.Sprintf("%d of %d (%.1f %%)", s.kept, s.all, 100*float64(s.kept)/float64(max(s.all, 1)))
}

// TestGolden measures how many of the listed facts are kept at 10:1. With -v it prints the tables
// of docs/trimming.md; -args -golden measures other conversations, and -args -tokenizer counts with
// another tokenizer.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(*golden, "*.facts.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations in %s: %v", *golden, err)
	}
	count := counter(t)
	var total share
	kinds := map[string]share{}
	t.Log("| conversation | turns | tokens | summary | facts kept |")
	for _, file := range files {
		turns, facts := readConversation(t, strings.TrimSuffix(file, ".facts.json")+".json")
		tokens, source := 0, ""
		for _, turn := range turns {
			tokens += count(turn.Text)
			source += strings.ReplaceAll(turn.Text, "\n", " ") + "\n"
		}
		s, err := summarize.Extractive{}.Summarize(context.Background(), summarize.Request{Turns: turns, MaxTokens: tokens / 10, Count: count})
		if err != nil {
			t.Fatal(err)
		}
		used := count(s.Text)
		if used > tokens/10 {
			t.Errorf("%s: a summary of %d tokens, not the %d allowed", file, used, tokens/10)
		}
		var here share
		for _, f := range facts {
			if !f.isIn(source) {
				t.Errorf("%s: %v is not said in the conversation", file, f)
			}
			kind := kinds[f.Kind]
			kind.all++
			here.all++
			if f.isIn(s.Text) {
				kind.kept++
				here.kept++
			} else if *misses {
				t.Errorf("%s: lost %v", filepath.Base(file), f)
			}
			kinds[f.Kind] = kind
		}
		total.kept += here.kept
		total.all += here.all
		t.Logf("| %s | %d | %d | %d | %v |", strings.TrimSuffix(filepath.Base(file), ".facts.json"), len(turns), tokens, used, here)
	}
	t.Log("| kind | facts kept |")
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), cmp.Compare[string]) {
		t.Logf("| %s | %v |", kind, kinds[kind])
	}
	t.Logf("| all | %v |", total)
	if total.kept*100 < total.all*95 {
		t.Errorf("%v of the facts survive, want 95 %%", total)
	}
}

// TestGoldenAgain trims every conversation in five steps, each including the previous summary, to a
// tenth of the whole: facts that were kept must remain.
func TestGoldenAgain(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(*golden, "*.facts.json"))
	count := counter(t)
	var total share
	for _, file := range files {
		turns, facts := readConversation(t, strings.TrimSuffix(file, ".facts.json")+".json")
		tokens, previous := 0, ""
		for _, turn := range turns {
			tokens += count(turn.Text)
		}
		for chunk := range slices.Chunk(turns, len(turns)/5+1) {
			s, err := summarize.Extractive{}.Summarize(context.Background(),
				summarize.Request{Previous: previous, Turns: chunk, MaxTokens: tokens / 10, Count: count})
			if err != nil {
				t.Fatal(err)
			}
			previous = s.Text
		}
		if want := fmt.Sprintf("%d earlier turns:", len(turns)); !strings.HasPrefix(previous, want) {
			t.Errorf("%s: the summary does not say %q", file, want)
		}
		here := share{all: len(facts)}
		for _, f := range facts {
			if f.isIn(previous) {
				here.kept++
			} else if *misses {
				t.Errorf("%s: lost %v", filepath.Base(file), f)
			}
		}
		total.kept += here.kept
		total.all += here.all
		t.Logf("| %s | %v |", strings.TrimSuffix(filepath.Base(file), ".facts.json"), here)
	}
	t.Logf("| all | %v |", total)
	if total.kept*100 < total.all*90 {
		t.Errorf("%v of the facts survive five times, want 90 %%", total)
	}
}
