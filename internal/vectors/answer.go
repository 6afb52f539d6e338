package vectors

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/repair"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
	suite "github.com/eaapl/handoff/vectors"
)

// answer returns handoff's own answer. The error is about a request that the protocol does not allow.
func answer(ctx context.Context, q Request) (Answer, error) {
	switch q.Operation {
	case suite.CheckHistory:
		return checkHistory(q.Input)
	case suite.RepairHistory:
		return repairHistory(q.Input)
	case suite.Canonicalize:
		return canonicalize(q.Input), nil
	case suite.Sign:
		return signed(q.Input)
	case suite.Verify:
		return verify(q.Input)
	case suite.VerifyCard:
		return verifyCard(q.Input)
	case suite.Receive:
		return receive(ctx, q.Input)
	case suite.CheckChain:
		return checkChain(q.Input)
	case suite.ConvertHistory:
		return convertHistory(ctx, q.Input)
	case suite.ReadSession:
		return readSession(q.Input)
	case suite.CheckRecords:
		return checkRecords(q.Input)
	case suite.TreeRoot, suite.ProveRecord, suite.ProveGrowth:
		return prove(ctx, q), nil
	case suite.CheckGrowth:
		return checkGrowth(q.Input), nil
	case suite.SignCheckpoint:
		return signCheckpoint(q.Input)
	case suite.CheckCheckpoint, suite.CheckProof:
		return checkEvidence(q), nil
	default:
		return Answer{Verdict: suite.NotApplicable, Comment: "unknown operation"}, nil
	}
}

// refused is the answer about an input that a step refuses.
func refused(step string, err error) Answer {
	return Answer{Verdict: suite.Invalid, Step: step, Comment: err.Error()}
}

// syntax is the answer about a text that is not strict JSON.
func syntax(err error) Answer {
	return refused("syntax", err)
}

// judged returns the answer that findings amount to: the first error, or else the first warning, refuses.
func judged(found []finding.Finding) Answer {
	for _, v := range []struct {
		severity finding.Severity
		verdict  suite.Verdict
	}{{finding.Error, suite.Invalid}, {finding.Warning, suite.Acceptable}} {
		if i := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Severity == v.severity }); i >= 0 {
			return Answer{Verdict: v.verdict, Step: found[i].Rule, Comment: found[i].PlacedMessage()}
		}
	}
	return Answer{Verdict: suite.Valid}
}

// formatOf returns the format of an input's history.
func formatOf(in suite.Input) format.Format { return format.Format(cmp.Or(in.Format, in.Provider)) }

// raw returns the text of a history.
func raw(f format.Format, text string) jsonstream.Raw {
	r := jsonstream.NewRaw([]byte(text))
	r.Lines = formats.Named(f).IsLines()
	return r
}

// parse reads the text of a history.
func parse(f format.Format, text string) (*jsonstream.Document, error) {
	return jsonstream.Parse(raw(f, text), jsonstream.Limits{})
}

// historyOf returns the conversation in the text of a history.
func historyOf(f format.Format, text string) (*history.History, error) {
	doc, err := parse(f, text)
	if err != nil {
		return nil, err
	}
	return history.Of(doc, f, jsonstream.Limits{})
}

// faults returns the faults of a history for the provider of an input.
func faults(in suite.Input, text string) ([]finding.Finding, error) {
	h, err := historyOf(formatOf(in), text)
	if err != nil {
		return nil, err
	}
	p, err := provider.Parse(in.Provider)
	if err != nil {
		return nil, err
	}
	return provider.Check(p, h), nil
}

func checkHistory(in suite.Input) (Answer, error) {
	found, err := faults(in, string(in.History))
	if errors.As(err, new(*jsonstream.SyntaxError)) {
		return syntax(err), nil
	}
	return judged(found), err
}

func repairHistory(in suite.Input) (Answer, error) {
	p, err := provider.Parse(in.Provider)
	if err != nil {
		return Answer{}, err
	}
	doc, damage, err := repair.Parse(raw(formatOf(in), string(in.History)), jsonstream.Limits{})
	if err != nil {
		return syntax(err), nil
	}
	r, err := repair.Message(doc, jsonstream.Limits{}, repair.Options{Format: formatOf(in), For: p, Damage: damage})
	a := judged(r.Left)
	a.Output = string(r.Text)
	return a, err
}

func canonicalize(in suite.Input) Answer {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(in.Text)), jsonstream.Limits{})
	if err != nil {
		return syntax(err)
	}
	text, err := jsonstream.AppendCanonical(nil, doc.Root(), jsonstream.CanonicalOptions{})
	if err != nil {
		return refused("number", err)
	}
	return Answer{Verdict: suite.Valid, Output: string(text)}
}

func signed(in suite.Input) (Answer, error) {
	m, err := message.Parse([]byte(in.Message), message.Options{})
	if err != nil {
		return syntax(err), nil
	}
	keys, err := sign.ParseKeys(in.Key)
	if err != nil {
		return Answer{}, err
	}
	text, err := sign.Sign(m, keys[0], false)
	switch {
	case errors.Is(err, sign.ErrSigned):
		return refused("signed", err), nil
	case errors.Is(err, sign.ErrNotObject):
		return refused("not-an-object", err), nil
	case errors.As(err, new(*jsonstream.NumberError)):
		return refused(string(sign.NotCanonicalizable), err), nil
	case err != nil:
		return Answer{}, err
	}
	m, err = message.Parse(text, message.Options{})
	if err != nil {
		return Answer{}, err
	}
	return Answer{Verdict: suite.Valid, Output: m.Document().Root().Get(sign.Member).Text()}, nil
}

func verify(in suite.Input) (Answer, error) {
	m, err := message.Parse([]byte(in.Message), message.Options{})
	if err != nil {
		return syntax(err), nil
	}
	keys, err := sign.ParseKeys(in.Keys)
	if err != nil {
		return Answer{}, err
	}
	v, err := sign.NewVerifier(keys)
	if err != nil {
		return Answer{}, err
	}
	var times clock
	policy := sign.Policy{Verifier: v, Once: in.Once}
	policy.Freshness.MaxAge, policy.Freshness.Skew = time.Duration(in.MaxAge)*time.Second, time.Duration(in.Skew)*time.Second
	if in.Trust != nil {
		var trust sign.Trust
		for _, b := range in.Trust {
			trust = append(trust, sign.Binding{KeyID: b.KeyID, Agents: b.Agents, NotBefore: times.read(b.NotBefore), NotAfter: times.read(b.NotAfter)})
		}
		policy.Verifier = v.WithTrust(trust)
	}
	now := times.read(in.Now)
	if times.err != nil {
		return Answer{}, times.err
	}
	_, err = policy.Accept(m, now)
	return verified(err)
}

func verifyCard(in suite.Input) (Answer, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(in.Card)), jsonstream.Limits{})
	if err != nil {
		return syntax(err), nil
	}
	keys, err := sign.ParseJWSKeys(in.Keys)
	if err != nil {
		return Answer{}, err
	}
	v, err := agentcard.NewVerifier(keys)
	if err != nil {
		return Answer{}, err
	}
	_, err = v.Verify(doc)
	return verified(err)
}

// verified returns the answer for the error of a verification.
func verified(err error) (Answer, error) {
	if e := (*sign.Error)(nil); errors.As(err, &e) {
		return refused(string(e.Reason), e), nil
	}
	return Answer{Verdict: suite.Valid}, err
}

// A clock reads times, and keeps the first error.
type clock struct{ err error }

// read returns the zero time for "".
func (c *clock) read(text string) (t time.Time) {
	if text != "" && c.err == nil {
		t, c.err = time.Parse(time.RFC3339, text)
	}
	return t
}

func receive(ctx context.Context, in suite.Input) (Answer, error) {
	var times clock
	now := times.read(in.Now)
	o := validate.Options{Now: func() time.Time { return now }}
	if in.Receiver != nil {
		var err error
		o.Receiver, err = validate.ParseReceiver(in.Receiver, func(schema string) (*validate.Schema, error) {
			return validate.CompileSchema("file:///state.schema.json", []byte(schema), nil)
		})
		if err != nil {
			return Answer{}, err
		}
	}
	_, r, err := validate.New(o).ValidateRaw(ctx, jsonstream.NewRaw([]byte(in.Message)), jsonstream.Limits{})
	if err := cmp.Or(times.err, err); err != nil {
		return Answer{}, err
	}
	if !r.Valid {
		return Answer{Verdict: suite.Invalid, Step: string(r.Reason), Comment: r.Details}, nil
	}
	return Answer{Verdict: suite.Valid}, nil
}

func checkChain(in suite.Input) (Answer, error) {
	o := chain.Options{MaxVisits: in.MaxVisits, Tolerance: chain.DefaultTolerance(), Agents: in.Agents}
	if in.Tolerance != "" {
		var err error
		if o.Tolerance, err = message.Number(in.Tolerance).Decimal(); err != nil {
			return Answer{}, err
		}
	}
	c := chain.New(o)
	for i, text := range in.Messages {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			return syntax(err), nil
		}
		m, err := chain.Read(doc, chain.Place{Source: "messages", Index: i, Line: 1})
		if err != nil {
			return Answer{}, err
		}
		c.Add(m)
	}
	var found []finding.Finding
	for _, task := range c.Tasks() {
		for n := range task.Nodes() {
			found = append(found, n.Findings...)
		}
	}
	return judged(found), nil
}
