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
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/safety"
	"github.com/eaapl/handoff/pkg/sign"
)

// Options are the options of a [Validator]. With the zero value it checks the requirements of section 6.1
// for every receiver.
type Options struct {
	// Formats are the formats that the receiver reads; nil means only the canonical one. A message is
	// checked by its detected format, or else by the first of Formats. With several formats, a document
	// without a member of any format has a single finding.
	Formats []format.Format
	// For are the providers whose APIs are to accept the history of the message.
	For []provider.Provider
	// Receiver describes the receiver; nil skips the checks that need one.
	Receiver *Receiver
	// Schema replaces the message's own schema. No other layers run, since the document need not be a
	// handoff message.
	Schema *Schema
	// Versions returns the schema for canonical messages of a schemaVersion, or describes the problem with
	// that version; nil means the built-in schema.
	Versions func(schemaVersion string) (s *Schema, problem string)
	// Layers are the layers to run; nil means all.
	Layers []finding.Layer
	// All runs every layer, even after one has failed.
	All bool
	// Strict makes warnings errors.
	Strict bool
	// Received reports that messages come from other agents and are to be accepted. Then a system turn
	// after the beginning of the conversation is an error, not a warning: no other agent may instruct the
	// receiver's model.
	Received bool
	// Severities replace the severity of warnings, by rule ID. Errors stay errors.
	Severities map[string]finding.Severity
	// Verifier checks the signature; nil skips that, with a note on signed messages. The Receiver's Trust
	// binds keys to agents.
	Verifier *sign.Verifier
	// Freshness limits the age of messages with a valid signature. If its MaxAge is not set, the Receiver's
	// applies.
	Freshness sign.Freshness
	// Scanner finds injected instructions; nil means the built-in one.
	Scanner safety.Scanner
	// Allow are the allowed findings of the scanner, which become notes: the appeal path of section 11.
	Allow []safety.Allowance
	// Privacy finds personal data; nil skips that.
	Privacy *privacy.Scanner
	// Limits bound encoded values carried by a message, such as the snapshot in an SW4RM request.
	Limits jsonstream.Limits
	// Now returns the current time, to detect timestamps in the future and keys outside their period; nil
	// means time.Now.
	Now func() time.Time
}

// A Validator checks messages. It is safe for concurrent use.
type Validator struct {
	options Options
	parsers sync.Pool // of *message.Parser
}

// New returns a Validator. Schemas are loaded on first use.
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

// Verifier returns the verifier of signatures, with the receiver's trust; nil if there is none.
func (v *Validator) Verifier() *sign.Verifier { return v.options.Verifier }

// maxFindings is the maximum number of findings per layer: a hostile message must not cause one finding per
// value.
const maxFindings = 1000

// Validate runs the layers on a message. If the error, that of ctx or of the scanner, is not nil, the
// message was neither accepted nor rejected.
func (v *Validator) Validate(ctx context.Context, m *message.Message) (Result, error) {
	f := v.formatOf(m)
	var signedBy string
	r, err := v.judge(ctx, func(layer finding.Layer) (findings []finding.Finding, err error) {
		if layer == finding.Signature && v.options.Verifier != nil {
			findings, signedBy = checkSignatures(m, f, v.options)
			return findings, nil
		}
		return v.run(ctx, layer, m, f)
	})
	if err == nil {
		r.Format, r.SignedBy = f, signedBy
	}
	return r, err
}

// judge returns the result of running find on the layers in order. The error is that of ctx or of find.
func (v *Validator) judge(ctx context.Context, find func(finding.Layer) ([]finding.Finding, error)) (Result, error) {
	var all []finding.Finding
	stopped := false
	for _, layer := range layers {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if !v.options.runs(layer) || stopped && layer != finding.Safety {
			continue
		}
		findings, err := find(layer)
		if err != nil {
			return Result{}, err
		}
		findings = v.weigh(findings)
		sortByPlace(findings)
		failed := false
		for i := range findings {
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
	return newResult(all), nil
}

// ValidateRaw parses a message and runs the layers on it. Parsing reuses memory between messages. A text
// that is not strict JSON has the result of [Malformed]. handoffID is that of the message, or "". The error
// is that of [Validator.Validate].
func (v *Validator) ValidateRaw(ctx context.Context, raw jsonstream.Raw, limits jsonstream.Limits) (handoffID string, r Result, err error) {
	parser := v.parsers.Get().(*message.Parser)
	defer v.parsers.Put(parser)
	m, err := parser.Parse(raw, message.Options{Limits: limits})
	if err != nil {
		var damage *jsonstream.SyntaxError
		errors.As(err, &damage) // always a *jsonstream.SyntaxError
		return "", Malformed(damage), nil
	}
	r, err = v.Validate(ctx, m)
	return m.HandoffID(), r, err
}

// formatOf returns the format to check a message by, or "" if the caller's schema is used. A document of no
// format that is checked for a provider has that provider's format.
func (v *Validator) formatOf(m *message.Message) format.Format {
	if v.options.Schema != nil {
		return ""
	}
	f, ok := formats.Detect(m.Root())
	if !ok && v.options.For != nil && isUnknown(m.Root(), v.options) {
		f, ok = format.Format(v.options.For[0]), true
	}
	return v.formatFrom(f, ok)
}

// formatFrom returns the format to check a message by. f is the detected format, if ok.
func (v *Validator) formatFrom(f format.Format, ok bool) format.Format {
	if ok && slices.Contains(v.options.Formats, f) {
		return f
	}
	return v.options.Formats[0]
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
	case finding.Schema:
		return v.andOfHandoffs(checkSchema(m.Root(), f, v.options), layer, m.Root(), f), nil
	case finding.Protocol:
		return checkProtocol(m.Document(), f, v.options.Limits), nil
	case finding.Provider:
		return checkProviders(m.Document(), f, v.options.For, v.options.Limits), nil
	case finding.Safety:
		return checkSafety(ctx, m.Root(), f, v.options)
	case finding.Privacy:
		return checkPrivacy(m.Document(), f, v.options), nil
	}
	var findings []finding.Finding
	switch {
	case layer == finding.Lint:
		findings = append(lint(lintContext{m.Root(), f, v.options.Receiver, v.options.Now()}), v.lintTurns(m.Document(), f)...)
		findings = append(findings, lintSession(m.Document(), f)...)
	case f == format.EAAPL:
		findings = v.ofHandoff(layer, m.Root())
	}
	return v.andOfHandoffs(findings, layer, m.Root(), f), nil
}

// ofHandoff runs a layer on a canonical message, alone or within a message of another format.
func (v *Validator) ofHandoff(layer finding.Layer, root jsonstream.Value) []finding.Finding {
	switch layer {
	case finding.Signature:
		return noteUnchecked(root)
	case finding.Schema:
		return checkMessageSchema(root, v.options)
	case finding.Completeness:
		return checkCompleteness(root, v.options.Receiver)
	case finding.Budget:
		return checkBudget(root)
	case finding.Lint:
		return lint(lintContext{root, format.EAAPL, v.options.Receiver, v.options.Now()})
	default:
		return nil // the other layers check the whole document
	}
}

// andOfHandoffs adds the findings of a layer in the canonical messages that a message of another format
// holds unencoded. It does not repeat findings.
func (v *Validator) andOfHandoffs(findings []finding.Finding, layer finding.Layer, root jsonstream.Value, f format.Format) []finding.Finding {
	for _, handoff := range handoffsIn(root, f) {
		if len(findings) >= maxFindings {
			break
		}
		for _, one := range v.ofHandoff(layer, handoff) {
			if len(findings) < maxFindings && !slices.Contains(findings, one) {
				findings = append(findings, one)
			}
		}
	}
	return findings
}

// handoffsIn returns the canonical messages that a message of a format holds unencoded.
func handoffsIn(root jsonstream.Value, f format.Format) []jsonstream.Value {
	if handoffs := formats.Named(f).Handoffs; handoffs != nil {
		return handoffs(root)
	}
	return nil
}

// weigh sets the severities of the options, and returns the findings that remain.
func (v *Validator) weigh(findings []finding.Finding) []finding.Finding {
	for i := range findings {
		if f := &findings[i]; f.Severity == finding.Warning {
			if v.options.Received && f.Rule == systemTurnRule {
				f.Severity = finding.Error
			}
			f.Severity = finding.Wanted(f.Severity, f.Rule, v.options.Severities, v.options.Strict)
		}
	}
	return slices.DeleteFunc(findings, func(f finding.Finding) bool { return f.Severity == finding.Off })
}
