package chain

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

const fixtures = "../../testdata/chain"

// readFixture returns the messages in a directory, each valid for a receiver.
func readFixture(t *testing.T, dir string) []*Message {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no fixture: %v", dir, err)
	}
	validator := validate.New(validate.Options{})
	var messages []*Message
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := jsonstream.NewSplitter(bytes.NewReader(text), jsonstream.Limits{})
		for i := 0; ; i++ {
			raw, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			m, err := message.ParseInPlace(raw, message.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if result, err := validator.Validate(t.Context(), m); err != nil || !result.Valid {
				t.Errorf("%s, message %d, is not valid: %v %+v", file, i+1, err, result.Findings)
			}
			read, err := Read(m.Document(), Place{filepath.Base(file), i, raw.Start.Line})
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, read)
		}
	}
	return messages
}

func checkAll(o Options, messages []*Message) []*Task {
	c := New(o)
	for _, m := range messages {
		c.Add(m)
	}
	return c.Tasks()
}

// TestFixtures checks for every rule that the bad fixture breaks only that rule, and that the good
// fixture, which is similar, breaks none.
func TestFixtures(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			found := make(map[string]bool)
			for _, task := range checkAll(Options{}, readFixture(t, filepath.Join(fixtures, rule.Name(), "bad"))) {
				for n := range task.Nodes() {
					for _, f := range n.Findings {
						t.Logf("%s%s: %s", n.Place, f.Pointer, f.Message)
						found[strings.TrimPrefix(f.Rule, "chain/")] = true
					}
				}
			}
			if diff := cmp.Diff([]string{rule.Name()}, slices.Sorted(maps.Keys(found))); diff != "" {
				t.Errorf("bad: rules that found something (-want +got):\n%s", diff)
			}
			for _, f := range findings(checkAll(Options{}, readFixture(t, filepath.Join(fixtures, rule.Name(), "good")))) {
				t.Errorf("good: %s", f)
			}
		})
	}
}

// TestPipeline checks the four agents of section 13.3: three handoffs of one task.
func TestPipeline(t *testing.T) {
	tasks := checkAll(Options{}, readFixture(t, filepath.Join(fixtures, "pipeline")))
	for _, f := range findings(tasks) {
		t.Error(f)
	}
	if len(tasks) != 1 || tasks[0].Messages != 3 {
		t.Fatalf("got %d tasks, the first with %d messages; want one with 3", len(tasks), tasks[0].Messages)
	}
	total := tasks[0].Total
	if total.SpentUSD.String() != "0.15" || total.RemainingUSD.String() != "0.35" || total.Prompt != 7900 || total.Completion != 2600 || !tasks[0].Agrees {
		t.Errorf("got %+v, relay %+v; want 0.15 USD spent, 0.35 USD left, 7900 and 2600 tokens", total, tasks[0].Relay)
	}
}
