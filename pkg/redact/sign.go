package redact

import (
	"bytes"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A part is a message with identifiers and a signature: the document itself or a canonical message
// in it.
type part struct {
	root   jsonstream.Value
	layout *format.Descriptor
}

func partsOf(root jsonstream.Value, f format.Format) []part {
	layout := formats.Named(f)
	parts := []part{{root, layout}}
	if layout.Handoffs != nil {
		for _, v := range layout.Handoffs(root) {
			parts = append(parts, part{v, formats.Named(format.EAAPL)})
		}
	}
	return parts
}

// signAgain removes the signatures of changed parts and signs these parts again if there is a
// signer. It returns the text and whether there were such signatures.
func (o Options) signAgain(before, after jsonstream.Value, f format.Format) (text []byte, signed bool, err error) {
	was := partsOf(before, f)
	draft := jsonstream.NewDraft(after)
	for i, p := range partsOf(after, f) {
		if len(p.layout.Signature) == 0 || !p.root.Get(p.layout.Signature[0]).Exists() {
			continue
		}
		if i < len(was) && bytes.Equal(was[i].root.Raw(), p.root.Raw()) {
			continue
		}
		signed = true
		unsigned := draft.At(p.root.Pointer())
		for _, member := range p.layout.Signature {
			unsigned.Take(member)
		}
		if o.Sign == nil {
			continue
		}
		again, err := o.Sign(unsigned.Bytes())
		if err != nil {
			return nil, false, err
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(again), jsonstream.Unlimited())
		if err != nil {
			return nil, false, err
		}
		unsigned.Replace(jsonstream.NewDraft(doc.Root()))
	}
	return draft.Bytes(), signed, nil
}
