// Command model trains the weights of the package model on labelled text and on the templates in its
// directory data; run it in the folder tools. The same input gives the same bytes.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/gram"
)

// perTemplate is the number of texts made from each template.
const perTemplate = 16

func main() {
	corpus := flag.String("corpus", "", "labelled text, one JSON object per line")
	conversations := flag.String("conversations", "", "folder with the sets of tools/corpora, whose turns are clean text")
	without := flag.String("without", "", "repositories whose conversations are left out, to measure on them, separated by commas")
	output := flag.String("o", "../pkg/internal/model/weights.bin", "file to write the weights to")
	evaluate := flag.Bool("evaluate", false, "print the results on sources that were left out of training, and write nothing")
	opinions := flag.String("opinions", "", "with -evaluate: file for the probability of each text, by a model trained without its source")
	flag.Parse()
	if err := run(*corpus, *conversations, *without, *output, *evaluate, *opinions); err != nil {
		fmt.Fprintln(os.Stderr, "model:", err)
		os.Exit(2)
	}
}

func run(corpus, conversations, without, output string, evaluate bool, opinions string) error {
	rows, err := readCorpus(corpus)
	if err != nil {
		return err
	}
	labelled := len(rows)
	turns, err := readConversations(conversations)
	if err != nil {
		return err
	}
	for _, r := range turns {
		if !slices.Contains(strings.Split(without, ","), r.Source) {
			rows = append(rows, r)
		}
	}
	g, err := readGrammar()
	if err != nil {
		return err
	}
	bags, words := readBags(append(rows, g.rows(perTemplate)...))

	margins := heldBack(bags, len(words.keys))
	c := calibrate(bags, margins)
	if evaluate {
		for i, m := range margins {
			margins[i] = 1 / (1 + math.Exp(-c.slope*m-c.offset))
		}
		report(os.Stdout, bags, margins)
		if opinions == "" {
			return nil
		}
		return writeOpinions(opinions, margins[:labelled])
	}
	m := train(trainable(bags, nil), len(words.keys))
	return os.WriteFile(output, pack(m, words.keys, c).Append(nil), 0o644)
}

// writeOpinions writes the probability of each row that has one, by row number.
func writeOpinions(file string, probabilities []float64) error {
	var text []byte
	for i, p := range probabilities {
		if !math.IsNaN(p) {
			text = fmt.Appendf(text, "%d\t%.6f\n", i, p)
		}
	}
	return os.WriteFile(file, text, 0o644)
}

// pack orders the features of m by weight, with margins converted to log-odds.
func pack(m *linear, keys []uint64, c calibration) *gram.Weights {
	var order []int
	for f, w := range m.weights {
		if w != 0 {
			order = append(order, f)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Abs(m.weights[b]), math.Abs(m.weights[a])), cmp.Compare(a, b))
	})
	w := &gram.Weights{Bias: m.bias*c.slope + c.offset, Gate: m.gate}
	for _, f := range order {
		w.Keys = append(w.Keys, keys[f])
		w.Values = append(w.Values, m.weights[f]*c.slope)
	}
	return w
}
