package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// kept counts the facts of a set, and those kept by each method of choosing text.
type kept struct {
	conversations, tight             int // trimmed conversations; conversations that do not fit into an eighth
	facts, trimmed, random, lexRanks float64
	text, rest                       int // bytes before and after
}

const (
	ratio    = 8
	draws    = 5      // random choices for each conversation
	shortest = 1000   // minimum bytes of text; an eighth of less is hardly a sentence
	longest  = 200000 // maximum bytes of text, to limit the time of LexRank
	// joinedLength is the length in bytes up to which short conversations are joined.
	joinedLength = 3000
)

func measureTrim(w io.Writer, handoff, dir string, sets []corpus, trims int) error {
	var rows []row
	for _, set := range sets {
		k, err := set.trim(handoff, dir, trims)
		if err != nil {
			return fmt.Errorf("trim %s: %w", set.name, err)
		}
		if k.facts == 0 {
			continue
		}
		share := func(n float64) float64 { return 100 * n / k.facts }
		rows = append(rows, row{share(k.trimmed), fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%d\t%.0f\t%.1f\t%.1f%%\t%.1f%%\t%.1f%%",
			set.name, set.kind, set.language, set.use(), k.conversations, k.tight, k.facts, float64(k.text)/float64(k.rest), share(k.trimmed), share(k.random), share(k.lexRanks))})
	}
	writeRows(w, "set\tkind\tlanguage\tuse\ttrimmed\ttoo tight\tfacts\tratio\tkept\trandom\tLexRank", rows)
	return nil
}

// trim measures at most limit of the set's conversations that have facts.
func (c *corpus) trim(handoff, dir string, most int) (k kept, err error) {
	messages, err := readLines(filepath.Join(dir, c.name+".jsonl"))
	if err != nil {
		return k, err
	}
	facts, err := readLines(filepath.Join(dir, c.name+".labels.jsonl"))
	if err != nil {
		return k, err
	}
	if len(messages) != len(facts) {
		return k, errors.New("the numbers of labels and messages differ")
	}
	var all []*labelled
	for i := range messages {
		l, err := readLabelled(messages[i], facts[i])
		if err != nil {
			return k, fmt.Errorf("line %d: %w", i+1, err)
		}
		// Short conversations are joined, as if a customer returned with the next request.
		if n := len(all) - 1; n >= 0 && all[n].short && len(all[n].text()) < joinedLength && len(l.text()) < shortest {
			all[n].join(l)
			continue
		}
		l.short = len(l.text()) < shortest
		all = append(all, l)
	}
	all = slices.DeleteFunc(all, func(l *labelled) bool {
		return len(l.facts) == 0 || len(l.text()) < shortest || len(l.text()) > longest
	})
	for i, l := range evenly(all, most) {
		text := l.text()
		message, err := l.message()
		if err != nil {
			return k, err
		}
		rest, err := trimTo(handoff, message, len(text)/ratio)
		if err != nil {
			return k, err
		}
		if rest == "" {
			k.tight++
			continue
		}
		k.conversations++
		k.facts += float64(len(l.facts))
		k.text += len(text)
		k.rest += len(rest)
		k.trimmed += count(rest, l.facts)
		whole := sentences(text)
		k.lexRanks += count(lexRank(whole, len(rest)), l.facts)
		for d := range draws {
			k.random += count(randomSentences(whole, len(rest), uint64(i*draws+d)), l.facts) / draws
		}
	}
	return k, nil
}

func readLines(file string) ([][]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var lines [][]byte
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		lines = append(lines, bytes.Clone(s.Bytes()))
	}
	return lines, s.Err()
}

// count returns the number of facts contained in a text.
func count(text string, facts []fact) float64 {
	text = normal(text)
	n := 0.0
	for _, f := range facts {
		if holds(text, normal(f.Value)) {
			n++
		}
	}
	return n
}

// A labelled is a message with its facts.
type labelled struct {
	members map[string]json.RawMessage
	turns   []turn
	facts   []fact
	short   bool // joined from conversations that are too short on their own
}

func readLabelled(message, facts []byte) (*labelled, error) {
	var named struct{ HandoffID string }
	var of labels
	l := &labelled{}
	if err := errors.Join(json.Unmarshal(message, &named), json.Unmarshal(facts, &of), json.Unmarshal(message, &l.members)); err != nil {
		return nil, err
	}
	if named.HandoffID != of.HandoffID {
		return nil, errors.New("the labels are for another message")
	}
	l.facts = of.Facts
	return l, json.Unmarshal(l.members["conversationHistoryVerbatim"], &l.turns)
}

func (l *labelled) text() string { return textOf(l.turns) }

// join appends another conversation. Its calls are renumbered.
func (l *labelled) join(next *labelled) {
	apart := fmt.Sprint("after_", len(l.turns), "_")
	for _, t := range next.turns {
		for i := range t.ToolCalls {
			t.ToolCalls[i].ID = apart + t.ToolCalls[i].ID
		}
		if t.ToolCallID != "" {
			t.ToolCallID = apart + t.ToolCallID
		}
		l.turns = append(l.turns, t)
	}
	for _, f := range next.facts {
		if !slices.ContainsFunc(l.facts, func(have fact) bool { return normal(have.Value) == normal(f.Value) }) {
			l.facts = append(l.facts, f)
		}
	}
}

// message returns the message with the current turns.
func (l *labelled) message() ([]byte, error) {
	l.members["conversationHistoryVerbatim"] = json.RawMessage(compact(l.turns))
	return json.Marshal(l.members)
}

// A trimmed is the text of a trimmed message: its summary and turns.
type trimmed struct {
	Summary string `json:"conversationHistorySummary"`
	Turns   []turn `json:"conversationHistoryVerbatim"`
}

// trimTo trims a message with the program until its text has at most most bytes, and returns the text:
// the longest of a few tries, "" if none fits. The program counts whole messages, so the limit is found
// by trial.
func trimTo(handoff string, message []byte, most int) (string, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(message, &m); err != nil {
		return "", err
	}
	limit := len(message) - len(m["conversationHistoryVerbatim"]) + most
	best := ""
	low, high := limit-most, math.MaxInt // limits whose text is too short, or empty, and too long
	for try := range 12 {
		cut := exec.Command(handoff, "trim", "-q", "--tokenizer", "bytes", "--keep-turns", "1",
			"--summary-tokens", fmt.Sprint(most), "--max-tokens", fmt.Sprint(limit), "-")
		cut.Stdin = bytes.NewReader(message)
		out, err := cut.Output()
		if err != nil {
			if cut.ProcessState.ExitCode() != 1 {
				return "", fmt.Errorf("%w: %s", err, stderrOf(err))
			}
			low = limit
			if limit += 100 + most/4; limit >= high {
				limit = low + (high-low)/2
			}
			continue
		}
		var t trimmed
		if err := json.Unmarshal(out, &t); err != nil {
			return "", err
		}
		text := t.Summary + "\n" + textOf(t.Turns)
		if len(text) <= most && len(text) > len(best) {
			best = text
		}
		spare := most - len(text)
		if spare >= 0 && spare < most/20 || high-low < 4 {
			break
		}
		if spare < 0 {
			high = limit
		} else {
			low = limit
		}
		if limit += spare; try > 2 || limit <= low || limit >= high {
			limit = low + (min(high, low+4*most)-low)/2
		}
	}
	return best, nil
}
