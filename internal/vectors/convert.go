package vectors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/session"
	"github.com/eaapl/handoff/pkg/validate"
	suite "github.com/eaapl/handoff/vectors"
)

// convertHistory converts a history to one format after another.
func convertHistory(ctx context.Context, in suite.Input) (Answer, error) {
	from, text := format.Format(in.Format), string(in.History)
	for _, to := range in.To {
		doc, err := parse(from, text)
		if err != nil {
			return syntax(err), nil
		}
		r, err := convert.Checked(ctx, doc, format.Format(to), convert.Options{From: from}, jsonstream.Limits{})
		switch {
		case errors.As(err, new(convert.SourceErrors)), errors.Is(err, convert.ErrFormat):
			return refused("source", err), nil
		case err != nil:
			return Answer{}, err
		}
		from, text = format.Format(to), string(r.Text)
	}
	return Answer{Verdict: suite.Valid, Output: text}, nil
}

// conversionProblem describes the fault of a converted history, "" if there is none. It reads the history by
// handoff's own code, and checks it by handoff's own rules if a provider has the format.
func conversionProblem(c suite.Case, output string) string {
	to := c.Input.To[len(c.Input.To)-1]
	if c.Expected.Same {
		return sameProblem(format.Format(to), output, string(c.Input.History))
	}
	h, err := historyOf(format.Format(to), output)
	if err != nil {
		return "the output is not a history in the format " + to + ": " + err.Error()
	}
	if p := shapeProblem(format.Format(to), output); p != "" {
		return "the output is not a history in the format " + to + ": " + p
	}
	if slices.Contains(provider.All(), provider.Provider(to)) {
		if p := rejection(suite.Input{Provider: to}, output); p != "" {
			return p
		}
	}
	if p := lost(h.Context(), c.Expected.Keep); p != "" {
		return p
	}
	if n := filesIn(h); c.Expected.Files > 0 && n != c.Expected.Files {
		return fmt.Sprintf("expected %d images, recordings and documents, got %d", c.Expected.Files, n)
	}
	if c.Expected.Turns == nil { // only texts are to be kept
		return ""
	}
	return turnsProblem(c.Expected, turnsOf(h))
}

// shapeProblem describes the first violation of the schema of a format; it is "" if there is none.
func shapeProblem(f format.Format, output string) string {
	doc, err := parse(f, output)
	if err != nil {
		return err.Error()
	}
	v := validate.New(validate.Options{Formats: []format.Format{f}, Layers: []finding.Layer{finding.Schema}})
	r, err := v.Validate(context.Background(), message.Of(doc))
	if err != nil {
		return err.Error()
	}
	for _, one := range r.Findings {
		if one.Severity == finding.Error {
			return one.PlacedMessage()
		}
	}
	return ""
}

// filesIn returns the number of images, recordings and documents in the turns, also in results.
func filesIn(h *history.History) (n int) {
	for _, t := range h.Turns {
		for p := range conversation.Parts(t.Value) {
			switch p.Kind {
			case conversation.Media:
				n++
			case conversation.Result:
				n += countFiles(p.Value)
			}
		}
	}
	return n
}

// countFiles returns the number of files in a value. A file within another file does not count.
func countFiles(v jsonstream.Value) (n int) {
	if p, _ := conversation.PartOf(v); p.Kind == conversation.Media {
		return 1
	}
	for _, member := range v.Members() {
		n += countFiles(member)
	}
	for _, element := range v.Elements() {
		n += countFiles(element)
	}
	return n
}

// sameProblem describes how two texts of a format differ as JSON, with the text of numbers.
func sameProblem(f format.Format, output, input string) string {
	got, err := parse(f, output)
	if err != nil {
		return "the output is not JSON: " + err.Error()
	}
	want, err := parse(f, input)
	if err != nil {
		return err.Error()
	}
	if !(equal.Relation{Exact: true}).Equal(want.Root(), got.Root()) {
		return "the output is not the history of the input"
	}
	return ""
}

// readSession answers with the turns of a session.
func readSession(in suite.Input) (Answer, error) {
	s, err := session.Read(strings.NewReader(string(in.Session)), int64(len(in.Session)), session.Options{})
	switch {
	case errors.Is(err, session.ErrUnknown):
		return refused("not-a-session", err), nil
	case err != nil:
		return Answer{}, err
	case string(s.Agent) != in.Agent:
		return refused("not-a-session", errors.New("it is a session of "+string(s.Agent))), nil
	}
	text, err := json.Marshal(sessionTurns(s))
	return Answer{Verdict: suite.Valid, Output: string(text)}, err
}

// sessionProblem describes the fault of the turns of a session, "" if there is none.
func sessionProblem(c suite.Case, output string) string {
	turns, err := readTurns(output)
	if err != nil {
		return err.Error()
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(output)), jsonstream.Limits{})
	if err != nil {
		return err.Error()
	}
	if p := lost(doc, c.Expected.Keep); p != "" {
		return p
	}
	return turnsProblem(c.Expected, turns)
}
