package sw4rm

import (
	"encoding/base64"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/base64text"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/gzipped"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Context holds the parts of a HandoffContext. An absent value means an empty array or
// object.
type Context struct {
	History   jsonstream.Value // an array
	ToolState jsonstream.Value // an object
	Metadata  jsonstream.Value // an object
	// Others are members that the document does not define. They are written after the
	// defined members.
	Others []jsonstream.Value
}

// contextMembers are the members of a context, all required, in the order of
// serialize_context.
var contextMembers = []struct {
	name  string
	kind  jsonstream.Kind
	empty string
}{
	{"conversation_history", jsonstream.Array, "[]"},
	{"tool_state", jsonstream.Object, "{}"},
	{"metadata", jsonstream.Object, "{}"},
}

// ReadContext is the document's deserialize_context: it returns the parts of a context, or a
// finding for each required member that is missing or of another type.
func ReadContext(root jsonstream.Value) (Context, []finding.Finding) {
	f := &finder{}
	if root.Kind() != jsonstream.Object {
		f.fail("sw4rm/context-type", root, "", "not a HandoffContext: expected an object, found "+finding.QuoteValue(root))
		return Context{}, f.inOrder()
	}
	f.contextMembers(root)
	if f.problems != nil {
		return Context{}, f.inOrder()
	}
	c := Context{History: root.Get("conversation_history"), ToolState: root.Get("tool_state"), Metadata: root.Get("metadata")}
	for name, v := range root.Members() {
		if name != c.History.Name() && name != c.ToolState.Name() && name != c.Metadata.Name() {
			c.Others = append(c.Others, v)
		}
	}
	return c, nil
}

// Serialize is the document's serialize_context: compact JSON in UTF-8, with the members in
// the order of the dataclass. Nested numbers keep their text and nested members their order;
// strings have only the escapes that JSON requires.
func (c Context) Serialize() []byte {
	text := []byte("{")
	for i, v := range []jsonstream.Value{c.History, c.ToolState, c.Metadata} {
		text = appendName(text, contextMembers[i].name)
		if v.Exists() {
			text = appendUTF8(text, v.Raw())
		} else {
			text = append(text, contextMembers[i].empty...)
		}
	}
	for _, v := range c.Others {
		text = appendUTF8(appendName(text, v.Name()), v.Raw())
	}
	return append(text, '}')
}

// appendName appends the name of a member to an unfinished object.
func appendName(dst []byte, name string) []byte {
	return append(appendString(jsonstream.AppendComma(dst), name), ':')
}

func appendString(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // AppendQuote replaces invalid UTF-8
	return dst
}

// appendUTF8 appends a strict JSON text compactly, with the fewest possible escapes.
func appendUTF8(dst, text []byte) []byte {
	dst, _ = jsontext.AppendFormat(dst, text, jsontext.AllowDuplicateNames(true)) // cannot fail: the text is strict JSON, without duplicate names
	return dst
}

// openSnapshot returns the context in a snapshot, which may be compressed with gzip, or an absent value
// for a request without one; encoded reports whether it is base64. On failure, rule is the rule that
// the snapshot violates.
func openSnapshot(v jsonstream.Value, limits jsonstream.Limits) (root jsonstream.Value, encoded bool, rule, problem string) {
	switch v.Kind() {
	case jsonstream.Absent, jsonstream.Null:
		return jsonstream.Value{}, false, "", ""
	case jsonstream.Object:
		return v, false, "", ""
	case jsonstream.String:
	default:
		return jsonstream.Value{}, false, "sw4rm/snapshot-encoding", fmt.Sprintf("expected base64 of a serialized context, or the context itself, found %s", finding.KindName(v.Kind()))
	}
	text, err := base64text.Decode(v.Text(), base64text.Canonical)
	if err != nil {
		return jsonstream.Value{}, true, "sw4rm/snapshot-encoding",
			fmt.Sprintf("not base64: %s; write the serialized context in the standard alphabet, with its padding and on one line", base64Fault(err))
	}
	if gzipped.Is(text) {
		if text, err = gzipped.Unpack(text, limits.MaxBytes); err != nil {
			return jsonstream.Value{}, true, "sw4rm/snapshot-json", "the content is not JSON: " + err.Error()
		}
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if err != nil {
		return jsonstream.Value{}, true, "sw4rm/snapshot-json", syntaxFault(err)
	}
	if kind := doc.Root().Kind(); kind != jsonstream.Object {
		return jsonstream.Value{}, true, "sw4rm/snapshot-json", fmt.Sprintf("the content is not a context: expected an object, found %s", finding.KindName(kind))
	}
	return doc.Root(), true, "", ""
}

func base64Fault(err error) string {
	if at, ok := err.(base64.CorruptInputError); ok {
		return fmt.Sprintf("invalid character at index %d", int64(at))
	}
	return err.Error()
}

func syntaxFault(err error) string {
	if e, ok := err.(*jsonstream.SyntaxError); ok {
		return fmt.Sprintf("the content is not JSON: line %d, column %d: %s", e.Line, e.Column, e.Problem)
	}
	return err.Error()
}

// Fill is the lenient from_dict of the SDK: it returns a context, or a request with the
// context in its snapshot, with an empty value for each missing member, and the JSON
// Pointers of these members. Existing members are unchanged. f is [format.SW4RMContext] or
// [format.SW4RMRequest]. A request whose snapshot cannot be opened is unchanged; reading it
// returns the error.
func Fill(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) (filled *jsonstream.Document, pointers []string, err error) {
	root, encoded, prefix := doc.Root(), false, ""
	if f == format.SW4RMRequest {
		root, encoded, _, _ = openSnapshot(doc.Root().Get(snapshotMember), limits)
		prefix = "/" + snapshotMember
	}
	if root.Kind() != jsonstream.Object {
		return doc, nil, nil
	}
	end := len(root.Raw()) - len("}")
	text := root.Raw()[:end:end] // so that append copies
	for _, m := range contextMembers {
		if root.Get(m.name).Exists() {
			continue
		}
		if root.Len() > 0 || len(pointers) > 0 {
			text = append(text, ',')
		}
		text = append(append(appendString(text, m.name), ':'), m.empty...)
		pointers = append(pointers, prefix+"/"+m.name)
	}
	if len(pointers) == 0 {
		return doc, nil, nil
	}
	text = append(text, '}')
	if f == format.SW4RMRequest {
		if encoded {
			text = gzipped.AppendBase64(nil, text, gzipped.IsBase64(doc.Root().Get(snapshotMember).Text()))
		}
		if text, err = jsonstream.Set(doc, prefix, text); err != nil {
			return nil, nil, err
		}
	}
	filled, err = jsonstream.Parse(jsonstream.Raw{Bytes: text, Start: doc.Raw().Start}, jsonstream.Unlimited())
	return filled, pointers, err
}
