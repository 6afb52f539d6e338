package finding

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	maxQuote    = 60       // characters shown of a text
	maxSearched = 32 << 10 // bytes of a longer text that are searched for secrets
	maxPointer  = 1024     // bytes
)

// Quote returns a text in the form that messages show: quoted, short, on one line, and without secrets.
// Every message and error that shows a part of a document uses Quote or [QuoteValue].
func Quote(text string) string {
	searched := text[:min(len(text), maxSearched)]
	if len(secrets.Find(searched)) > 0 {
		return fmt.Sprintf("a string of %d characters that looks like a secret", utf8.RuneCountInString(text))
	}
	shown := secrets.Hide(searched)
	if len(searched) < len(text) {
		shown += "…"
	}
	return strconv.QuoteToGraphic(Shorten(shown))
}

// QuoteValue returns a value in the form that messages show: a string as in [Quote], an object or array as
// its kind.
func QuoteValue(v jsonstream.Value) string {
	if v.Kind() == jsonstream.Number {
		return "the number " + Literal(v)
	}
	return Literal(v)
}

// Literal is [QuoteValue], except that numbers are shown as written.
func Literal(v jsonstream.Value) string {
	switch v.Kind() {
	case jsonstream.String:
		return Quote(v.Text())
	case jsonstream.Number, jsonstream.True, jsonstream.False:
		return Shorten(string(v.Raw()))
	default:
		return KindName(v.Kind())
	}
}

// KindName returns a kind with its article: "an object".
func KindName(k jsonstream.Kind) string {
	switch k {
	case jsonstream.Absent:
		return "nothing"
	case jsonstream.Null:
		return "null"
	case jsonstream.Object, jsonstream.Array:
		return "an " + k.String()
	default:
		return "a " + k.String()
	}
}

// Shorten cuts a text that is too long to show. It is for texts without secrets; use [Quote] for others.
func Shorten(text string) string {
	n, cut := 0, 0
	for i := range text {
		if n++; n == maxQuote {
			cut = i
		} else if n > maxQuote {
			return text[:cut] + "…"
		}
	}
	return text
}

// Pointer returns a JSON Pointer in the form that messages show. If it is very long or shows a secret,
// Pointer returns the pointer to the nearest enclosing value that can be shown.
func Pointer(pointer string) string {
	if len(pointer) > maxPointer {
		pointer = pointer[:strings.LastIndexByte(pointer[:maxPointer+1], '/')]
	}
	end := 0
	for token := range strings.SplitSeq(pointer, "/") {
		if len(secrets.Find(unescaper.Replace(token))) > 0 {
			return pointer[:max(end-len("/"), 0)]
		}
		end += len(token) + len("/")
	}
	return pointer
}

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// On returns the finding, placed at a value or at the nearest enclosing value whose pointer can be shown.
func (f Finding) On(v jsonstream.Value) Finding {
	for ; v.Parent().Exists(); v = v.Parent() {
		if v.PointerSize() > maxPointer {
			continue
		}
		if pointer := v.Pointer(); Pointer(pointer) == pointer {
			return f.At(pointer, v.Position())
		}
	}
	return f.At("", v.Position())
}

// OnName returns the finding, placed at a member's name.
func (f Finding) OnName(member jsonstream.Value) Finding {
	placed := f.On(member)
	if placed.Pointer == member.Pointer() {
		return f.At(placed.Pointer, member.NamePosition())
	}
	return placed
}

// Inside returns the finding, placed in the message instead of in a document that a string of the message
// holds in base64. Its pointer continues that of the string.
func (f Finding) Inside(holder jsonstream.Value) Finding {
	outer := f.On(holder)
	if outer.Pointer == holder.Pointer() {
		outer.Pointer += f.Pointer
	}
	return outer
}
