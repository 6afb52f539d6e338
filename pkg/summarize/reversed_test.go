package summarize_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/summarize"
)

var sets = flag.String("sets", "", "a directory of messages, NAME.jsonl, whose summaries TestNothingIsReversed also checks")

var (
	sheetLine   = regexp.MustCompile(`^(\d+)([aus]) (.*)$`)
	sentenceEnd = regexp.MustCompile(`[.!?…。！？।]+`)
	clauseEnd   = regexp.MustCompile(`[.,;:!?()\n"，。！？；、।—–…]`)
	negated     = regexp.MustCompile(`(?i)(^|[^\pL\pM'’])(not|no|never|none|nor|neither|without|cannot|nothing|nobody|\pL+n['’]t|nicht|kein\pL*|nie|ohne|weder|jamais|aucune?|sans|ne|nunca|sin|ningun\pL*|não|geen|niet|nie|не|нет|tidak|bukan|jangan|नहीं|मत)($|[^\pL\pM'’])|不|没|無|无|ません`)
)

// TestNothingIsReversed checks every segment of the summaries of whole conversations. A sentence
// occurs unchanged in its conversation, from its beginning. A value with a negation in the same
// clause is on the fact sheet only if it also occurs without one in its turn.
func TestNothingIsReversed(t *testing.T) {
	segments := 0
	check := func(name string, turns []summarize.Turn) {
		size, all := 0, ""
		for _, turn := range turns {
			size += len(turn.Text)
			all += " " + oneLine(turn.Text)
		}
		s, err := summarize.Extractive{}.Summarize(context.Background(), summarize.Request{Turns: turns, MaxTokens: size / 8, Count: func(s string) int { return len(s) }})
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(s.Text) {
			line = strings.TrimSuffix(line, "\n")
			if m := sheetLine.FindStringSubmatch(line); m != nil {
				turn, _ := strconv.Atoi(m[1])
				text := turns[turn-1].Text
				if strings.ContainsAny(text, "{[<|`") {
					continue // data and code have no clauses
				}
				for value := range strings.SplitSeq(m[3], "; ") {
					segments++
					if strings.Contains(text, value) && !standsAlone(text, value) {
						t.Errorf("%s: the value %q of %q lacks its negation", name, value, text)
					}
				}
				continue
			}
			who, said, ok := strings.Cut(line, ": ")
			if !ok || who != "user" && who != "assistant" {
				continue
			}
			for segment := range strings.SplitSeq(said, " · ") {
				segments++
				segment = strings.TrimSuffix(segment, "…")
				if negated.MatchString(segment) || strings.Contains(all, segment) {
					continue
				}
				// Several sentences may be joined: each of them must occur.
				for _, part := range sentenceEnd.Split(segment, -1) {
					if part = strings.TrimSuffix(strings.TrimSpace(part), "…"); !strings.Contains(all, part) {
						t.Errorf("%s: %q is not said so", name, part)
					}
				}
			}
		}
	}
	files, _ := filepath.Glob(filepath.Join(*golden, "*.facts.json"))
	for _, file := range files {
		turns, _ := readConversation(t, strings.TrimSuffix(file, ".facts.json")+".json")
		check(filepath.Base(file), turns)
	}
	if *sets != "" {
		files, _ = filepath.Glob(filepath.Join(*sets, "*.jsonl"))
		files = slices.DeleteFunc(files, func(f string) bool {
			return strings.HasSuffix(f, ".labels.jsonl") || strings.HasSuffix(f, "texts.jsonl")
		})
		for _, file := range files {
			eachMessage(t, file, 300, func(turns []summarize.Turn) { check(filepath.Base(file), turns) })
		}
	}
	t.Logf("%d segments", segments)
	if segments < 100 {
		t.Errorf("only %d segments were checked", segments)
	}
}

func eachMessage(t *testing.T, file string, most int, do func([]summarize.Turn)) {
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 64<<20)
	for ; lines.Scan() && most > 0; most-- {
		var m struct {
			Turns []struct{ Role, Content string } `json:"conversationHistoryVerbatim"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		var turns []summarize.Turn
		for _, turn := range m.Turns {
			turns = append(turns, summarize.Turn{Role: turn.Role, Text: turn.Content})
		}
		do(turns)
	}
}

// standsAlone reports whether a value occurs in a clause without a negation, other than one in the
// value itself.
func standsAlone(text, value string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return false
		}
		i += from
		start, end := 0, len(text)
		if ends := clauseEnd.FindAllStringIndex(text[:i], -1); ends != nil {
			start = ends[len(ends)-1][1]
		}
		if at := clauseEnd.FindStringIndex(text[i+len(value):]); at != nil {
			end = i + len(value) + at[0]
		}
		if !negated.MatchString(text[start:end]) || negated.MatchString(value) {
			return true
		}
		from = i + len(value)
	}
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(visible, text)), " ")
}
