package collect

import (
	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// mask calls [Mask], unless credentials are to be shown.
func (o *Options) mask(text []byte, doc *jsonstream.Document, f format.Format) ([]byte, bool) {
	if o.Secrets {
		return text, false
	}
	return Mask(text, doc, f)
}

// Mask returns the text of a message with asterisks for credentials, both in the message and in data
// that it carries in base64, and whether it had any. Its length only changes if carried data is
// compressed. doc is the message, nil if it is not JSON; f is its format, "" to detect it.
func Mask(text []byte, doc *jsonstream.Document, f format.Format) ([]byte, bool) {
	carried := false
	if doc != nil {
		if f == "" {
			f = formatOf(doc)
		}
		text, carried = maskCarried(text, doc, f)
	}
	hidden, own := hide(text)
	return hidden, own || carried
}

// formatOf returns the detected format of a message, "" for none.
func formatOf(doc *jsonstream.Document) format.Format {
	f, err := history.FormatOf(doc.Root(), "")
	if err != nil {
		return ""
	}
	return f
}

// hide returns a text, which may be JSON, without credentials, and whether it had any.
func hide(text []byte) ([]byte, bool) {
	if !secrets.MayHold(text) {
		return text, false
	}
	hidden := secrets.HideJSON(string(text))
	return []byte(hidden), hidden != string(text)
}

// maskCarried masks credentials in data that a message carries in base64.
func maskCarried(text []byte, doc *jsonstream.Document, f format.Format) ([]byte, bool) {
	masked := false
	for _, v := range history.Carriers(doc.Root(), f) {
		content, err := history.DecodeBytes(v)
		if err != nil {
			continue
		}
		hidden, had := hide(content)
		if !had {
			continue
		}
		changed, err := jsonstream.Set(doc, v.Pointer(), history.EncodeBytes(v, hidden))
		if err != nil {
			continue
		}
		next, err := jsonstream.Parse(jsonstream.NewRaw(changed), jsonstream.Unlimited())
		if err != nil {
			continue
		}
		text, doc, masked = changed, next, true
	}
	return text, masked
}

// Hide replaces credentials in texts with asterisks, unless credentials are to be shown.
func (o *Options) Hide(texts ...*string) {
	if o.Secrets {
		return
	}
	for _, text := range texts {
		*text = secrets.Hide(*text)
	}
}

// Mask masks credentials in the texts of the index, unless they are to be shown.
func (d *Draft) Mask() {
	for i := range d.Index.Tasks {
		t := &d.Index.Tasks[i]
		d.Hide(&t.ID, &t.Command)
		for j := range t.Spenders {
			d.Hide(&t.Spenders[j].Agent)
		}
	}
	for i := range d.Index.Handoffs {
		h := &d.Index.Handoffs[i]
		d.Hide(&h.ID, &h.From, &h.FromVersion, &h.To, &h.ToVersion, &h.Title, &h.Time)
		for j := range h.Receivers {
			d.Hide(&h.Receivers[j])
		}
		for j := range h.Events {
			d.Hide(&h.Events[j].Agent)
		}
	}
}
