package redact

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
)

// A Found is personal data in a message.
type Found struct {
	Class privacy.Class
	Kind  string
	Score float64
	// Value is the string or number that holds it, or the member whose name it is in; of JSON
	// in a string, that string. It is absent for text that a carrier holds.
	Value  jsonstream.Value
	InName bool
	// Holder is the string that holds the document of Value in base64, absent for values of
	// the message itself.
	Holder jsonstream.Value
	offset int // in the text of Value
}

// Find returns the personal data in a message of a format, or in any other JSON document for
// "", in its order: what [Message] replaces.
func Find(doc *jsonstream.Document, f format.Format, s *privacy.Scanner, limits jsonstream.Limits) []Found {
	w := newWalk(doc, f, Options{Scanner: s, Limits: limits})
	w.document(doc.Root(), "")
	var found []Found
	each(w.pieces, func(p piece, holder jsonstream.Value) { found = append(found, p.found(holder)) })
	return found
}

// data returns what pieces are.
func data(pieces []piece) (list []Datum) {
	each(pieces, func(p piece, holder jsonstream.Value) {
		list = append(list, Datum{p.found(holder).Pointer(), p.name, p.class, p.value})
	})
	return list
}

// each calls use with the pieces that are personal data, those that a carrier holds in its
// place, and with the carrier, absent for a piece of the message itself.
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

// Pointer returns the JSON Pointer of the value that holds it, which continues after the
// string that holds that. For the name of a member it is that of the object: it is not to
// show the name.
func (f Found) Pointer() string {
	if f.InName {
		return f.Holder.Pointer() + f.Value.Parent().Pointer()
	}
	return f.Holder.Pointer() + f.Value.Pointer()
}

// Position returns where it begins; of JSON in a string and of what is held in base64, where
// the string begins.
func (f Found) Position() jsonstream.Position {
	switch {
	case f.Holder.Exists():
		return f.Holder.Position()
	case f.InName:
		return f.Value.NamePosition()
	}
	return f.Value.PositionIn(f.offset)
}

// What says what it is, for people, without showing it.
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
	privacy.Account: "an account number", privacy.Address: "a postal address", privacy.Person: "the name of a person", Hidden: "what the policy always hides",
}
