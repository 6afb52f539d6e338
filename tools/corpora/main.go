// Corpora rebuilds the sets for measuring the scanner and the summaries from snapshots of public
// repositories, and measures a program on them. README.md in this folder describes its use.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

// maxLength is the approximate maximum length of the text of a set.
const maxLength = 8_000_000

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "corpora:", err)
		os.Exit(2)
	}
}

func run() error {
	mirror := flag.String("mirror", "", "`folder` of the snapshots, OWNER+NAME/repo")
	out := flag.String("o", "", "`folder` to write the sets to")
	most := flag.Int("n", 1000, "the maximum number of conversations of a set, taken evenly; 0 for all")
	handoff := flag.String("measure", "", "measure this `program` on the sets of the folder, instead of writing them")
	claims := flag.String("claims", "", "measure check-claims of this `program` on the snapshots of -mirror, instead of writing sets")
	trims := flag.Int("trims", 40, "the maximum number of conversations of a set to trim")
	flag.Parse()
	sets := corpora
	if names := flag.Args(); len(names) > 0 {
		sets = slices.DeleteFunc(slices.Clone(corpora), func(c corpus) bool { return !slices.Contains(names, c.name) })
	}
	if *mirror == "" && *handoff == "" {
		return errors.New("-mirror is missing")
	}
	if *claims != "" {
		return measureClaims(os.Stdout, *claims, *mirror, sets)
	}
	if *out == "" {
		return errors.New("-o is missing")
	}
	if *handoff != "" {
		return measure(os.Stdout, *handoff, *out, sets, *trims)
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	report := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(report, "set\tkind\tlanguage\tuse\tconversations\tof\tfacts\tbytes")
	for _, set := range sets {
		if err := set.write(report, *mirror, *out, *most); err != nil {
			return fmt.Errorf("%s: %w", set.name, err)
		}
		report.Flush()
	}
	return writeTexts(*mirror, *out)
}

// write writes the messages and the labels of the set, and prints a line about them.
func (c *corpus) write(report *tabwriter.Writer, mirror, out string, most int) (err error) {
	s, err := openSnapshot(mirror, c.repository, c.commit)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	var all []*conversation
	if err := c.read(s, func(found *conversation) {
		if len(found.turns) >= 4 {
			all = append(all, found)
		}
	}); err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("no conversation found")
	}
	messages, err := os.Create(filepath.Join(out, c.name+".jsonl"))
	if err != nil {
		return err
	}
	defer messages.Close()
	facts, err := os.Create(filepath.Join(out, c.name+".labels.jsonl"))
	if err != nil {
		return err
	}
	defer facts.Close()
	m, l := bufio.NewWriter(messages), bufio.NewWriter(facts)
	chosen, labelled := evenly(all, most), 0
	length := 0
	for _, conversation := range chosen {
		length += len(conversation.text())
	}
	if length > maxLength {
		chosen = evenly(chosen, max(1, len(chosen)*maxLength/length))
	}
	for _, conversation := range chosen {
		conversation.settle()
		labelled += len(conversation.facts)
		if err := errors.Join(conversation.message(m, c.name, tasks[c.kind]), conversation.labels(l, c.name)); err != nil {
			return err
		}
	}
	if err := errors.Join(m.Flush(), l.Flush()); err != nil {
		return err
	}
	info, err := messages.Stat()
	if err != nil {
		return err
	}
	use := "tune"
	if c.held {
		use = "HELD"
	}
	fmt.Fprintf(report, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\n", c.name, c.kind, c.language, use, len(chosen), len(all), labelled, info.Size())
	return nil
}

// evenly returns at most n of the values, at even distances; all if n is 0.
func evenly[T any](all []T, n int) []T {
	if n == 0 || len(all) <= n {
		return all
	}
	chosen := make([]T, n)
	for i := range chosen {
		chosen[i] = all[i*len(all)/n]
	}
	return chosen
}
