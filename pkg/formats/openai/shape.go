package openai

import (
	"fmt"
	"iter"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A ShapeError reports a document that is not a HandoffInputData. Its text is for people and
// does not include the place.
type ShapeError struct {
	jsonstream.Position        // of the fault
	Pointer             string // JSON Pointer to it
	Problem             string // the problem, the value found, and the remedy

	at jsonstream.Value // the value at Pointer
}

func (e *ShapeError) Error() string { return e.Problem }

// isList reports whether v is a valid value of the list with a place.
func isList(place int, v jsonstream.Value) bool {
	switch v.Kind() {
	case jsonstream.Array:
		return true
	case jsonstream.String:
		return place == inHistory
	case jsonstream.Null, jsonstream.Absent:
		return place == insteadOfTurn
	default:
		return false
	}
}

// shapeErrors yields the faults of data as a HandoffInputData.
func shapeErrors(data jsonstream.Value) iter.Seq[*ShapeError] {
	return func(yield func(*ShapeError) bool) {
		if data.Kind() != jsonstream.Object {
			yield(shapeError(data, "HandoffInputData must be an object, found %s", data.Kind()))
			return
		}
		for place, name := range spellingOf(data).lists {
			if !listErrors(data, place, name, yield) {
				return
			}
		}
	}
}

func listErrors(data jsonstream.Value, place int, name string, yield func(*ShapeError) bool) bool {
	list := data.Get(name)
	switch {
	case isList(place, list):
		for _, item := range list.Elements() {
			if item.Kind() != jsonstream.Object &&
				!yield(shapeError(item, "an item of %s must be an object, found %s", name, item.Kind())) {
				return false
			}
		}
		return true
	case !list.Exists():
		return yield(shapeError(data, "%s is missing: add it, empty if there are no items", name))
	case place == inHistory:
		return yield(shapeError(list, "%s must be a string or an array of items, found %s", name, list.Kind()))
	case place == insteadOfTurn:
		return yield(shapeError(list, "%s must be an array of items or null, found %s", name, list.Kind()))
	default:
		return yield(shapeError(list, "%s must be an array of items, found %s", name, list.Kind()))
	}
}

func shapeError(at jsonstream.Value, format string, args ...any) *ShapeError {
	return &ShapeError{at.Position(), at.Pointer(), fmt.Sprintf(format, args...), at}
}

// CheckShape returns nil if data is a HandoffInputData, and otherwise a [*ShapeError].
func CheckShape(data jsonstream.Value) error {
	for err := range shapeErrors(data) {
		return err
	}
	return nil
}

// A replacement is a new value for a member of a HandoffInputData.
type replacement struct {
	name string
	text []byte
}

// appendData appends data as compact JSON with some members replaced. Missing members are
// added at the end.
func appendData(dst []byte, data jsonstream.Value, replacements ...replacement) []byte {
	dst = append(dst, '{')
	for name, member := range data.Members() {
		dst = append(append(jsonstream.AppendComma(dst), member.RawName()...), ':')
		if i := slices.IndexFunc(replacements, func(r replacement) bool { return r.name == name }); i >= 0 {
			dst = append(dst, replacements[i].text...)
		} else {
			dst = jsonstream.AppendCompact(dst, member.Raw())
		}
	}
	for _, r := range replacements {
		if !data.Get(r.name).Exists() {
			dst = append(append(append(append(jsonstream.AppendComma(dst), '"'), r.name...), `":`...), r.text...)
		}
	}
	return append(dst, '}')
}
