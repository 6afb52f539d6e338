package validate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/longlines"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// ErrWhole reports JSON Lines that must be in memory to be validated: see [Validator.ValidateLines].
var ErrWhole = errors.New("these lines can be validated only together")

// ValidateLines is [Validator.ValidateRaw] for a message that is JSON Lines, such as the session of a
// coding agent, without the message in memory. The findings are the same. It uses all cores. It keeps about
// 250 bytes per line, and the data between a call and its result. The error is that of
// [Validator.Validate], that of the reader, or [ErrWhole] if the format has rules about all lines together,
// or [Options].Schema or a Verifier is set.
func (v *Validator) ValidateLines(ctx context.Context, file jsonstream.LinesFile, limits jsonstream.Limits) (r Result, err error) {
	if v.options.Schema != nil || v.options.Verifier != nil {
		return r, ErrWhole
	}
	l := linesCheck{v: v, ctx: ctx, text: longlines.Text{LinesFile: file, Limits: limits}}
	f, ok, err := l.text.Detect()
	if err == nil {
		err = l.read(v.formatFrom(f, ok))
	}
	if damage := (*jsonstream.SyntaxError)(nil); errors.As(err, &damage) {
		return Malformed(damage), nil
	}
	if err == nil {
		r, err = v.judge(ctx, l.find)
	}
	if err != nil {
		return Result{}, err
	}
	r.Format = l.format
	return r, nil
}

// A linesCheck validates one file.
type linesCheck struct {
	v      *Validator
	ctx    context.Context
	text   longlines.Text
	format format.Format

	rejected     atomic.Bool // by the schema: the other layers are skipped
	sum          lineFindings
	conversation *longlines.Conversation
	places       *longlines.Places
}

// lineFindings are the findings of layers that check lines one by one, for a block of lines or for all
// lines.
type lineFindings struct {
	schema, privacy, lint []finding.Finding
	safety                textFindings
	conversation          *longlines.Block // nil if no further layer needs it
	unknown               format.Unknowns
	err                   error
}

// read checks each line, and collects the data needed about all lines.
func (l *linesCheck) read(f format.Format) (err error) {
	l.format = f
	if l.conversation = longlines.NewConversation(l.text, formats.Named(f)); l.conversation == nil {
		return ErrWhole
	}
	l.places, err = longlines.Read(l.text, l.block, l.add)
	return err
}

// block checks the lines of a block.
func (l *linesCheck) block(doc *jsonstream.Document) (b lineFindings) {
	o, root := &l.v.options, doc.Root()
	if b.err = l.ctx.Err(); b.err != nil {
		return b
	}
	if o.runs(finding.Schema) {
		if b.schema = checkSchema(root, l.format, *o); len(b.schema) > 0 && !o.All {
			l.rejected.Store(true)
		}
	}
	if l.rejected.Load() {
		return b
	}
	b.conversation = l.conversation.Read(root)
	if o.runs(finding.Safety) {
		if b.err = b.safety.scan(l.ctx, root, l.format, *o); b.err != nil {
			return b
		}
	}
	if o.runs(finding.Privacy) {
		b.privacy = checkPrivacy(doc, l.format, *o)
	}
	if o.runs(finding.Lint) {
		b.lint = lint(lintContext{root, l.format, o.Receiver, o.Now()})
		known := formats.Named(l.format).Known
		for i, v := range root.Elements() {
			b.unknown.Add(known, i, v)
		}
	}
	return b
}

// add adds the findings of the next block.
func (l *linesCheck) add(b lineFindings) error {
	if b.err != nil {
		return b.err
	}
	l.sum.schema = append(l.sum.schema, b.schema...)
	if len(l.sum.schema) > 2*maxFindings {
		l.sum.schema = firstOfSchema(l.sum.schema)
	}
	if b.conversation == nil {
		return nil
	}
	l.conversation.Add(b.conversation)
	l.sum.safety.add(b.safety)
	l.sum.privacy = append(l.sum.privacy, b.privacy[:min(len(b.privacy), maxFindings-len(l.sum.privacy))]...)
	l.sum.unknown.AddAll(b.unknown)
	for _, f := range b.lint {
		same := 0
		for _, other := range l.sum.lint {
			if other.Rule == f.Rule {
				same++
			}
		}
		if same < maxPerRule {
			l.sum.lint = append(l.sum.lint, f)
		}
	}
	return nil
}

// firstOfSchema limits findings as the schema layer does: if numbers exceed the limit, it reports only
// these numbers.
func firstOfSchema(all []finding.Finding) []finding.Finding {
	isNumber := func(f finding.Finding) bool { return strings.HasSuffix(f.Rule, "/"+numberLimit) }
	if slices.ContainsFunc(all, isNumber) {
		all = slices.DeleteFunc(all, func(f finding.Finding) bool { return !isNumber(f) })
	}
	return all[:min(len(all), maxFindings)]
}

// find returns the findings of a layer.
func (l *linesCheck) find(layer finding.Layer) ([]finding.Finding, error) {
	switch layer {
	case finding.Schema:
		return firstOfSchema(l.sum.schema), nil
	case finding.Provider:
		return l.checkProviders(l.v.options.For)
	case finding.Safety:
		return l.sum.safety.findings, nil
	case finding.Privacy:
		return l.sum.privacy, nil
	case finding.Lint:
		lost, err := l.lintSession()
		if err != nil || l.v.options.For != nil {
			return append(l.sum.lint, lost...), err
		}
		found, err := l.checkProviders([]provider.Provider{provider.Provider(formats.Named(l.format).Provider)})
		return slices.Concat(l.sum.lint, asLint(found), lost), err
	}
	return nil, nil
}

// lintSession is the function lintSession.
func (l *linesCheck) lintSession() (found []finding.Finding, err error) {
	var parsers []jsonstream.Parser
	return lintTrail(formats.Named(l.format).Known, l.conversation.Trail(), l.sum.unknown, func(indices []int) ([]jsonstream.Value, error) {
		return l.text.Lines(l.places, indices, &parsers)
	})
}

// checkProviders returns the errors of the providers' APIs about the history: see the function
// checkProviders. It reads the lines of the conversation again, one stretch at a time.
func (l *linesCheck) checkProviders(providers []provider.Provider) ([]finding.Finding, error) {
	if len(providers) == 0 {
		return nil, nil
	}
	layout := formats.Named(l.format)
	all := make([][]finding.Finding, len(providers))
	err := longlines.EachStretch(l.conversation, l.places, func(s provider.Stretch, turns []conversation.Turn) (found [][]finding.Finding) {
		for _, p := range providers {
			var here []finding.Finding
			for _, f := range s.Faults(p, layout, turns) {
				here = append(here, f.Finding)
			}
			found = append(found, first(here))
		}
		return found
	}, func(found [][]finding.Finding) error {
		for i := range found {
			if all[i] = append(all[i], found[i]...); len(all[i]) > 2*maxFindings {
				all[i] = first(all[i])
			}
		}
		return l.ctx.Err()
	})
	var found []finding.Finding
	for i := range all {
		found = append(found, first(all[i])...)
	}
	return found[:min(len(found), maxFindings)], err
}

// first returns the first findings in text order, up to the limit of a layer.
func first(found []finding.Finding) []finding.Finding {
	sortByPlace(found)
	return found[:min(len(found), maxFindings)]
}
