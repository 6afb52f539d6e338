package validate

import (
	"context"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/safety"
)

// Options say what a receiver asks. The zero value asks what section 6.1 asks
// of every receiver.
type Options struct {
	// Receiver describes the receiver; nil leaves out what only it can know.
	Receiver *Receiver
	// Schema is checked in place of the message's own schema. A document
	// that need not be a handoff message has no other layers.
	Schema *Schema
	// Layers are those to run; nil means all.
	Layers []Layer
	// All runs every layer, also after one has failed.
	All bool
	// Strict makes warnings errors.
	Strict bool
	// Off are the keywords of warnings that are not wanted.
	Off []string
	// Signature is the signature layer; nil leaves it out. It returns why the
	// signature does not hold, nothing if it does.
	Signature func(ctx context.Context, m *message.Message) []Finding
	// Scanner finds injected instructions; nil means safety.New().
	Scanner safety.Scanner
	// Now tells the time, for timestamps in the future; nil means time.Now.
	Now func() time.Time
}

// A Validator checks messages. It is safe for concurrent use.
type Validator struct {
	options Options
}

// New returns a Validator. What it needs is loaded when first used.
func New(options Options) *Validator {
	if options.Scanner == nil {
		options.Scanner = safety.New()
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Validator{options}
}

// mostFindings is how many findings a layer may have: a hostile message must
// not cost its size in findings.
const mostFindings = 1000

// Validate runs the layers over a message. It stops early, with what it has,
// when ctx is done; the caller asks ctx.
func (v *Validator) Validate(ctx context.Context, m *message.Message) Result {
	var all []Finding
	for _, layer := range Layers() {
		if ctx.Err() != nil {
			break
		}
		if !v.runs(layer) {
			continue
		}
		findings := slices.DeleteFunc(v.run(ctx, layer, m), v.isOff)
		sortByPlace(findings)
		failed := false
		for i := range findings {
			if v.options.Strict {
				findings[i].Severity = Error
			}
			failed = failed || findings[i].Severity == Error
		}
		all = append(all, findings...)
		if failed && !v.options.All {
			break
		}
	}
	if all == nil {
		all = []Finding{}
	}
	return newResult(all)
}

func (v *Validator) runs(layer Layer) bool {
	if v.options.Schema != nil && layer != SchemaLayer {
		return false
	}
	return v.options.Layers == nil || slices.Contains(v.options.Layers, layer)
}

func (v *Validator) run(ctx context.Context, layer Layer, m *message.Message) []Finding {
	switch layer {
	case Signature:
		if v.options.Signature == nil {
			return nil
		}
		return v.options.Signature(ctx, m)
	case SchemaLayer:
		if v.options.Schema != nil {
			return v.options.Schema.Check(m.Root())
		}
		return checkMessageSchema(m.Root(), v.options.Receiver)
	case Completeness:
		return checkCompleteness(m.Root(), v.options.Receiver)
	case Budget:
		return checkBudget(m.Root())
	case Safety:
		return checkSafety(m.Root(), v.options.Scanner)
	default:
		return lint(lintContext{m.Root(), v.options.Receiver, v.options.Now()})
	}
}

func (v *Validator) isOff(f Finding) bool {
	return f.Severity == Warning && slices.Contains(v.options.Off, f.Keyword)
}
