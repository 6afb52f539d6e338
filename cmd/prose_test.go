package cmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// clauses are phrases that put a clause in the place of a noun, with the highest rate per 1,000 words: three
// times that of Go's standard library, or 0.10.
var clauses = []struct {
	name    string
	pattern *regexp.Regexp
	limit   float64
}{
	{"says what/which/how", regexp.MustCompile(`\b[Ss]a(?:ys?|id) (?:what|which|how|whether|why|who|of|that|so)\b`), 0.17},
	{"what is/was/the", regexp.MustCompile(`\b[Ww]hat (?:is|was|are|were|has|have|had|they|it|comes|came|others|a|an|the)\b`), 0.36},
	{"those that/of", regexp.MustCompile(`\b[Tt]hose (?:that|of|who|in|which)\b`), 0.10},
	{"of/by/in which", regexp.MustCompile(`\b(?:of|by|in|to|with|on|from) which\b`), 1.11},
	{"nobody, whoever", regexp.MustCompile(`\b(?:[Nn]obody|[Ww]hoever)\b`), 0.10},
	{"tells", regexp.MustCompile(`\b[Tt]ells?\b`), 0.29},
	{"is there", regexp.MustCompile(`\b(?:is|are) (?:already )?there(?: already)?[,.;:]`), 0.10},
	{"what became of", regexp.MustCompile(`\b[Ww]hat (?:became|becomes|comes|came) of\b`), 0.10},
}

// TestPlainEnglish counts these phrases in comments, documents and help. docs/glossary.md has the nouns to use
// instead.
func TestPlainEnglish(t *testing.T) {
	comments, documents := textsOfFiles(t)
	var help []string
	textsOfHelp(&help, newRoot())
	for kind, texts := range map[string][]string{"comments": comments, "documents": documents, "help": help} {
		words := 0
		for _, text := range texts {
			words += len(strings.Fields(text))
		}
		if words < 10_000 {
			t.Errorf("%s: only %d words", kind, words)
		}
		for _, c := range clauses {
			var found []string
			for _, text := range texts {
				for _, at := range c.pattern.FindAllStringIndex(text, -1) {
					found = append(found, text[max(0, at[0]-40):min(len(text), at[1]+40)])
				}
			}
			if rate := 1000 * float64(len(found)) / float64(words); rate > c.limit {
				t.Errorf("%s: %q occurs %.2f times per 1,000 words, more than %.2f:\n%s", kind, c.name, rate, c.limit, strings.Join(found[:min(len(found), 20)], "\n"))
			}
		}
	}
}

// generatedDocuments are documents made from other texts.
var generatedDocuments = []string{"commands.md", "rules.md", "coverage.md"}

// textsOfFiles returns the comments of Go files that are no tests, and the paragraphs of documents. Tables,
// headings and code are left out.
func textsOfFiles(t *testing.T) (comments, documents []string) {
	t.Helper()
	comment := regexp.MustCompile(`^\s*// ?(.*)$`)
	fences := regexp.MustCompile("(?s)```.*?```")
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".") && name != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		isGo := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
		isDocument := strings.HasSuffix(path, ".md") && !slices.Contains(generatedDocuments, d.Name())
		if !isGo && !isDocument {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if isDocument {
			for paragraph := range strings.SplitSeq(fences.ReplaceAllString(string(text), ""), "\n\n") {
				if !slices.ContainsFunc([]string{"|", "    ", "#", "<"}, func(mark string) bool { return strings.HasPrefix(paragraph, mark) }) {
					documents = append(documents, strings.Join(strings.Fields(paragraph), " "))
				}
			}
			return nil
		}
		for line := range strings.Lines(string(text)) {
			if m := comment.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
				comments = append(comments, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return comments, documents
}

func textsOfHelp(texts *[]string, c *cobra.Command) {
	*texts = append(*texts, c.Short, c.Long)
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { *texts = append(*texts, f.Usage) })
	for _, sub := range c.Commands() {
		textsOfHelp(texts, sub)
	}
}
