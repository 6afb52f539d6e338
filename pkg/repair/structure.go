package repair

import (
	"context"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/validate"
)

// refusedBySchema returns what the schema of a chat format refuses in a document: no API takes it
// either. Of messages that only carry a history, and of sessions, which their own agents read, it is
// nothing.
func refusedBySchema(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) ([]finding.Finding, error) {
	d := formats.Named(f)
	if d.Known == nil || d.Turns == nil || d.IsLines() {
		return nil, nil
	}
	schema := validate.Options{Formats: []format.Format{f}, Layers: []finding.Layer{finding.Schema}, Limits: limits}
	r, err := validate.New(schema).Validate(context.Background(), message.Of(doc))
	return r.Findings, err
}

// mendStructure mends what the schema refuses in turns, if its meaning is plain: content that is a
// value of another kind, and turns of the AI SDK without a part.
func (r *repairer) mendStructure(findings []finding.Finding) {
	for _, f := range findings {
		fault := provider.Fault{Finding: f, At: r.h.Root.At(f.Pointer)}
		i := r.indexOf(fault.At)
		if i < 0 {
			continue
		}
		item := r.items[i].turn.Item()
		switch at := fault.At; {
		case f.Rule == "schema/type" && at == item.Get("content"):
			r.mendContent(fault, i)
		case f.Rule == "schema/minItems" && at == item.Get("parts"):
			r.step(fault, i, "dropped a turn that says nothing")
			r.drop(i)
		}
	}
}

// mendContent writes content as the text that it is, or as the one part.
func (r *repairer) mendContent(f provider.Fault, i int) {
	switch kind := f.At.Kind(); {
	case kind == jsonstream.Object && f.At.Get("type").Kind() == jsonstream.String:
		r.step(f, i, "made the part that is the content a list of it")
		r.edit(i, f.At, []byte("["+string(f.At.Raw())+"]"))
	case kind != jsonstream.Null && kind != jsonstream.String && kind != jsonstream.Array:
		r.step(f, i, "wrote the content as a string of JSON")
		r.edit(i, f.At, format.Fill("%", strings.TrimSpace(string(jsonstream.AppendCompact(nil, f.At.Raw())))))
	}
}
