package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

// model is the rule of the scanner's own model.
const model = "safety/model"

// measure writes what the program does with the sets of the folder: the rate of messages
// it flags, and the share of labelled facts that its summaries keep.
func measure(w io.Writer, handoff, dir string, sets []corpus, trims int) error {
	if err := measureScan(w, handoff, dir, sets); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return measureTrim(w, handoff, dir, sets, trims)
}

// A row is a line of a report; the lowest worth is the worst.
type row struct {
	worth float64
	text  string
}

func writeRows(w io.Writer, head string, rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int {
		switch {
		case a.worth < b.worth:
			return -1
		case a.worth > b.worth:
			return 1
		}
		return 0
	})
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, head)
	for _, r := range rows {
		fmt.Fprintln(t, r.text)
	}
	t.Flush()
}

func (c *corpus) use() string {
	if c.held {
		return "HELD"
	}
	return "tune"
}

// A verdict is what scan says of a message, as far as the measurement needs it.
type verdict struct {
	Flagged  bool
	Findings []struct {
		Rule, Pointer string
		Flagged       bool
	}
}

// alone reports whether the model's opinion is all that speaks against each of the
// texts that are flagged.
func (v *verdict) alone() bool {
	flagged := map[string]bool{}
	for _, f := range v.Findings {
		if f.Flagged {
			flagged[f.Pointer] = true
		}
	}
	for _, f := range v.Findings {
		if flagged[f.Pointer] && f.Rule != model {
			return false
		}
	}
	return true
}

func measureScan(w io.Writer, handoff, dir string, sets []corpus) error {
	var rows []row
	for _, set := range sets {
		scan := exec.Command(handoff, "scan", "--max-findings", "0", "-f", "json", filepath.Join(dir, set.name+".jsonl"))
		out, err := scan.Output()
		if err != nil && scan.ProcessState.ExitCode() != 1 {
			return fmt.Errorf("scan %s: %w: %s", set.name, err, stderrOf(err))
		}
		messages, flagged, byModel := 0, 0, 0
		for line := range bytes.Lines(out) {
			var v verdict
			if err := json.Unmarshal(line, &v); err != nil {
				return err
			}
			messages++
			if v.Flagged {
				flagged++
				if v.alone() {
					byModel++
				}
			}
		}
		rate := 100 * float64(flagged) / float64(messages)
		rows = append(rows, row{-rate, fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%d\t%.2f%%\t%d", set.name, set.kind, set.language, set.use(), messages, flagged, rate, byModel)})
	}
	writeRows(w, "set\tkind\tlanguage\tuse\tmessages\tflagged\trate\tby the model alone", rows)
	return nil
}

func stderrOf(err error) []byte {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.Stderr
	}
	return nil
}

// kept counts the facts of a set and how many of them each choice of text keeps.
type kept struct {
	conversations, tight             int // trimmed; that do not fit into an eighth
	facts, trimmed, random, lexRanks float64
	text, rest                       int // bytes before and after
}

const (
	ratio    = 8
	shortest = 1000   // bytes of text; an eighth of less is hardly a sentence
	longest  = 200000 // bytes of text, for LexRank's sake
	draws    = 5      // random choices for each conversation
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

// trim measures at most so many of the set's conversations that have facts.
func (c *corpus) trim(handoff, dir string, most int) (k kept, err error) {
	messages, err := readLines(filepath.Join(dir, c.name+".jsonl"))
	if err != nil {
		return k, err
	}
	facts, err := readLines(filepath.Join(dir, c.name+".labels.jsonl"))
	if err != nil {
		return k, err
	}
	type labelled struct {
		message []byte
		text    string
		facts   []fact
	}
	var all []labelled
	for i, line := range facts {
		var l labels
		var m trimmable
		if err := errors.Join(json.Unmarshal(line, &l), json.Unmarshal(messages[i], &m)); err != nil {
			return k, err
		}
		if m.HandoffID != l.HandoffID {
			return k, fmt.Errorf("line %d: the labels are of another message", i+1)
		}
		if text := m.text(); len(l.Facts) > 0 && len(text) >= shortest && len(text) <= longest {
			all = append(all, labelled{messages[i], text, l.Facts})
		}
	}
	for i, l := range evenly(all, most) {
		rest, err := trimTo(handoff, l.message, len(l.text)/ratio)
		if err != nil {
			return k, err
		}
		if rest == "" {
			k.tight++
			continue
		}
		k.conversations++
		k.facts += float64(len(l.facts))
		k.text += len(l.text)
		k.rest += len(rest)
		k.trimmed += count(rest, l.facts)
		whole := sentences(l.text)
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

// count returns how many of the facts a text holds.
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

// trimmable is what of a message is text: its summary and turns.
type trimmable struct {
	HandoffID string
	Summary   string `json:"conversationHistorySummary"`
	Turns     []turn `json:"conversationHistoryVerbatim"`
}

func (m *trimmable) text() string {
	if m.Summary == "" {
		return textOf(m.Turns)
	}
	return m.Summary + "\n" + textOf(m.Turns)
}

// trimTo has the program trim a message until its text has at most that many bytes, and
// returns the text: the longest of a few tries, "" where none fits. The program counts
// whole messages, so that the limit is found by trying.
func trimTo(handoff string, message []byte, most int) (string, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(message, &m); err != nil {
		return "", err
	}
	limit := len(message) - len(m["conversationHistoryVerbatim"]) + most
	best := ""
	for range 5 {
		cut := exec.Command(handoff, "trim", "-q", "--tokenizer", "bytes", "--keep-turns", "1",
			"--summary-tokens", fmt.Sprint(most), "--max-tokens", fmt.Sprint(limit), "-")
		cut.Stdin = bytes.NewReader(message)
		out, err := cut.Output()
		if err != nil {
			if cut.ProcessState.ExitCode() != 1 {
				return "", fmt.Errorf("%w: %s", err, stderrOf(err))
			}
			if best != "" {
				break
			}
			limit += 100 + most/4
			continue
		}
		var t trimmable
		if err := json.Unmarshal(out, &t); err != nil {
			return "", err
		}
		text := t.text()
		if len(text) <= most && len(text) > len(best) {
			best = text
		}
		spare := most - len(text)
		if spare >= 0 && spare < most/20 {
			break
		}
		limit += spare
	}
	return best, nil
}
