package dir

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// A name is that of a message's file. Names sort as the messages were published.
type name struct {
	text   string
	digest string    // of the message's ID
	after  time.Time // the message is not delivered before; zero for none
}

// extension ends all names of messages. While a file is written, its name begins with
// writing.
const (
	extension = ".msg"
	writing   = ".writing-"
)

const timeLayout = "20060102T150405.000000000Z"

// The forms of names: 0 stands for a digit, x for a hexadecimal one.
const (
	timeForm = "00000000T000000.000000000Z"
	// baseForm: when it was published, a random number, the digest of the ID.
	baseForm  = timeForm + "-xxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	afterForm = ".after-" + timeForm // no earlier than then
	signForm  = "xxxxxxxxxxxxxxxx"   // of a consumer
)

// fits reports whether a text has a form.
func fits(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := range len(form) {
		c := text[i]
		digit := c >= '0' && c <= '9'
		switch form[i] {
		case '0':
			if !digit {
				return false
			}
		case 'x':
			if !digit && (c < 'a' || c > 'f') {
				return false
			}
		case c:
		default:
			return false
		}
	}
	return true
}

// parseName returns the name that a text is. A folder may have very many.
func parseName(text string) (n name, ok bool) {
	base, ok := strings.CutSuffix(text, extension)
	if !ok {
		return n, false
	}
	if len(base) == len(baseForm)+len(afterForm) && fits(base[len(baseForm):], afterForm) {
		after, err := time.Parse(timeLayout, base[len(base)-len(timeForm):])
		if err != nil {
			return n, false
		}
		base, n.after = base[:len(baseForm)], after
	}
	n.text, n.digest = text, base[max(0, len(base)-32):]
	return n, fits(base, baseForm)
}

// newName returns the name of a message that is published at a time.
func newName(digest string, at time.Time) string {
	random := make([]byte, 4)
	rand.Read(random) // never fails
	return at.UTC().Format(timeLayout) + "-" + hex.EncodeToString(random) + "-" + digest + extension
}

// delayed returns the name under which the message is given back, to be delivered no earlier
// than at a time; at once if that is zero.
func (n name) delayed(until time.Time) string {
	text := n.text[:len(baseForm)]
	if !until.IsZero() {
		text += ".after-" + until.UTC().Format(timeLayout)
	}
	return text + extension
}

// digestOf returns the part of a name that is the same for every try to publish a message.
func digestOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	if id == "" {
		rand.Read(sum[:]) // never fails
	}
	return hex.EncodeToString(sum[:16])
}
