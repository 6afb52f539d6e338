package wire

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/eaapl/handoff/internal/base64text"
	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Loss is a JSON member that the wire cannot carry completely, or the absence of a member,
// if the wire cannot express it.
type Loss struct {
	jsonstream.Position        // of the member's value, or of the object that lacks it
	Pointer             string // JSON Pointer to it, or to its place if missing
	Reason              string // the reason, for people
}

// A MemberError reports a member with an invalid value for its field. Its text is for people
// and does not include the place.
type MemberError struct {
	jsonstream.Position        // of the member's value
	Pointer             string // JSON Pointer to it
	Problem             string // the problem, the value found, and the remedy
}

func (e *MemberError) Error() string { return e.Problem }

// Encode returns the envelopes of a transcript, each preceded by its length, and the losses.
// The error is a *[MemberError].
func Encode(doc *jsonstream.Document) ([]byte, []Loss, error) {
	root := doc.Root()
	list := root.Get(messages)
	if list.Kind() != jsonstream.Array {
		at := list
		if !at.Exists() {
			at = root
		}
		return nil, nil, wrong(at, fmt.Sprintf("messages must be an array of envelopes: found %s", finding.KindName(list.Kind())))
	}
	e := encoder{}
	e.header(root, list.At("/0"))
	var data []byte
	for _, m := range list.Elements() {
		var err error
		if data, err = e.envelope(data, m); err != nil {
			return nil, nil, err
		}
	}
	return data, e.lost, nil
}

// AppendEnvelope appends one message of a transcript as an envelope preceded by its length,
// and returns the losses. The error is a *[MemberError].
func AppendEnvelope(dst []byte, m jsonstream.Value) ([]byte, []Loss, error) {
	e := encoder{}
	dst, err := e.envelope(dst, m)
	return dst, e.lost, err
}

type encoder struct {
	lost []Loss
}

func (e *encoder) lose(v jsonstream.Value, reason string) {
	e.lost = append(e.lost, Loss{v.Position(), v.Pointer(), reason})
}

func wrong(v jsonstream.Value, problem string) error {
	return &MemberError{v.Position(), v.Pointer(), problem}
}

// header reports the members of a transcript that decoding would not derive from its first
// envelope.
func (e *encoder) header(root, first jsonstream.Value) {
	made := map[string]jsonstream.Value{}
	for name, field := range map[string]int{"protocol_version": versionField, "mode": modeField, "session_id": sessionField} {
		v := member(first, envelope[field].name)
		made[name], made[camel(name)] = v, v
	}
	for name, v := range root.Members() {
		of, known := made[name]
		switch {
		case name == messages:
		case !known:
			e.lose(v, "the wire has no field for it")
		case v.Kind() != jsonstream.String || v.Text() != of.Text():
			e.lose(v, "the first envelope has another value, which is used")
		}
	}
}

// envelope appends a message of a transcript preceded by its length.
func (e *encoder) envelope(dst []byte, m jsonstream.Value) ([]byte, error) {
	data, err := e.message(nil, m, envelope)
	if err != nil {
		return dst, err
	}
	return protowire.AppendBytes(dst, data), nil
}

// message appends the fields of an object.
func (e *encoder) message(dst []byte, object jsonstream.Value, s schema) ([]byte, error) {
	if object.Kind() != jsonstream.Object {
		return dst, wrong(object, "must be an object: found "+finding.KindName(object.Kind()))
	}
	for _, f := range s {
		v := member(object, f.name)
		if !v.Exists() && f.instead != "" {
			v = object.Get(f.instead)
		}
		if !v.Exists() {
			if f.explicit {
				e.lost = append(e.lost, Loss{object.Position(), object.Pointer() + "/" + f.name, "on the wire, a missing value is false"})
			}
			continue
		}
		var err error
		if dst, err = e.field(dst, v, f); err != nil {
			return dst, err
		}
	}
	e.rest(object, s)
	return appendUnknown(dst, object.Get(unknownFields), s)
}

// rest reports the members without a field.
func (e *encoder) rest(object jsonstream.Value, s schema) {
	for name, v := range object.Members() {
		if name == unknownFields {
			continue
		}
		carried, reason := false, "the wire has no field for it"
		for _, f := range s {
			switch name {
			case f.name:
				carried = true
			case camel(f.name):
				carried = !object.Get(f.name).Exists()
				reason = "is there in addition to " + f.name + ", which counts"
			case f.instead:
				carried = !member(object, f.name).Exists()
				reason = "is there in addition to " + f.name + ", which counts"
			}
		}
		if !carried {
			e.lose(v, reason)
		}
	}
}

// appendUnknown appends the unknown fields.
func appendUnknown(dst []byte, v jsonstream.Value, s schema) ([]byte, error) {
	if !v.Exists() {
		return dst, nil
	}
	raw, err := bytesOf(v)
	if err != nil {
		return dst, err
	}
	for rest := raw; len(rest) > 0; {
		number, t, n := protowire.ConsumeTag(rest)
		m := -1
		if n >= 0 {
			m = protowire.ConsumeFieldValue(number, t, rest[n:])
		}
		if m < 0 {
			return dst, wrong(v, fmt.Sprintf("byte %d of the decoded base64 is not the beginning of a protobuf field", len(raw)-len(rest)))
		}
		if i := s.find(number, t); i >= 0 {
			return dst, wrong(v, fmt.Sprintf("contains field %d, which is a known field: write the member %s instead", number, s[i].name))
		}
		rest = rest[n+m:]
	}
	return append(dst, raw...), nil
}

// field appends a field unless it has the default value.
func (e *encoder) field(dst []byte, v jsonstream.Value, f field) ([]byte, error) {
	switch f.kind {
	case integer:
		n, err := e.integer(v, f)
		if err != nil || n == 0 {
			return dst, err
		}
		return protowire.AppendVarint(protowire.AppendTag(dst, f.number, protowire.VarintType), uint64(n)), nil
	case boolean:
		if v.Kind() != jsonstream.True && v.Kind() != jsonstream.False {
			return dst, wrong(v, "must be true or false: found "+finding.KindName(v.Kind()))
		}
		if v.Kind() == jsonstream.False {
			return dst, nil
		}
		return protowire.AppendVarint(protowire.AppendTag(dst, f.number, protowire.VarintType), 1), nil
	case texts, several:
		return e.list(dst, v, f)
	case blobs:
		return extensions(dst, v, f)
	case body:
		data, err := e.body(v)
		return appendNonEmpty(dst, f.number, data), err
	case message:
		data, err := e.message(nil, v, f.fields)
		return appendBytes(dst, f.number, data), err
	case blob:
		data, err := bytesOf(v)
		return appendNonEmpty(dst, f.number, data), err
	default:
		s, err := textOf(v)
		return appendNonEmpty(dst, f.number, []byte(s)), err
	}
}

func appendBytes(dst []byte, number protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), data)
}

// appendNonEmpty appends a field unless it is empty.
func appendNonEmpty(dst []byte, number protowire.Number, data []byte) []byte {
	if len(data) == 0 {
		return dst
	}
	return appendBytes(dst, number, data)
}

func textOf(v jsonstream.Value) (string, error) {
	if v.Kind() != jsonstream.String {
		return "", wrong(v, "must be a string: found "+finding.KindName(v.Kind()))
	}
	return v.Text(), nil
}

func bytesOf(v jsonstream.Value) ([]byte, error) {
	s, err := textOf(v)
	if err != nil {
		return nil, err
	}
	data, err := base64text.Decode(s, base64text.ProtoJSON)
	if err != nil {
		return nil, wrong(v, "must be bytes in base64 (RFC 4648): found "+finding.Quote(s))
	}
	return data, nil
}

// integer reads a number, or the time in the alternative member.
func (e *encoder) integer(v jsonstream.Value, f field) (int64, error) {
	if v.Name() == f.instead {
		s, err := textOf(v)
		if err != nil {
			return 0, err
		}
		t, ok := rfc3339.Parse(s)
		if !ok {
			return 0, wrong(v, "must be a time (RFC 3339), such as 2026-01-31T12:00:00Z: found "+finding.Quote(s))
		}
		if t.UnixMilli() == 0 {
			e.lose(v, "the wire has 0 for no time")
		} else if t.Nanosecond()%int(time.Millisecond) != 0 {
			e.lose(v, "the wire has whole milliseconds")
		}
		return t.UnixMilli(), nil
	}
	if v.Kind() != jsonstream.Number {
		return 0, wrong(v, "must be a whole number: found "+finding.KindName(v.Kind()))
	}
	n, err := strconv.ParseInt(wholeNumber(v.Raw()), 10, 64)
	if err != nil {
		return 0, wrong(v, "must be a whole number of 64 bits: found another number")
	}
	return n, nil
}

// wholeNumber returns a JSON number without fraction and exponent, or "" if it is not whole
// or has more than 64 bits.
func wholeNumber(number []byte) string {
	if !bytes.ContainsAny(number, ".eE") {
		return string(number)
	}
	sign, normal, _ := strings.Cut(string(jsonstream.AppendNormal(nil, number)), ".")
	digits, exponent, _ := strings.Cut(normal, "e")
	e, err := strconv.Atoi(exponent)
	if err != nil || e < len(digits) || e > 19 {
		return ""
	}
	return sign + "0" + digits + strings.Repeat("0", e-len(digits))
}

func (e *encoder) list(dst []byte, v jsonstream.Value, f field) ([]byte, error) {
	if v.Kind() != jsonstream.Array {
		return dst, wrong(v, "must be an array: found "+finding.KindName(v.Kind()))
	}
	for _, element := range v.Elements() {
		var data []byte
		var err error
		if f.kind == texts {
			var s string
			s, err = textOf(element)
			data = []byte(s)
		} else {
			data, err = e.message(nil, element, f.fields)
		}
		if err != nil {
			return dst, err
		}
		dst = appendBytes(dst, f.number, data)
	}
	return dst, nil
}

// extensions appends the entries of a map, with keys and values even if empty.
func extensions(dst []byte, v jsonstream.Value, f field) ([]byte, error) {
	if v.Kind() != jsonstream.Object {
		return dst, wrong(v, "must be an object: found "+finding.KindName(v.Kind()))
	}
	for key, value := range v.Members() {
		data, err := bytesOf(value)
		if err != nil {
			return dst, err
		}
		dst = appendBytes(dst, f.number, appendBytes(appendBytes(nil, entry[0].number, []byte(key)), entry[1].number, data))
	}
	return dst, nil
}

// body returns a payload's bytes according to the adjacent message type.
func (e *encoder) body(v jsonstream.Value) ([]byte, error) {
	if raw := v.Get(undecoded); raw.Exists() {
		return bytesOf(raw)
	}
	s, known := payloads[member(v.Parent(), "message_type").Text()]
	if known {
		return e.message(nil, v, s)
	}
	if v.Kind() != jsonstream.Object {
		return nil, wrong(v, "must be an object: found "+finding.KindName(v.Kind()))
	}
	e.rest(v, nil)
	if raw := v.Get(unknownFields); raw.Exists() {
		return bytesOf(raw)
	}
	return nil, nil
}
