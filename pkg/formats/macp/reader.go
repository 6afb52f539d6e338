package macp

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/internal/base64text"
	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A reader reads the members of one object and keeps the first fault.
type reader struct {
	of jsonstream.Value
	// loose is set for fixtures: texts are optional, and bytes are plain text.
	loose bool
	fault *Violation
}

func (r *reader) fail(at jsonstream.Value, expected, found, remedy string) {
	if r.fault == nil {
		r.fault = violation(shape, InvalidEnvelope, expected, found, remedy).at(at)
	}
}

// camel returns the camelCase spelling of a snake_case name.
func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if b.Len() == 0 {
			b.WriteString(part)
		} else {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// isCamel reports whether text is the [camel] spelling of a snake_case name.
func isCamel(text, name string) bool {
	at := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '_' {
			i++
			c = name[i] &^ 0x20
		}
		if at == len(text) || text[at] != c {
			return false
		}
		at++
	}
	return at == len(text) && at < len(name)
}

// member returns the member of an object by its snake_case name, in either spelling. twice
// is set if both spellings are present.
func member(object jsonstream.Value, name string) (v jsonstream.Value, twice bool) {
	var other jsonstream.Value
	for spelling, member := range object.Members() {
		if spelling == name {
			v = member
		} else if isCamel(spelling, name) {
			other = member
		}
	}
	if !v.Exists() {
		return other, false
	}
	return v, other.Exists()
}

// placeOf returns the value to report for a member: the object if the member is missing.
func placeOf(object jsonstream.Value, name string) jsonstream.Value {
	if v, _ := member(object, name); v.Exists() {
		return v
	}
	return object
}

func (r *reader) get(name string) jsonstream.Value {
	v, twice := member(r.of, name)
	if twice {
		r.fail(v, "one of "+name+" and "+camel(name), "both", "keep "+name+": readers may use either")
	}
	return v
}

// typed returns a member of a kind. If it has another kind, or is required and missing,
// typed returns an absent value and records a fault.
func (r *reader) typed(name string, kind jsonstream.Kind, required bool, remedy string) jsonstream.Value {
	v := r.get(name)
	if v.Kind() == kind || !v.Exists() && !required {
		return v
	}
	place := v
	if !v.Exists() {
		place = r.of
	}
	r.fail(place, "the member "+name+" to be "+finding.KindName(kind), finding.Literal(v), remedy)
	return jsonstream.Value{}
}

// text reads a text that may be empty.
func (r *reader) text(name string) string {
	return r.typed(name, jsonstream.String, !r.loose, `write "" for an empty text`).Text()
}

// name reads a text that may not be empty.
func (r *reader) name(name string) string {
	v := r.typed(name, jsonstream.String, true, "write a non-empty string")
	if v.Exists() && v.Text() == "" {
		r.fail(v, "the member "+name+" to be a non-empty string", `""`, "write a string")
	}
	return v.Text()
}

// filled reads a text that may not be blank.
func (r *reader) filled(name string) string {
	text := r.name(name)
	if text != "" && strings.TrimSpace(text) == "" {
		r.fail(placeOf(r.of, name), "the member "+name+" to be a string that is not blank", finding.Quote(text), "write a string")
	}
	return text
}

// number reads an integer that is at least minimum; unknown if it is missing.
func (r *reader) number(name string, minimum int64, required bool) (n int64, known bool) {
	remedy := "write an integer of at most 64 bits, without quotes"
	v := r.typed(name, jsonstream.Number, required, remedy)
	if !v.Exists() {
		return 0, false
	}
	n, ok := integer(v.Raw())
	switch {
	case !ok:
		r.fail(v, "the member "+name+" to be an integer", finding.Literal(v), remedy)
	case n < minimum:
		r.fail(v, "the member "+name+" to be at least "+strconv.FormatInt(minimum, 10), finding.Literal(v), "write such an integer")
	}
	return n, ok
}

// integer parses a number with a 64-bit integer value in any notation.
func integer(text []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, true
	}
	if !jsonstream.SafeNumber(text) {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(string(text))
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// instant reads a time in milliseconds.
func (r *reader) instant(name string) Instant {
	n, known := r.number(name, math.MinInt64, false)
	return Instant{UnixMS: n, Known: known}
}

// flag reads a boolean. A missing member is false.
func (r *reader) flag(name string) (value, set bool) {
	switch v := r.get(name); v.Kind() {
	case jsonstream.True, jsonstream.False:
		return v.Kind() == jsonstream.True, true
	case jsonstream.Absent:
	default:
		r.fail(v, "the member "+name+" to be a boolean", finding.Literal(v), "write true or false")
	}
	return false, false
}

// bytes reads a base64 member.
func (r *reader) bytes(name string) []byte {
	v := r.typed(name, jsonstream.String, !r.loose, `write base64, or "" for no bytes`)
	return r.decoded(v)
}

func (r *reader) decoded(v jsonstream.Value) []byte {
	if r.loose || !v.Exists() {
		return []byte(v.Text())
	}
	out, err := base64text.Decode(v.Text(), base64text.ProtoJSON)
	if err != nil {
		r.fail(v, "base64 (RFC 4648)", finding.Literal(v), "encode the bytes, even if they are text")
	}
	return out
}

// sent reads the sender's timestamp, as written and as an instant. 0 means unknown, as on
// the wire.
func (r *reader) sent() (string, Instant) {
	at := r.instant("timestamp_unix_ms")
	text := string(r.get("timestamp_unix_ms").Raw())
	if v := r.typed("timestamp", jsonstream.String, false, "write a time as in 2026-03-14T09:20:00Z"); v.Exists() {
		t, ok := rfc3339.Parse(v.Text())
		if !ok {
			r.fail(v, "the member timestamp to be a time (RFC 3339)", finding.Literal(v), "write it as in 2026-03-14T09:20:00Z")
		}
		if !at.Known {
			at = Instant{UnixMS: t.UnixMilli(), Known: ok}
		}
		text = v.Text()
	} else if at.UnixMS == 0 {
		text = ""
	}
	at.Known = at.Known && at.UnixMS != 0
	return text, at
}
