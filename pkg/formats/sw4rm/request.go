package sw4rm

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/gzipped"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Request is a parsed HandoffRequest. It is immutable and safe for concurrent use.
type Request struct {
	ID       string // request_id of the wire service, "" if absent
	From, To string // To is "" if a router is to select the agent
	// Capabilities are the distinct required capabilities, in the request's order.
	Capabilities []string
	// Context is the context in the snapshot, absent if there is none. Its positions refer
	// to the request, or to the decoded snapshot.
	Context jsonstream.Value

	doc *jsonstream.Document
}

// ReadRequest reads the members of a HandoffRequest that are needed to answer it, and the
// context in its snapshot, which deserialize_context must be able to read. An inline object
// in place of the snapshot's base64 is accepted; an absent or null to_agent is read as "".
// limits bounds the snapshot.
func ReadRequest(doc *jsonstream.Document, limits jsonstream.Limits) (*Request, []finding.Finding) {
	f := &finder{}
	root := doc.Root()
	if root.Kind() != jsonstream.Object {
		f.fail("", root, "", fmt.Sprintf("not a HandoffRequest: expected an object, found %s", finding.KindName(root.Kind())))
		return nil, f.inOrder()
	}
	r := &Request{doc: doc, From: f.text(root, "from_agent", true), To: f.text(root, "to_agent", false), ID: f.text(root, "request_id", false)}
	f.text(root, "reason", true)
	r.Capabilities = f.names(root, "capabilities_required", false)
	var encoded bool
	var rule, problem string
	snapshot := root.Get(snapshotMember)
	if r.Context, encoded, rule, problem = openSnapshot(snapshot, limits); rule != "" {
		f.fail(rule, snapshot, "", problem)
	} else if r.Context.Exists() {
		f.enter(snapshot, encoded)
		f.contextMembers(r.Context)
	}
	if f.problems != nil {
		return nil, f.inOrder()
	}
	return r, nil
}

// WithTarget returns the text of the request with another to_agent and all other bytes
// unchanged.
func (r *Request) WithTarget(agent string) ([]byte, error) {
	return jsonstream.Set(r.doc, "/to_agent", appendString(nil, agent))
}

// A Draft is a HandoffRequest to be written. The zero value corresponds to the dataclass's
// defaults.
type Draft struct {
	From, To, Reason string
	Context          *Context // nil for none
	// DropHistory writes preserve_history as false, and the snapshot without its
	// conversation history.
	DropHistory bool
	// Gzip compresses the snapshot, which the document recommends above 100 KB. The
	// document's deserialize_context cannot read it.
	Gzip         bool
	Capabilities []string
	Metadata     jsonstream.Value // an object; absent for an empty one

	// Members of the wire service, omitted if empty.
	ID       string
	Priority *int32
	Timeout  time.Duration
}

// Append appends the request as compact JSON: the members in the order of the dataclass,
// then the members of the wire service, with the snapshot in base64.
func (d Draft) Append(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(appendName(dst, "from_agent"), d.From)
	dst = appendString(appendName(dst, "to_agent"), d.To)
	dst = appendString(appendName(dst, "reason"), d.Reason)
	dst = appendName(dst, snapshotMember)
	if d.Context == nil {
		dst = append(dst, "null"...)
	} else {
		c := *d.Context
		if d.DropHistory {
			c.History = jsonstream.Value{}
		}
		dst = gzipped.AppendBase64(dst, c.Serialize(), d.Gzip)
	}
	dst = strconv.AppendBool(appendName(dst, "preserve_history"), !d.DropHistory)
	dst = append(appendName(dst, "capabilities_required"), '[')
	for _, name := range d.Capabilities {
		dst = appendString(jsonstream.AppendComma(dst), name)
	}
	dst = appendName(append(dst, ']'), "metadata")
	if d.Metadata.Exists() {
		dst = appendUTF8(dst, d.Metadata.Raw())
	} else {
		dst = append(dst, "{}"...)
	}
	if d.ID != "" {
		dst = appendString(appendName(dst, "request_id"), d.ID)
	}
	if d.Priority != nil {
		dst = strconv.AppendInt(appendName(dst, "priority"), int64(*d.Priority), 10)
	}
	if d.Timeout != 0 {
		dst = appendString(appendName(dst, "timeout"), seconds(d.Timeout))
	}
	return append(dst, '}')
}

// seconds returns a duration in the JSON form of protobuf.
func seconds(d time.Duration) string {
	text := strconv.FormatInt(int64(d/time.Second), 10)
	if rest := d % time.Second; rest != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%09d", int64(rest)), "0")
	}
	return text + "s"
}
