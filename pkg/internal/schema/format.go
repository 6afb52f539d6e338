package schema

import (
	"github.com/eaapl/handoff/internal/iso8601"
	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/pkg/internal/stringformat"
)

// A format checks texts. One of the two functions is set.
type format struct {
	// fast reads bytes.
	fast func(text []byte) bool
	// slow reads a string and may take long.
	slow func(text string) bool
	id   int // number of the slow format
}

// fastFormat returns a function that checks a format in bytes, if every message has values of the
// format; otherwise nil.
func fastFormat(name string) func(text []byte) bool {
	switch name {
	case "date-time":
		return rfc3339.IsDateTime[[]byte]
	case "iso8601-date-time":
		return iso8601.IsDateTime[[]byte]
	case "date":
		return rfc3339.IsDate[[]byte]
	case "time":
		return rfc3339.IsTime[[]byte]
	case "uuid":
		return isUUID
	default:
		return nil
	}
}

// newFormat returns the format with a name, nil if unknown.
func newFormat(name string, o Options) *format {
	if fast := fastFormat(name); fast != nil {
		return &format{fast: fast}
	}
	if slow := o.Formats[name]; slow != nil {
		return &format{slow: slow}
	}
	if slow := stringformat.Lookup(name); slow != nil {
		return &format{slow: slow}
	}
	return nil
}

const (
	maxRemembered      = 1024 // texts
	maxRememberedBytes = 256  // bytes per text
)

func (f *format) has(text string) bool {
	if f.fast != nil {
		return f.fast([]byte(text))
	}
	return f.slow(text)
}

// holds reports whether the text has the format. The run caches recent valid texts, since the same
// few recur in every message.
func (f *format) holds(r *Run, text []byte) bool {
	if f.fast != nil {
		return f.fast(text)
	}
	known := r.known[f.id]
	if known[string(text)] {
		return true
	}
	if !f.slow(string(text)) {
		return false
	}
	if len(text) > maxRememberedBytes {
		return true
	}
	if known == nil {
		known = map[string]bool{}
		r.known[f.id] = known
	}
	if len(known) >= maxRemembered {
		clear(known)
	}
	known[string(text)] = true
	return true
}

func isUUID(s []byte) bool {
	if len(s) != len("00000000-0000-0000-0000-000000000000") {
		return false
	}
	for i, c := range s {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if c-'0' > 9 && c|0x20-'a' > 5 {
				return false
			}
		}
	}
	return true
}
