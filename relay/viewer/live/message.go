package live

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/viewer/collect"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
)

// A placedFinding is a finding with its value in the message.
type placedFinding struct {
	audit.Finding
	Value string // "" if there is none, or it is the whole message
}

// Maximum lengths of displayed texts, in bytes; the report of the task has the whole texts.
const (
	maxMessage = 256 << 10
	maxValue   = 2 << 10
)

// showMessage adds the message of a letter, with its findings at their places.
func showMessage(p *letterPage, letter receiver.Letter, withSecrets bool) {
	text := letter.Raw
	doc := documentOf(text)
	if !withSecrets {
		if text, p.Masked = collect.Mask(text, doc, ""); p.Masked {
			doc = documentOf(text)
		}
	}
	if doc != nil {
		if indented := jsontext.Value(append([]byte(nil), text...)); indented.Indent(jsontext.WithIndent("  ")) == nil {
			text = indented
		}
	}
	p.Message, p.Cut = clipped(string(text), maxMessage)
	rules := map[string]bool{}
	for _, f := range letter.Rejected.Details.Findings {
		of := placedFinding{Finding: f}
		if doc != nil && f.Pointer != "" {
			if v := doc.Root().At(f.Pointer); v.Kind() == jsonstream.String {
				of.Value, _ = clipped(v.Text(), maxValue)
			} else if v.Exists() {
				of.Value, _ = clipped(string(v.Raw()), maxValue)
			}
		}
		p.Findings = append(p.Findings, of)
		if f.Severity == finding.Error && !rules[f.Rule] {
			rules[f.Rule] = true
			p.Rules = append(p.Rules, f.Rule)
		}
	}
}

// documentOf parses a text, and returns nil if it is not strict JSON.
func documentOf(text []byte) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		return nil
	}
	return doc
}

// clipped returns the beginning of a text, and whether it was truncated.
func clipped(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return strings.TrimRight(text[:most], " \n") + "…", true
}
