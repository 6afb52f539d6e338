package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A conversationSet is a set of tools/corpora with turns for use as clean examples: tuning on it is
// allowed, and its licence permits weights derived from it. Sets without a licence (kvret, tc39) are
// only measured.
type conversationSet struct{ name, repository, licence string }

func conversationSets() []conversationSet {
	return []conversationSet{
		{"star", "RasaHQ/STAR", "MIT"},
		{"indosmd", "dehanalkautsar/IndoToD", "Apache-2.0"},
		{"sim-m", "google-research-datasets/simulated-dialogue", "CC-BY-4.0"},
		{"sim-r", "google-research-datasets/simulated-dialogue", "CC-BY-4.0"},
		{"camrest", "WING-NUS/sequicity", "CC-BY-4.0"},
		{"mixed-hi", "sumanbanerjee1/Code-Mixed-Dialog", "Apache-2.0"},
		{"mixed-ta", "sumanbanerjee1/Code-Mixed-Dialog", "Apache-2.0"},
		{"risawoz-en", "stanford-oval/dialogues", "CC-BY-4.0"},
		{"risawoz-fr", "stanford-oval/dialogues", "CC-BY-4.0"},
		{"risawoz-hi", "stanford-oval/dialogues", "CC-BY-4.0"},
		{"risawoz-ko", "stanford-oval/dialogues", "CC-BY-4.0"},
		{"risawoz-zh", "stanford-oval/dialogues", "CC-BY-4.0"},
		{"asdc", "megagonlabs/asdc", "CC-BY-4.0"},
		{"api-bank", "AlibabaResearch/DAMO-ConvAI", "Apache-2.0"},
		{"toolbench", "OpenBMB/ToolBench", "Apache-2.0"},
		{"bitcoin", "bitcointranscripts/bitcointranscripts", "MIT"},
		{"bundestag", "Jadaju/Korpus-Plenarprotokolle", "Apache-2.0"},
		{"parlamint-tr", "coltekin/ParlaMint-TR", "CC-BY-4.0"},
		{"specstory", "specstoryai/getspecstory", "Apache-2.0"},
	}
}

const (
	maxTurns = 3000    // maximum texts of a set, taken evenly
	turnLen  = 2 << 10 // maximum bytes of a text: longer turns are cut as in the scanner
)

// readConversations returns the turns, the arguments of calls and the results of the sets in a
// folder, in the form of tools/corpora, as clean rows.
func readConversations(dir string) ([]row, error) {
	var rows []row
	for _, set := range conversationSets() {
		texts, err := readTurns(filepath.Join(dir, set.name+".jsonl"))
		if err != nil {
			return nil, err
		}
		n := min(len(texts), maxTurns)
		for i := range n {
			rows = append(rows, row{Label: "clean", Kind: "conversation", Tier: "A", Source: set.repository, Text: texts[i*len(texts)/n], Permissive: true, conversation: true})
		}
	}
	return rows, nil
}

// readTurns returns the texts of a set's messages, each once.
func readTurns(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var texts []string
	seen := make(map[string]bool)
	add := func(text string) {
		for len(text) > 0 {
			end := min(len(text), turnLen)
			for end < len(text) && !utf8.RuneStart(text[end]) {
				end++
			}
			if piece := text[:end]; strings.Contains(strings.TrimSpace(piece), " ") && !seen[piece] {
				seen[piece] = true
				texts = append(texts, piece)
			}
			text = text[end:]
		}
	}
	for line := range strings.Lines(string(data)) {
		var message struct {
			Turns []struct {
				Content any
				Calls   []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
			} `json:"conversationHistoryVerbatim"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, turn := range message.Turns {
			if text, ok := turn.Content.(string); ok {
				add(text)
			}
			for _, call := range turn.Calls {
				add(call.Function.Arguments)
			}
		}
	}
	return texts, nil
}
