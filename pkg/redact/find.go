package redact

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
)

// A Found is personal data found in a message.
type Found struct {
	Class privacy.Class
	Kind  string
	Score float64
	// Value is the string or number that contains the data, or the member whose name does. For JSON
	// in a string, it is that string. It is absent for text in a carrier.
	Value  jsonstream.Value
	InName bool
	// Holder is the base64 string with the document of Value, absent for values of the message
	// itself.
	Holder jsonstream.Value
	offset int // in the text of Value
}

// Find returns the personal data that [Message] would replace, in its order. doc is a message of
// format f, or any other JSON document if f is "".
func Find(doc *jsonstream.Document, f format.Format, s *privacy.Scanner, limits jsonstream.Limits) []Found {
	w := newWalk(doc, f, Options{Scanner: s, Limits: limits})
	w.document(doc.Root(), "")
	var found []Found
	each(w.pieces, func(p piece, holder jsonstream.Value) { found = append(found, p.found(holder)) })
	return found
}

// data returns the data of pieces.
func data(pieces []piece) (list []Datum) {
	each(pieces, func(p piece, holder jsonstream.Value) {
		list = append(list, Datum{p.found(holder).Pointer(), p.name, p.class, p.value})
	})
	return list
}

// each calls use with the pieces of personal data and their carrier, which is absent for pieces of
// the message itself. The pieces in a carrier take its place.
func each(pieces []piece, use func(p piece, holder jsonstream.Value)) {
	for _, p := range pieces {
		if p.carried == nil {
			use(p, jsonstream.Value{})
		}
		for _, inner := range p.inside {
			use(inner, p.at)
		}
	}
}

func (p piece) found(holder jsonstream.Value) Found {
	f := Found{Class: p.class, Kind: p.kind, Score: p.score, Value: p.at, InName: p.name && !p.nested, Holder: holder}
	if !p.nested {
		f.offset = p.offset
	}
	return f
}

// Pointer returns the JSON Pointer of the containing value, appended to that of the string that
// holds its document, if any. For the name of a member it is the pointer of the object, so as not
// to reveal the name.
func (f Found) Pointer() string {
	if f.InName {
		return f.Holder.Pointer() + f.Value.Parent().Pointer()
	}
	return f.Holder.Pointer() + f.Value.Pointer()
}

// Position returns the position of the data. For JSON in a string and data in base64, it is the
// position of the string.
func (f Found) Position() jsonstream.Position {
	switch {
	case f.Holder.Exists():
		return f.Holder.Position()
	case f.InName:
		return f.Value.NamePosition()
	}
	return f.Value.PositionIn(f.offset)
}

// What describes the data to a person without revealing it.
func (f Found) What() string {
	what := whats[f.Class]
	if what == "" {
		what = "personal data of the class " + string(f.Class)
	}
	if f.Kind != "" {
		what += " (" + f.Kind + ")"
	}
	return what
}

var whats = map[privacy.Class]string{
	privacy.Email: "an e-mail address", privacy.Phone: "a telephone number", privacy.IBAN: "a bank account (IBAN)", privacy.Card: "a payment card number",
	privacy.NationalID: "a national id", privacy.Passport: "a passport number", privacy.Licence: "a driving licence number",
	privacy.IP: "an IP address", privacy.MAC: "a MAC address", privacy.BirthDate: "a date of birth", privacy.HealthID: "a health id",
	privacy.Account: "an account number", privacy.Address: "a postal address", privacy.Person: "the name of a person", Hidden: "a value that the policy always hides",
}
