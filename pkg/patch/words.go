package patch

import (
	"fmt"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/secrets"
)

// mostShown is how many characters of a value or pointer an error shows.
const mostShown = 60

// shorten cuts off what is too long to be shown.
func shorten(text string) string {
	n := 0
	for i := range text {
		if n++; n > mostShown {
			return text[:i] + "…"
		}
	}
	return text
}

// excerpt shows a value: strings, numbers and literals as they are written, but no
// credentials.
func excerpt(v jsonstream.Value) string {
	switch {
	case v.Kind() == jsonstream.Object || v.Kind() == jsonstream.Array:
		return article(v.Kind())
	case len(secrets.Find(v.Text())) > 0:
		return fmt.Sprintf("a string of %d characters that looks like a secret", utf8.RuneCountInString(v.Text()))
	}
	return shorten(string(v.Raw()))
}

// article names a type in a sentence.
func article(k jsonstream.Kind) string {
	switch k {
	case jsonstream.Null:
		return "null"
	case jsonstream.Object, jsonstream.Array:
		return "an " + k.String()
	default:
		return "a " + k.String()
	}
}

// named names a place in a sentence.
func named(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return shorten(pointer)
}
