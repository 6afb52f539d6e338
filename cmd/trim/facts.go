package trim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// labels are the facts of messages that trimming should keep, by handoffId.
type labels map[string][]string

// maxLabels limits a line of labels, in bytes.
const maxLabels = 16 << 20

// loadLabels reads a file of lines {"handoffId": "…", "facts": [{"value": "…"}]}.
func loadLabels(g *cli.Globals, path string) (labels, error) {
	f, closeFile, err := g.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer closeFile() // read only: nothing can be lost
	all := labels{}
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxLabels)
	for line := 1; s.Scan(); line++ {
		if strings.TrimSpace(s.Text()) == "" {
			continue
		}
		var l struct {
			HandoffID string `json:"handoffId"`
			Facts     []struct {
				Value string `json:"value"`
			} `json:"facts"`
		}
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, line, err)
		}
		if l.HandoffID == "" {
			return nil, fmt.Errorf("%s: line %d: handoffId is missing: add the handoffId of the message with these facts", path, line)
		}
		for _, fact := range l.Facts {
			all[l.HandoffID] = append(all[l.HandoffID], fact.Value)
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, term.PlainError(err))
	}
	return all, nil
}

// A factCheck is the number of labelled facts that a trim has kept, and the size of the text.
type factCheck struct {
	Labelled    int      `json:"labelled"` // present in the message before the trim
	Kept        int      `json:"kept"`
	Lost        []string `json:"lost,omitempty"`
	BytesBefore int      `json:"bytesBefore"` // size of the texts
	BytesAfter  int      `json:"bytesAfter"`
}

// check compares a message before and after a trim. It returns nil if the message has no labels.
func (l labels) check(before, after *jsonstream.Document, f format.Format, limits jsonstream.Limits) (*factCheck, error) {
	values := l[before.Root().Get("handoffId").Text()]
	if len(values) == 0 {
		return nil, nil
	}
	var texts [2]string
	for i, doc := range []*jsonstream.Document{before, after} {
		h, err := history.Of(doc, f, limits)
		if err != nil {
			return nil, err
		}
		var said strings.Builder
		if name := h.Layout().Summary; name != "" {
			said.WriteString(h.Root.Get(name).Text())
		}
		for _, t := range h.Turns {
			said.WriteString("\n" + t.Text())
		}
		texts[i] = said.String()
	}
	c := &factCheck{BytesBefore: len(texts[0]), BytesAfter: len(texts[1])}
	said, kept := summarize.Fold(texts[0]), summarize.Fold(texts[1])
	seen := map[summarize.Folded]bool{}
	for _, value := range values {
		folded := summarize.Fold(value)
		if seen[folded] || !said.Says(folded) {
			continue
		}
		seen[folded] = true
		if c.Labelled++; kept.Says(folded) {
			c.Kept++
		} else {
			c.Lost = append(c.Lost, value)
		}
	}
	return c, nil
}

func (c *factCheck) text() string {
	text := fmt.Sprintf("%d of %s kept (%.1f%%) in %s of %s bytes", c.Kept, term.Plural(c.Labelled, "labelled fact"), 100*float64(c.Kept)/float64(max(c.Labelled, 1)), term.Grouped(int64(c.BytesAfter)), term.Grouped(int64(c.BytesBefore)))
	if len(c.Lost) > 0 {
		text += "; lost: " + term.Visible(strings.Join(c.Lost, " · "))
	}
	return text
}

// add adds the check of another message.
func (c *factCheck) add(next *factCheck) {
	c.Labelled += next.Labelled
	c.Kept += next.Kept
	c.BytesBefore += next.BytesBefore
	c.BytesAfter += next.BytesAfter
}

// writeFacts writes the sum over all messages.
func (f *trimFlags) writeFacts(w io.Writer) error {
	if f.format == "json" {
		return report.WriteJSON(w, map[string]any{"facts": f.facts})
	}
	_, err := fmt.Fprintf(w, "handoff: all messages: %s\n", f.facts.text())
	return err
}
