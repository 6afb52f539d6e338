package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/safety"
	"github.com/eaapl/handoff/pkg/session"
	"github.com/eaapl/handoff/pkg/summarize"
	"github.com/eaapl/handoff/pkg/trim"
	"github.com/eaapl/handoff/pkg/validate"
)

// A fitting builds, from a session, a message that fits its receiver.
type fitting struct {
	limit     int // on the message, in tokens
	keepTurns int
	meter     history.Meter
	tokenizer string
	scanner   *cli.Scanner
	options   build.Options
	budget    message.Decimal
}

// A fitted is a message and notes on it.
type fitted struct {
	text  []byte
	notes []string
}

// tailBytes returns the number of bytes to read at the end of a session: enough to fill the message, and much
// more for a summary.
func (f *fitting) tailBytes() int { return max(1<<20, 32*f.limit) }

// steps are the successive reductions of a message, the smallest first. A maxText of 0 keeps any text, a
// keepTurns of -1 all turns. divisor reduces the rest of the message.
var steps = []struct{ maxText, keepTurns, divisor int }{
	{0, -1, 1}, {16 << 10, -1, 1}, {8 << 10, -1, 1}, {4 << 10, -1, 1}, {2 << 10, -1, 1}, {1 << 10, 3, 2}, {512, 2, 3}, {256, 1, 4},
}

// message builds the message. The error is a [cli.Rejection] if the receiver would reject it.
func (f *fitting) message(ctx context.Context, s *session.Session) (fitted, error) {
	var result fitted
	for _, step := range steps {
		state, err := s.State(session.StateOptions{BudgetUSD: f.budget, MaxText: step.maxText, Bytes: f.limit * 4 / step.divisor})
		if err != nil {
			return fitted{}, err
		}
		keep := f.keepTurns
		if step.keepTurns >= 0 {
			keep = min(keep, step.keepTurns)
		}
		r, err := f.trimmed(ctx, s, state, keep)
		var over *trim.OverError
		if errors.As(err, &over) && step != steps[len(steps)-1] {
			continue
		}
		if err != nil {
			return fitted{}, err
		}
		result.text = r.Text
		if step.maxText > 0 {
			result.note("long inputs and results of tools are cut in their middle, to about %d bytes", step.maxText)
		}
		if r.Gone > 0 || s.TurnsLeftOut > 0 {
			result.note("%d turns are left out", r.Gone+s.TurnsLeftOut)
		}
		if state.Secrets > 0 {
			result.note("credentials are masked: %d", state.Secrets)
		}
		break
	}
	if err := f.withhold(ctx, &result); err != nil {
		return fitted{}, err
	}
	if err := result.doubt(); err != nil {
		return fitted{}, err
	}
	return result, f.check(ctx, result.text)
}

func (r *fitted) note(form string, a ...any) { r.notes = append(r.notes, fmt.Sprintf(form, a...)) }

// trimmed builds a message from a state and trims it.
func (f *fitting) trimmed(ctx context.Context, s *session.Session, state session.State, keep int) (trim.Result, error) {
	doc, err := parsed(state.Text)
	if err != nil {
		return trim.Result{}, err
	}
	o := f.options
	o.From = message.FromAgent{AgentID: string(s.Agent), AgentVersion: s.AgentVersion()}
	o.Random = randomOf(state.Seed, fmt.Sprintf("%s %v %d", o.To.AgentType+"@"+o.To.AgentVersion, o.Set, f.limit))
	m, err := build.Message(doc, o)
	if err != nil {
		return trim.Result{}, err
	}
	return trim.Message(ctx, m.Document(), jsonstream.Unlimited(), trim.Options{
		Format: format.EAAPL, MaxTokens: f.limit, KeepTurns: keep, Meter: f.meter, Tokenizer: f.tokenizer,
		Summarizer: summarize.Extractive{}, Method: trim.Extractive,
		Also: []trim.Extra{trim.ToolCallHistory, trim.RelevantContext},
	})
}

// stretch returns n bytes derived from a seed.
func stretch(seed []byte, n int) []byte {
	var out []byte
	for i := byte(0); len(out) < n; i++ {
		sum := sha256.Sum256(append([]byte{i}, seed...))
		out = append(out, sum[:]...)
	}
	return out[:n]
}

// withhold replaces texts with instructions to the receiver, except the task.
func (f *fitting) withhold(ctx context.Context, r *fitted) error {
	doc, err := parsed(r.text)
	if err != nil {
		return err
	}
	report, err := safety.ScanDocument(ctx, f.scanner, doc.Root(), f.scanner.Allow)
	if err != nil {
		return err
	}
	draft := jsonstream.NewDraft(doc.Root())
	done := map[string]bool{}
	for _, found := range report.Findings {
		pointer := found.Pointer()
		if !found.Flagged || found.InName || done[pointer] || pointer == "/taskDescription" {
			continue
		}
		done[pointer] = true
		if err := draft.Set(pointer, []byte(`"[withheld]"`)); err != nil {
			return err
		}
		r.note("%s is withheld: it looks like instructions to the agent (%s); --allow %s keeps it", pointer, found.Rule, pointer)
	}
	if len(done) == 0 {
		return nil
	}
	if doc, err = draft.Document(jsonstream.Unlimited()); err != nil {
		return err
	}
	text, err := claims.AddEvidence(doc) // which removes pointers to withheld values
	r.text = jsonstream.AppendCompact(nil, text)
	return err
}

// doubt adds a note for each claim of the agent that the conversation contradicts.
func (r *fitted) doubt() error {
	doc, err := parsed(r.text)
	if err != nil {
		return err
	}
	h, err := history.Of(doc, format.EAAPL, jsonstream.Unlimited())
	if err != nil {
		return err
	}
	for _, c := range claims.Check(h) {
		if c.Verdict == claims.Contradicted {
			r.note("%s", c.Finding().PlacedMessage())
		}
	}
	return nil
}

// check validates the message with the receiver's checks.
func (f *fitting) check(ctx context.Context, text []byte) error {
	m, err := message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: jsonstream.Unlimited()})
	if err != nil {
		return err
	}
	v := validate.New(validate.Options{Scanner: f.scanner, Allow: f.scanner.Allow})
	r, err := v.Validate(ctx, m)
	if err != nil || r.Valid {
		return err
	}
	var problems []error
	for _, one := range r.Findings {
		if one.Severity != finding.Error {
			continue
		}
		advice := ""
		if one.Layer == finding.Safety {
			advice = "; --allow " + one.Pointer + " permits it"
		}
		problems = append(problems, cli.Reject(fmt.Errorf("the message would be rejected: %s: %s%s", one.Reason, one.PlacedMessage(), advice)))
	}
	return errors.Join(problems...)
}
