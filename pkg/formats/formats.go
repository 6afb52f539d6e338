// Package formats lists the message formats and detects the format of a document.
//
// Each format is a package that provides one [format.Descriptor] for each kind of message
// and has an entry in the list here. Packages that handle messages of any format look up
// descriptors here.
package formats

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/a2a"
	"github.com/eaapl/handoff/pkg/formats/agentframework"
	"github.com/eaapl/handoff/pkg/formats/aisdk"
	"github.com/eaapl/handoff/pkg/formats/anthropic"
	"github.com/eaapl/handoff/pkg/formats/bedrock"
	"github.com/eaapl/handoff/pkg/formats/claudecode"
	"github.com/eaapl/handoff/pkg/formats/codex"
	"github.com/eaapl/handoff/pkg/formats/copilotcli"
	"github.com/eaapl/handoff/pkg/formats/eaapl"
	"github.com/eaapl/handoff/pkg/formats/gemini"
	"github.com/eaapl/handoff/pkg/formats/geminicli"
	"github.com/eaapl/handoff/pkg/formats/langchain"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/formats/openaichat"
	"github.com/eaapl/handoff/pkg/formats/opencode"
	"github.com/eaapl/handoff/pkg/formats/pydanticai"
	"github.com/eaapl/handoff/pkg/formats/responses"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// registered are the formats in order of listing and preference. It does not change once
// inUse is set.
var (
	registered = []*format.Descriptor{&eaapl.Message, &sw4rm.ContextFormat, &sw4rm.RequestFormat, &sw4rm.ResponseFormat, &macp.Format, &openai.Format, &openai.JavaScriptFormat,
		&openaichat.Format, &responses.Format, &anthropic.Format, &langchain.Format, &aisdk.Format, &gemini.Format, &bedrock.Format, &a2a.Format,
		&pydanticai.Format, &agentframework.Format,
		&claudecode.Format, &codex.Format, &geminicli.Format, &opencode.Format, &copilotcli.Format}
	inUse atomic.Bool
)

// Register adds a format after all others. Call it at program start or in tests: it panics
// if the list has been read already, or contains the name.
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

// Named returns the descriptor of a format, or an empty one if the name is not listed.
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

// maxFormats is the maximum number of formats that [Detect] counts.
const maxFormats = 32

// A clue is a member whose name indicates a format.
type clue struct {
	name   string
	format int   // its index in All
	weight int32 // memberWeight, plus mark if the member is a mark
}

// A message's members of each format are counted in one number, with a bit for the presence
// of a mark.
const (
	mark         = 1
	memberWeight = 2
)

// clues returns the clues in a table indexed by [slot], so that a name is compared with only
// one or two of them.
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

// slot returns the index of a name in the table.
func slot(name string) uint8 {
	if name == "" {
		return 0
	}
	return uint8(len(name)*31) ^ name[0]*3 ^ name[len(name)/2] ^ name[len(name)-1]*7
}

// Detect returns the format with the most members in the document, since any message may
// have members of another system. If several formats have equally many, a format that
// carries another one precedes the others, and otherwise the first wins. A document without
// any mark is in the format of its list's elements: see [Examine]. Detect returns false if
// the document is in no known format.
func Detect(root jsonstream.Value) (format.Format, bool) {
	found := count(root)
	best, most := format.Format(""), int32(0)
	for i, d := range All() {
		if found[i]&mark == 0 {
			continue
		}
		if n := found[i] &^ mark; n > most || n == most && d.Carries != "" && d.Carries == best {
			best, most = d.Name, n
		}
	}
	if best != All()[0].Name && inSnakeCase(root, int(most/memberWeight)) {
		return "", false
	}
	if most == memberWeight && isRejected(root) { // which has the handoffId of the message in it
		return "", false
	}
	if best == "" && (root.Kind() == jsonstream.Array || root.Kind() == jsonstream.Object) {
		if best = narrowest(root, &found).Format; best != "" && frameworkOf(root) != "" { // which shares a format's roles, not its contents
			return "", false
		}
	}
	return best, best != ""
}

// count counts the members that belong to each format.
func count(root jsonstream.Value) (found [maxFormats]int32) {
	table := clues()
	for name := range root.Members() {
		for _, c := range table[slot(name)] {
			if c.name == name {
				found[c.format] = (found[c.format] + c.weight&^mark) | c.weight&mark
			}
		}
	}
	return found
}
