package validate

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// unknownFormat is the rule about a document without a member of any format.
const unknownFormat = "unknown-format"

// isUnknown reports whether a document has no member of any format and its format was to be detected among
// several, or whether it is a message in another representation. No schema describes the faults of such a
// document. An empty object is an unfinished canonical message, as is an object with a member whose name is
// close to a canonical one.
func isUnknown(root jsonstream.Value, o Options) bool {
	if s, ok := formats.StrangerOf(root); ok && s.Message {
		return true
	}
	if len(o.Formats) < 2 || root.Kind() != jsonstream.Array && root.Kind() != jsonstream.Object {
		return false
	}
	canonical := formats.Named(format.EAAPL)
	for _, mark := range canonical.Marks {
		if root.Get(mark).Exists() {
			return false
		}
	}
	for name := range root.Members() {
		isName := func(known string) bool { return name == known || nearest.Is(name, known) }
		if slices.ContainsFunc(canonical.Members, isName) || slices.ContainsFunc(canonical.Marks, isName) {
			return false
		}
	}
	_, ok := formats.Detect(root)
	return !ok && (root.Kind() == jsonstream.Array || root.Len() > 0)
}

// refusedFormat returns the format of a document of another system that the options do not permit, "" for all
// other documents. The members that it lacks as a canonical message are not its fault.
func refusedFormat(root jsonstream.Value, o Options) format.Format {
	f, ok := formats.Detect(root)
	isMark := func(mark string) bool { return root.Get(mark).Exists() }
	if !ok || slices.Contains(o.Formats, f) || slices.ContainsFunc(formats.Named(format.EAAPL).Marks, isMark) {
		return ""
	}
	return f
}

// refusedDocument returns the finding for a document of a format that is not permitted.
func refusedDocument(root jsonstream.Value, f format.Format) finding.Finding {
	return schemaFinding(unknownFormat, fmt.Sprintf("the document is not a canonical message: found the format %s (%s): convert it with handoff convert", f, formats.Named(f).Kind)).On(root)
}

// unknownDocument returns the finding for a document of no format, with a guess at its origin.
func unknownDocument(root jsonstream.Value) finding.Finding {
	problem := "the document has no supported format: found " + formats.Outline(root)
	if s, ok := formats.StrangerOf(root); ok {
		return schemaFinding(unknownFormat, problem+", "+s.Is).On(root)
	}
	return schemaFinding(unknownFormat, problem+"; name the format if it has one of them").On(root)
}
