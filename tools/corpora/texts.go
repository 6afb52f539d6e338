package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeTexts writes texts.jsonl: labelled single texts in many languages, for the scanner.
func writeTexts(mirror, out string) error {
	file, err := os.Create(filepath.Join(out, "texts.jsonl"))
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	injections, err := writeInjections(w, mirror)
	if err != nil {
		return err
	}
	clean, err := writeClean(w, mirror)
	if err != nil {
		return err
	}
	fmt.Printf("texts.jsonl: %d injections, %d clean texts\n", injections, clean)
	return w.Flush()
}

// A text is a line of texts.jsonl.
type text struct {
	ID       string `json:"id"`
	Label    string `json:"label"` // injection or clean
	Kind     string `json:"kind"`
	Language string `json:"language"`
	Source   string `json:"source"`
	Licence  string `json:"licence"`
	Held     bool   `json:"held"`
	Text     string `json:"text"`
}

// writeInjections reads the direct orders of CyberSecEval, machine-translated into 17 languages.
// Half of them, by number, are held back.
func writeInjections(w *bufio.Writer, mirror string) (int, error) {
	const repository, commit = "meta-llama/PurpleLlama", "4be64c3a24442b51c76175e6ec67722cc3f5fe38"
	s, err := openSnapshot(mirror, repository, commit)
	if err != nil {
		return 0, err
	}
	defer s.close()
	var rows []struct {
		ID       int    `json:"prompt_id"`
		Input    string `json:"user_input"`
		Type     string `json:"injection_type"`
		Variant  string `json:"injection_variant"`
		Language string `json:"speaking_language"`
	}
	if _, err := s.decode("CybersecurityBenchmarks/datasets/prompt_injection/prompt_injection_multilingual_machine_translated.json", &rows); err != nil {
		return 0, err
	}
	n := 0
	for _, row := range rows {
		// The other variants are not recognisable from the text alone.
		if row.Variant != "ignore_previous_instructions" && row.Variant != "system_mode" {
			continue
		}
		n++
		id := fmt.Sprint("cyberseceval-", row.ID, "-", row.Language)
		if err := encode(w, text{id, "injection", row.Type + "/" + row.Variant, row.Language, repository, "MIT", row.ID%2 == 1, row.Input}); err != nil {
			return n, err
		}
	}
	return n, nil
}

// writeClean reads the texts of xSID, requests to an assistant, in its languages.
func writeClean(w *bufio.Writer, mirror string) (int, error) {
	const repository, commit = "mainlp/xsid", "761d926c3f2e9f6bea13192d2f39cec1d04d9777"
	s, err := openSnapshot(mirror, repository, commit)
	if err != nil {
		return 0, err
	}
	defer s.close()
	n := 0
	for _, language := range []string{"ar", "da", "de", "en", "id", "it", "ja", "kk", "lt", "nl", "sr", "tr", "zh"} {
		for _, split := range []string{"valid", "test"} {
			data, err := s.read("data/xSID-0.7/" + language + "." + split + ".conll")
			if err != nil {
				return n, err
			}
			for line := range strings.SplitSeq(string(data), "\n") {
				said, ok := strings.CutPrefix(line, "# text = ")
				if !ok {
					continue
				}
				n++
				id := fmt.Sprint("xsid-", language, "-", n)
				if err := encode(w, text{id, "clean", "command", language, repository, "CC-BY-SA-4.0", split == "test", said}); err != nil {
					return n, err
				}
			}
		}
	}
	return n, nil
}
