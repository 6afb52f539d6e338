package validate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/safety"
	"github.com/eaapl/handoff/pkg/sign"
)

// Options say what to check. The zero value checks what section 6.1 requires of every
// receiver.
type Options struct {
	// Formats are those that the receiver reads; nil means the canonical one alone. A
	// message is checked as the one that it looks like, or as the first if it looks like
	// none.
	Formats []format.Format
	// Receiver describes the receiver; nil skips the checks that need one.
	Receiver *Receiver
	// Schema is checked in place of the message's own schema. No other layers run, since
	// the document need not be a handoff message.
	Schema *Schema
	// Layers are those to run; nil means all.
	Layers []finding.Layer
	// All runs every layer, also after one has failed.
	All bool
	// Strict makes warnings errors.
	Strict bool
	// Off are the IDs of rules whose warnings are not reported.
	Off []string
	// Verifier checks the signature; nil skips that, with a note on signed messages. The
	// Receiver's Trust says whose keys it accepts for whom.
	Verifier *sign.Verifier
	// Freshness limits the age of messages whose signature holds; without a MaxAge, the
	// Receiver says what it is.
	Freshness sign.Freshness
	// Scanner finds injected instructions; nil means the built-in one.
	Scanner safety.Scanner
	// Allow are the findings of the scanner that become notes: the appeal path of section
	// 11.
	Allow []safety.Allowance
	// Privacy finds personal data; nil skips that.
	Privacy *privacy.Scanner
	// Limits bound what a message carries in encoded form, such as the snapshot in
	// an SW4RM request.
	Limits jsonstream.Limits
	// Now returns the current time, to find timestamps in the future and keys out of their
	// period; nil means time.Now.
	Now func() time.Time
}

// A Validator checks messages. It is safe for concurrent use.
type Validator struct {
	options Options
	parsers sync.Pool // of *message.Parser
}

// New returns a Validator. Schemas are loaded when first used.
func New(options Options) *Validator {
	if len(options.Formats) == 0 {
		options.Formats = []format.Format{format.EAAPL}
	}
	if options.Scanner == nil {
		options.Scanner = safety.New(safety.Options{})
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Verifier != nil && options.Receiver != nil && options.Receiver.Trust != nil {
		options.Verifier = options.Verifier.WithTrust(options.Receiver.Trust)
	}
	if options.Freshness.MaxAge == 0 && options.Receiver != nil {
		options.Freshness = sign.Freshness{MaxAge: options.Receiver.MaxAge, Skew: clockSkew}
	}
	return &Validator{options: options, parsers: sync.Pool{New: func() any { return new(message.Parser) }}}
}

// maxFindings is how many findings a layer may have: a hostile message must not cause as
// many findings as it has values.
const maxFindings = 1000

// Validate runs the layers over a message. The error is that of ctx or of the scanner: then
// the message was neither accepted nor rejected.
func (v *Validator) Validate(ctx context.Context, m *message.Message) (Result, error) {
	f := v.formatOf(m)
	var all []finding.Finding
	var signedBy string
	stopped := false
	for _, layer := range layers {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if !v.options.runs(layer) || stopped && layer != finding.Safety {
			continue
		}
		var findings []finding.Finding
		var err error
		if layer == finding.Signature && v.options.Verifier != nil {
			findings, signedBy = checkSignature(m, v.options)
		} else {
			findings, err = v.run(ctx, layer, m, f)
		}
		if err != nil {
			return Result{}, err
		}
		findings = slices.DeleteFunc(findings, v.isOff)
		sortByPlace(findings)
		failed := false
		for i := range findings {
			if v.options.Strict && findings[i].Severity == finding.Warning {
				findings[i].Severity = finding.Error
			}
			failed = failed || findings[i].Severity == finding.Error
		}
		all = append(all, findings...)
		if failed && !v.options.All {
			if layer != finding.Completeness && layer != finding.Budget {
				break
			}
			stopped = true // except safety, whose reason takes precedence
		}
	}
	if all == nil {
		all = []finding.Finding{}
	}
	r := newResult(all)
	r.Format, r.SignedBy = f, signedBy
	return r, nil
}

// ValidateRaw parses a message and runs the layers over it, for many messages in the same
// memory. What is not strict JSON is [Malformed]. handoffID is that of the message, or "".
// The error is that of [Validator.Validate].
func (v *Validator) ValidateRaw(ctx context.Context, raw jsonstream.Raw, limits jsonstream.Limits) (handoffID string, r Result, err error) {
	parser := v.parsers.Get().(*message.Parser)
	defer v.parsers.Put(parser)
	m, err := parser.Parse(raw, message.Options{Limits: limits})
	if err != nil {
		var damage *jsonstream.SyntaxError
		errors.As(err, &damage) // it is never anything else
		return "", Malformed(damage), nil
	}
	r, err = v.Validate(ctx, m)
	return m.HandoffID(), r, err
}

// formatOf returns the format to check a message as, or "" if the caller's schema is used.
func (v *Validator) formatOf(m *message.Message) format.Format {
	if v.options.Schema != nil {
		return ""
	}
	known := v.options.Formats
	if f, ok := formats.Detect(m.Root()); ok && slices.Contains(known, f) {
		return f
	}
	return known[0]
}

// runs reports whether a layer is to run.
func (o *Options) runs(layer finding.Layer) bool {
	if o.Schema != nil && layer != finding.Schema {
		return false
	}
	return o.Layers == nil || slices.Contains(o.Layers, layer)
}

func (v *Validator) run(ctx context.Context, layer finding.Layer, m *message.Message, f format.Format) ([]finding.Finding, error) {
	switch layer {
	case finding.Signature:
		if f == format.EAAPL {
			return noteUnchecked(m), nil
		}
		return nil, nil
	case finding.Schema:
		return checkSchema(m.Root(), f, v.options), nil
	case finding.Protocol:
		return checkProtocol(m.Document(), f, v.options.Limits), nil
	case finding.Safety:
		return checkSafety(ctx, m.Root(), f, v.options)
	case finding.Privacy:
		return checkPrivacy(m.Document(), f, v.options), nil
	}
	switch {
	case layer == finding.Lint:
		return lint(lintContext{m.Root(), f, v.options.Receiver, v.options.Now()}), nil
	case f != format.EAAPL:
		return nil, nil
	case layer == finding.Completeness:
		return checkCompleteness(m.Root(), v.options.Receiver), nil
	default:
		return checkBudget(m.Root()), nil
	}
}

func (v *Validator) isOff(f finding.Finding) bool {
	return f.Severity == finding.Warning && slices.Contains(v.options.Off, f.Rule)
}
