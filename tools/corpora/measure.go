package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

// model is the rule of the scanner's own model.
const model = "safety/model"

// measure measures the program on the sets of the folder: the rates of flagged messages and single
// texts, and the share of labelled facts that its summaries keep.
func measure(w io.Writer, handoff, dir string, sets []corpus, trims int) error {
	if err := measureScan(w, handoff, dir, sets); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := measureTexts(w, handoff, dir); err != nil {
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

// A verdict is the scanner's result for a message, as far as needed here.
type verdict struct {
	Flagged  bool
	Findings []struct {
		Rule, Pointer string
		Flagged       bool
	}
}

// alone reports whether all findings about flagged texts are the model's.
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
