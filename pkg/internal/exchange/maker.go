package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/tree"
)

// Given are the values of the caller for members that the source lacks; "" for none.
type Given struct{ Seed, Budget, From, To, Time string }

// A Maker makes up values that a format requires and the source lacks. The same source and seed
// give the same values.
type Maker struct {
	Given
	Source tree.Node
	Made   []MadeUp
	// Restoring is set when translating a message with carried data: made-up values are then
	// placeholders for carried ones, except at the places in Known.
	Restoring    bool
	Known        map[string]bool
	placeholders []string    // places of placeholders
	Calls        []tree.Node // items for results without a call
}

// IsFresh reports whether a new message is made, rather than restored. It is false if k is nil.
func (k *Maker) IsFresh() bool { return k != nil && !k.Restoring }

// IsPlaceholder reports whether a value made up at a place is a placeholder for a carried one.
func (k *Maker) IsPlaceholder(pointer string) bool { return k.Restoring && !k.Known[pointer] }

// Up records and returns a made-up value.
func (k *Maker) Up(pointer string, value tree.Node, rule string) tree.Node {
	if k.IsPlaceholder(pointer) {
		k.placeholders = append(k.placeholders, pointer)
	} else {
		if len(k.Made) == cap(k.Made) { // append would copy long lists more often
			k.Made = slices.Grow(k.Made, len(k.Made)+1)
		}
		k.Made = append(k.Made, MadeUp{Pointer: pointer, Value: value.Compact(), Rule: rule})
	}
	return value
}

// Reveal adds the placeholders without a carried value to Known, and reports whether there are any.
func (k *Maker) Reveal(missed []string) bool {
	any := false
	for _, pointer := range k.placeholders {
		if slices.ContainsFunc(missed, func(m string) bool { return strings.HasPrefix(pointer+"/", m+"/") }) {
			k.Known[pointer] = true
			any = true
		}
	}
	k.Made, k.placeholders = nil, nil
	return any
}

// Unless returns value or, if it is absent, a made-up one.
func (k *Maker) Unless(value tree.Node, pointer string, otherwise tree.Node, rule string) tree.Node {
	if value != tree.None {
		return value
	}
	return k.Up(pointer, otherwise, rule)
}

// Sender returns the name of the sender or, if it is absent, the given or a made-up one.
func (k *Maker) Sender(value tree.Node, pointer string) tree.Node {
	return k.agent(value, pointer, k.From, "from-agent")
}

// Receiver is [Maker.Sender] for the receiver.
func (k *Maker) Receiver(value tree.Node, pointer string) tree.Node {
	return k.agent(value, pointer, k.To, "to-agent")
}

func (k *Maker) agent(value tree.Node, pointer, given, setting string) tree.Node {
	switch {
	case value != tree.None:
		return value
	case given != "":
		return k.Up(pointer, tree.String(given), "the agent is not known in the source; this is the one that was given")
	}
	return k.UpFor(setting, pointer, tree.String("unknown"), "the agent is not known")
}

// UpFor is [Maker.Up] for a value that the caller should give, by the name of its setting.
func (k *Maker) UpFor(setting, pointer string, value tree.Node, rule string) tree.Node {
	n := len(k.Made)
	k.Up(pointer, value, rule)
	if len(k.Made) > n {
		k.Made[n].Setting = setting
	}
	return value
}

// hash returns 32 bytes derived from a place.
func (k *Maker) hash(pointer, of string) [sha256.Size]byte {
	parts := []string{k.Seed, pointer, of}
	if of == "" {
		parts[2] = k.Source.Digest().String()
	}
	if k.IsPlaceholder(pointer) {
		parts = []string{pointer, of}
	}
	var all []byte
	for _, p := range parts {
		all = append(strconv.AppendInt(all, int64(len(p)), 10), ':')
		all = append(all, p...)
	}
	return sha256.Sum256(all)
}

// UUID makes up a UUID with the form of version 4, derived from another identifier or, if that is
// empty, from the whole source.
func (k *Maker) UUID(pointer, of string) tree.Node {
	rule := "SHA-256 of the seed, the member and the source, as a UUID"
	if of != "" {
		rule = "SHA-256 of the seed, the member and the source's identifier, as a UUID"
	}
	h := k.hash(pointer, of)
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	return k.Up(pointer, tree.String(UUIDText([16]byte(h[:16]))), rule)
}

// UUIDText returns the usual text of a UUID.
func UUIDText(id [16]byte) string {
	var s [36]byte
	hex.Encode(s[:], id[:4])
	for i, at := range []int{9, 14, 19} {
		s[at-1] = '-'
		hex.Encode(s[at:], id[4+2*i:6+2*i])
	}
	s[23] = '-'
	hex.Encode(s[24:], id[10:])
	return string(s[:])
}

// Trace makes up a traceparent.
func (k *Maker) Trace(pointer string) tree.Node {
	h := k.hash(pointer, "")
	h[0], h[16] = h[0]|1, h[16]|1 // all zeros are invalid
	s := "00-" + hex.EncodeToString(h[:16]) + "-" + hex.EncodeToString(h[16:24]) + "-00"
	return k.Up(pointer, tree.String(s), "SHA-256 of the seed, the member and the source; not sampled")
}

// Identifier returns a version 4 UUID unchanged, and otherwise derives one.
func (k *Maker) Identifier(value tree.Node, pointer string) tree.Node {
	if isUUID(value.Text()) {
		return value
	}
	return k.UUID(pointer, value.Text())
}

func isUUID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	b, err := hex.DecodeString(s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:])
	return err == nil && b[6]>>4 == 4 && b[8]>>6 == 2
}

// TimeOf returns the date-time of a message unchanged, and otherwise that of the latest turn with one, or the
// given one.
func (k *Maker) TimeOf(m Meaning, pointer string) tree.Node {
	if t := m.Values[RowTime]; IsTime(t) {
		return t
	}
	if !k.IsPlaceholder(pointer) {
		for _, t := range slices.Backward(m.Turns) {
			if at := t.Get("timestamp"); IsTime(at) {
				return k.Up(pointer, tree.String(at.Text()), "the time of the latest turn that has one")
			}
		}
	}
	if k.Time != "" {
		return k.Up(pointer, tree.String(k.Time), "no time is known in the source; this is the one that was given")
	}
	return k.UpFor("timestamp", pointer, tree.String("1970-01-01T00:00:00Z"), "no time is known: the Unix epoch")
}

// A MadeUp is a value that the target requires and the source lacks.
type MadeUp struct {
	Pointer string          `json:"pointer"` // in the target
	Value   json.RawMessage `json:"value"`
	Rule    string          `json:"rule"`
	// Source is the corresponding place in the source, "" if its format has none.
	Source string `json:"source,omitempty"`
	// Setting names the setting that gives a better value; "" if there is none.
	Setting string `json:"setting,omitempty"`
}
