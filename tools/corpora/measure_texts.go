package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
)

// measureTexts reports the rate of single texts that the program flags, by label and language: for
// injections a low rate is bad, for clean texts a high one.
func measureTexts(w io.Writer, handoff, dir string) error {
	lines, err := readLines(filepath.Join(dir, "texts.jsonl"))
	if err != nil {
		return err
	}
	var input bytes.Buffer
	texts := make([]text, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal(line, &texts[i]); err != nil {
			return err
		}
		if err := encode(&input, map[string]string{"text": texts[i].Text}); err != nil {
			return err
		}
	}
	scan := exec.Command(handoff, "scan", "--max-findings", "0", "-f", "json", "-")
	scan.Stdin = &input
	out, err := scan.Output()
	if err != nil && scan.ProcessState.ExitCode() != 1 {
		return fmt.Errorf("scan texts.jsonl: %w: %s", err, stderrOf(err))
	}
	type tally struct{ all, flagged int }
	groups := map[string]*tally{}
	i := 0
	for line := range bytes.Lines(out) {
		var v verdict
		if err := json.Unmarshal(line, &v); err != nil {
			return err
		}
		use := "tune"
		if texts[i].Held {
			use = "HELD"
		}
		name := texts[i].Label + "\t" + texts[i].Language + "\t" + use
		if groups[name] == nil {
			groups[name] = &tally{}
		}
		if groups[name].all++; v.Flagged {
			groups[name].flagged++
		}
		i++
	}
	if i != len(texts) {
		return fmt.Errorf("scan texts.jsonl: %d verdicts for %d texts", i, len(texts))
	}
	var rows []row
	for _, name := range sortedNames(groups) {
		g := groups[name]
		rate := 100 * float64(g.flagged) / float64(g.all)
		worth := rate
		if name[0] == 'c' { // clean, after the injections
			worth = 200 - rate
		}
		rows = append(rows, row{worth, fmt.Sprintf("%s\t%d\t%d\t%.2f%%", name, g.all, g.flagged, rate)})
	}
	writeRows(w, "label\tlanguage\tuse\ttexts\tflagged\trate", rows)
	return nil
}
