// Package formats lists the message formats and tells which one a document is in.
//
// A format is a package that fills one [format.Descriptor] for each kind of its messages,
// and a line in the list here. What works on messages of any format looks them up here.
package formats

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/eaapl"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// registered are the formats in the order in which they are listed and preferred. It does
// not change once it is inUse.
var (
	registered = []*format.Descriptor{&eaapl.Message, &sw4rm.ContextFormat, &sw4rm.RequestFormat, &sw4rm.ResponseFormat, &macp.Format, &openai.Format}
	inUse      atomic.Bool
)

// Register adds a format behind all others. It is for the start of a program and for
// tests: it panics if the list has been read already, or has the name.
func Register(d *format.Descriptor) {
	if inUse.Load() {
		panic("formats: Register after the formats were used")
	}
	if slices.ContainsFunc(registered, func(other *format.Descriptor) bool { return other.Name == d.Name }) {
		panic(fmt.Sprintf("formats: Register of a second %q", d.Name))
	}
	registered = append(registered, d)
}

// All returns the formats, the canonical one first. The caller must not change them.
func All() []*format.Descriptor {
	if !inUse.Load() {
		inUse.Store(true)
	}
	return registered
}

// Names returns the names of all formats, the canonical one first.
func Names() []format.Format {
	var names []format.Format
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// Named returns the descriptor of a format, and one that has nothing for a name that is not
// listed.
func Named(f format.Format) *format.Descriptor {
	for _, d := range All() {
		if d.Name == f {
			return d
		}
	}
	return &format.Descriptor{}
}

// Known reports whether a format is listed.
func Known(f format.Format) bool { return Named(f).Name != "" }

// maxFormats bounds what [Detect] keeps count of.
const maxFormats = 32

// A clue is a member whose name tells a format.
type clue struct {
	name   string
	format int   // its index in All
	weight int32 // memberWeight, and mark for one of its marks
}

// What a message has of a format is counted in one number: its members, and whether one of
// them is a mark.
const (
	mark         = 1
	memberWeight = 2
)

// clues returns the clues in a table by [slot], so that a name is compared with one or two.
var clues = sync.OnceValue(func() *[256][]clue {
	table := new([256][]clue)
	if len(All()) > maxFormats {
		panic(fmt.Sprintf("formats: more than %d formats", maxFormats))
	}
	for i, d := range All() {
		for _, name := range d.Marks {
			table[slot(name)] = append(table[slot(name)], clue{name, i, memberWeight | mark})
		}
		for _, name := range d.Members {
			table[slot(name)] = append(table[slot(name)], clue{name, i, memberWeight})
		}
	}
	return table
})

// slot returns the place of a name in a table.
func slot(name string) uint8 {
	if name == "" {
		return 0
	}
	return uint8(len(name)*31) ^ name[0]*3 ^ name[len(name)/2] ^ name[len(name)-1]*7
}

// Detect returns the format of a document: the one that most of its members are of, since
// any message may have some of another system. Of several, it is the first; one that
// carries another goes before it. It is false if the document is in no format that is
// listed.
func Detect(root jsonstream.Value) (format.Format, bool) {
	table := clues()
	var found [maxFormats]int32
	for name := range root.Members() {
		for _, c := range table[slot(name)] {
			if c.name == name {
				found[c.format] = (found[c.format] + c.weight&^mark) | c.weight&mark
			}
		}
	}
	best, most := format.Format(""), int32(0)
	for i, d := range All() {
		if found[i]&mark == 0 {
			continue
		}
		if n := found[i] &^ mark; n > most || n == most && d.Carries != "" && d.Carries == best {
			best, most = d.Name, n
		}
	}
	return best, best != ""
}
