package transport

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Header is a member of a message other than its body, as text: for transports that carry names
// and values beside a body.
type Header struct{ Name, Value string }

// The names of headers, taken from RFC 9110, the draft of Idempotency-Key and W3C Trace Context
// where these define one.
const (
	idHeader           = "Handoff-Message-Id"
	keyHeader          = "Idempotency-Key"
	groupHeader        = "Handoff-Group"
	kindHeader         = "Handoff-Kind"
	traceparentHeader  = "Traceparent"
	dispatchedAtHeader = "Handoff-Dispatched-At"
	attemptHeader      = "Handoff-Attempt"
	replyToHeader      = "Handoff-Reply-To"
	outcomeHeader      = "Handoff-Outcome"
	encodingHeader     = "Content-Encoding"
	claimHeader        = "Handoff-Claim"
)

// maxHeader is the maximum length of a value in bytes; longer ones are ignored.
const maxHeader = 1024

// Headers returns the headers of a message; empty members are omitted. Values are printable ASCII:
// other bytes and "%" are percent-encoded (RFC 3986). Times are RFC 3339, in UTC.
func (m *Message) Headers() []Header {
	list := make([]Header, 0, 11)
	add := func(name, value string) {
		if value != "" {
			list = append(list, Header{name, escape(value)})
		}
	}
	add(idHeader, m.ID)
	add(keyHeader, m.Key)
	add(groupHeader, m.Group)
	add(kindHeader, string(m.Kind))
	add(traceparentHeader, m.Traceparent)
	if !m.DispatchedAt.IsZero() {
		add(dispatchedAtHeader, m.DispatchedAt.UTC().Format(time.RFC3339Nano))
	}
	if m.Attempt > 0 {
		add(attemptHeader, strconv.Itoa(m.Attempt))
	}
	add(replyToHeader, m.ReplyTo)
	add(outcomeHeader, string(m.Outcome))
	add(encodingHeader, m.Encoding)
	add(claimHeader, m.Claim)
	return list
}

// SetHeader sets the member for a header, whose name is case-insensitive. It ignores unknown headers
// and invalid values, since headers are not authenticated.
func (m *Message) SetHeader(name, value string) {
	value, err := url.PathUnescape(value)
	if err != nil || len(value) > maxHeader {
		return
	}
	switch {
	case strings.EqualFold(name, idHeader):
		m.ID = value
	case strings.EqualFold(name, keyHeader):
		m.Key = value
	case strings.EqualFold(name, groupHeader):
		m.Group = value
	case strings.EqualFold(name, kindHeader):
		m.Kind = Kind(value)
	case strings.EqualFold(name, traceparentHeader):
		m.Traceparent = value
	case strings.EqualFold(name, dispatchedAtHeader):
		if t, err := time.Parse(time.RFC3339Nano, value); err == nil {
			m.DispatchedAt = t.UTC()
		}
	case strings.EqualFold(name, attemptHeader):
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			m.Attempt = n
		}
	case strings.EqualFold(name, replyToHeader):
		if IsName(value) {
			m.ReplyTo = value
		}
	case strings.EqualFold(name, outcomeHeader):
		m.Outcome = Outcome(value)
	case strings.EqualFold(name, encodingHeader):
		m.Encoding = value
	case strings.EqualFold(name, claimHeader):
		if digest, err := hex.DecodeString(value); err == nil && len(digest) == 32 {
			m.Claim = value
		}
	}
}

// escape percent-encodes spaces and bytes other than printable ASCII.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c > ' ' && c <= '~' && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
