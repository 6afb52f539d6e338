package jsonstream

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendCompact appends text without the white space between its tokens and
// otherwise as it is. The text must be a JSON value that [Parse] accepts.
func AppendCompact(dst, text []byte) ([]byte, error) {
	// CompactOptions would allow duplicate names; they cannot be here.
	return jsontext.AppendFormat(dst, text, jsontext.PreserveRawStrings(true))
}

// AppendIndent appends text with two spaces of indentation a level and
// otherwise as it is.
func AppendIndent(dst, text []byte) ([]byte, error) {
	return jsontext.AppendFormat(dst, text,
		jsontext.PreserveRawStrings(true), jsontext.Multiline(true), jsontext.WithIndent("  "))
}

// ErrNumberRange reports a number that has no double-precision value, so that
// it has no canonical form (RFC 8785, section 3.2.2.3).
var ErrNumberRange = errors.New("number beyond the range of a double")

// AppendCanonical appends the canonical form (RFC 8785) of v. The error wraps
// [ErrNumberRange] and names the place. Numbers are doubles there: two that
// differ beyond the 17th digit can have the same canonical form.
func AppendCanonical(dst []byte, v Value) ([]byte, error) {
	for at := range v.All() {
		if at.Kind() != Number {
			continue
		}
		if f, err := strconv.ParseFloat(string(at.Raw()), 64); err != nil || math.IsInf(f, 0) {
			return dst, fmt.Errorf("%s: %.40s: %w", at.Pointer(), at.Raw(), ErrNumberRange)
		}
	}
	return jsontext.AppendFormat(dst, v.Raw(), jsontext.CanonicalizeRawFloats(true),
		jsontext.CanonicalizeRawInts(true), jsontext.ReorderRawObjects(true))
}
