package redact_test

import (
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// TestKeepFormatSchema checks that valid messages stay valid.
func TestKeepFormatSchema(t *testing.T) {
	s, err := privacy.New(privacy.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	v := validate.New(validate.Options{Formats: formats.Names(), Layers: []finding.Layer{finding.Schema}})
	for _, f := range formats.Names() {
		if formats.Named(f).Schema == "" {
			continue
		}
		text, err := schemas.Example(string(f))
		if f == "eaapl" {
			text, err = schemas.Example("message")
		}
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := redact.Message(doc, redact.Options{Scanner: s, KeepFormat: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, after, err := v.ValidateRaw(t.Context(), jsonstream.NewRaw(r.Text), jsonstream.Limits{}); err != nil || !after.Valid {
			t.Errorf("%s: %v %v", r.Text, after.Findings, err)
		}
	}
}
