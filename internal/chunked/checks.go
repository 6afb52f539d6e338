package chunked

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// checks are the checks of chunks and messages.
type checks struct {
	policy   sign.Policy // for the first chunk; without a Verifier, chunks need no signature
	first    *validate.Validator
	parts    *validate.Validator
	signed   *validate.Validator // for signed whole messages
	unsigned *validate.Validator // for unsigned whole messages in verified chunks
}

func newChecks(o validate.Options) checks {
	o.Formats, o.Schema = nil, nil
	c := checks{policy: sign.Policy{Verifier: o.Verifier, Freshness: o.Freshness}}
	if r := o.Receiver; r != nil {
		if o.Verifier != nil && r.Trust != nil {
			c.policy.Verifier = o.Verifier.WithTrust(r.Trust)
		}
		if o.Freshness.MaxAge == 0 {
			c.policy.Freshness = sign.Freshness{MaxAge: r.MaxAge, Skew: time.Minute}
		}
		ageless := *r
		ageless.MaxAge = 0
		o.Receiver = &ageless
	}
	o.Freshness = sign.Freshness{}
	with := func(all bool, layer func(finding.Layer) bool) *validate.Validator {
		o := o
		wanted := o.Layers
		if wanted == nil {
			wanted = validate.Layers()
		}
		o.Layers = []finding.Layer{}
		for _, l := range wanted {
			if layer(l) {
				o.Layers = append(o.Layers, l)
			}
		}
		o.All = o.All || all
		return validate.New(o)
	}
	c.first = with(true, func(l finding.Layer) bool { return l != finding.Signature && l != finding.Lint })
	c.parts = with(false, func(l finding.Layer) bool { return l == finding.Safety || l == finding.Privacy })
	c.signed = validate.New(o)
	c.unsigned = with(false, func(l finding.Layer) bool { return l != finding.Signature })
	return c
}

// A sender is the signer of a stream's chunks. It is zero if signatures are not verified.
type sender struct {
	asked     bool
	key       string // its ID
	agent     string
	timestamp string
}

// verify checks the signature of a chunk and returns the ID of its key.
func (c *checks) verify(chunk *receivedChunk, now time.Time) (string, *Fault) {
	if c.policy.Verifier == nil {
		return "", nil
	}
	policy := c.policy
	if chunk.kind != First {
		policy.Freshness = sign.Freshness{}
	}
	key, err := policy.Accept(message.Of(chunk.doc), now)
	if err == nil {
		return key.ID, nil
	}
	f := chunk.fault(Forged, "a chunk that is signed with a known key", "one that does not verify: "+err.Error())
	f.Err = err
	if fault := (*sign.Error)(nil); errors.As(err, &fault) && fault.Line > 0 {
		f.Position = fault.Position
	}
	return "", f
}

// senderOf returns the signer of the first chunk of a stream.
func (c *checks) senderOf(chunk *receivedChunk, key string) sender {
	if c.policy.Verifier == nil {
		return sender{}
	}
	return sender{true, key, chunk.agent(), chunk.root.Get("timestamp").Text()}
}

// checkMessage checks that the message in a first chunk is from the chunk's signer.
func (s sender) checkMessage(c *receivedChunk, m jsonstream.Value) *Fault {
	agent, timestamp := m.Get("fromAgent").Get("agentId").Text(), m.Get("timestamp").Text()
	if s.asked && (s.agent != agent || s.timestamp != timestamp) {
		return c.fault(Forged, fmt.Sprintf("the agent and the time of the message, %s and %s, on the signed chunk", finding.Quote(agent), finding.Quote(timestamp)),
			fmt.Sprintf("%s and %s", finding.Quote(s.agent), finding.Quote(s.timestamp)))
	}
	return nil
}

// check checks that a chunk signed with key has the signer of the first chunk.
func (s sender) check(c *receivedChunk, key string) *Fault {
	if s.asked && key != s.key {
		return c.fault(Forged, "the signature of the key "+finding.Quote(s.key)+", as on the first chunk", finding.Quote(key))
	}
	if s.asked && (c.agent() != s.agent || c.root.Get("timestamp").Text() != s.timestamp) {
		return c.fault(Forged, "the agent and the time of the first chunk", finding.Quote(c.agent())+" and "+finding.Quote(c.root.Get("timestamp").Text()))
	}
	return nil
}

// later lists the completeness rules that later chunks may satisfy.
var later = []string{"completeness/completed-subtasks", "completeness/required-state", "completeness/state-schema"}

// begin checks the message of a first chunk.
func (c *checks) begin(ctx context.Context, m *message.Message) (validate.Result, error) {
	r, err := c.first.Validate(ctx, m)
	if err != nil || r.Valid {
		return r, err
	}
	r.Valid, r.Reason = true, ""
	var problems []finding.Finding
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity == finding.Error && slices.Contains(later, f.Rule) {
			f.Severity = finding.Note
			f.Message += "; a later chunk may add it"
		}
		if f.Severity == finding.Error {
			r.Valid = false
			if r.Reason == "" || f.Reason == validate.SafetyViolation && r.Reason != validate.SchemaInvalid {
				r.Reason = f.Reason
			}
			problems = append(problems, *f)
		}
	}
	problems = slices.DeleteFunc(problems, func(f finding.Finding) bool { return f.Reason != r.Reason })
	r.Details = finding.Details(problems)
	return r, nil
}

// additions checks the additions of a chunk to the message itself and to its members, all parts at
// once. Deeper additions are parts of a value and can only be judged with the whole message. The
// error may be a [*jsonstream.SyntaxError], for a member appended twice.
func (c *checks) additions(ctx context.Context, parts jsonstream.Value) (validate.Result, error) {
	var names []string
	inner := map[string][]byte{} // additions to each member, with the opening bracket
	members := []byte{'{'}
	for _, part := range parts.Elements() {
		tokens, ok := jsonstream.SplitPointer(part.Get("at").Text())
		add := part.Get("add")
		if !ok || len(tokens) > 1 || add.Kind() == jsonstream.String || add.Len() == 0 {
			continue
		}
		if len(tokens) == 0 {
			members = append(jsonstream.AppendComma(members), inside(add)...)
			continue
		}
		text, there := inner[tokens[0]]
		if !there {
			names = append(names, tokens[0])
			text = []byte{begin(add.Kind())}
		}
		if text[0] == begin(add.Kind()) { // otherwise the kinds differ and cannot be appended
			inner[tokens[0]] = append(jsonstream.AppendComma(text), inside(add)...)
		}
	}
	grown := []byte{'{'}
	for _, name := range names {
		text := inner[name]
		grown = append(append(append(append(jsonstream.AppendComma(grown), quote(name)...), ':'), text...), end(jsonstream.Kind(text[0])))
	}
	for _, text := range [][]byte{append(members, '}'), append(grown, '}')} {
		if len(text) == len("{}") {
			continue
		}
		m, err := message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: jsonstream.Unlimited()})
		if err != nil {
			return validate.Result{}, err
		}
		if r, err := c.parts.Validate(ctx, m); err != nil || !r.Valid {
			return r, err
		}
	}
	return validate.Result{Valid: true}, nil
}

// end checks a whole message; verified reports whether its chunks were.
func (c *checks) end(ctx context.Context, m *message.Message, verified bool) (validate.Result, error) {
	if verified && !m.Root().Get(sign.Member).Exists() {
		return c.unsigned.Validate(ctx, m)
	}
	return c.signed.Validate(ctx, m)
}

// agent returns the agent that signs the chunk.
func (c *receivedChunk) agent() string { return c.root.Get("fromAgent").Get("agentId").Text() }

// invalid returns the fault of a chunk with a result of checks.
func (c *receivedChunk) invalid(expected string, r validate.Result) *Fault {
	f := c.fault(Invalid, expected, fmt.Sprintf("%s: %s", r.Reason, r.Details))
	f.Result = r
	return f
}
