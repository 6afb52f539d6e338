package dir

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// A name is the name of a message's file. Names sort in order of publication.
type name struct {
	text   string
	digest string    // of the message's ID
	after  time.Time // the earliest time of delivery; zero for none
}

// extension ends the names of all messages. The name of an unfinished file has the prefix writing.
const (
	extension = ".msg"
	writing   = ".writing-"
)

const timeLayout = "20060102T150405.000000000Z"

// The forms of names: 0 stands for a decimal digit, x for a hexadecimal one.
const (
	timeForm = "00000000T000000.000000000Z"
	// baseForm has the time of publication, a random number and the digest of the ID.
	baseForm  = timeForm + "-xxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	afterForm = ".after-" + timeForm // the earliest time of delivery
	signForm  = "xxxxxxxxxxxxxxxx"   // of a consumer
)

// fits reports whether text has the given form.
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

// parseName parses a file name. It is fast, since folders may be very large.
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

// newName returns a name for a message published at the given time.
func newName(digest string, at time.Time) string {
	random := make([]byte, 4)
	rand.Read(random) // never fails
	return at.UTC().Format(timeLayout) + "-" + hex.EncodeToString(random) + "-" + digest + extension
}

// delayed returns the name for returning the message, to be delivered no earlier than the given
// time; at once if that is zero.
func (n name) delayed(until time.Time) string {
	text := n.text[:len(baseForm)]
	if !until.IsZero() {
		text += ".after-" + until.UTC().Format(timeLayout)
	}
	return text + extension
}

// digestOf returns the part of a name that is the same for every publication of a message.
func digestOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	if id == "" {
		rand.Read(sum[:]) // never fails
	}
	return hex.EncodeToString(sum[:16])
}
