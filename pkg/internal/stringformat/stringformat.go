// Package stringformat decides about the formats of JSON Schema (2020-12, validation, 7.3)
// for which a text has to be read by a grammar. Times and UUIDs, of which every message has
// some, are decided elsewhere.
//
// A "uri" follows RFC 3986 and an "iri" RFC 3987 to the letter. The labels of a "hostname"
// are those of RFC 1123: what an A-label such as xn--nw2a stands for is not examined, and an
// address in an "email" is of ASCII. "idn-hostname" and "idn-email" are not known.
package stringformat

import (
	"net/netip"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/pkg/internal/ecmascript"
)

// Lookup returns the function that reports whether a text has the format of a name, nil if
// the format is not known.
func Lookup(name string) func(text string) bool {
	switch name {
	case "duration":
		return duration.matches
	case "period":
		return isPeriod
	case "hostname":
		return isHostname
	case "email":
		return isEmail
	case "ipv4", "ip-address":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "uri":
		return uris.isAbsolute
	case "uri-reference", "uriref":
		return uris.isReference
	case "iri":
		return iris.isAbsolute
	case "iri-reference":
		return iris.isReference
	case "uri-template":
		return template.matches
	case "json-pointer":
		return pointer.matches
	case "relative-json-pointer":
		return relativePointer.matches
	case "regex":
		return func(text string) bool { return ecmascript.Check(text) == nil }
	}
	return nil
}

// A grammar is a regular expression, compiled when it is first needed.
type grammar struct {
	expr     string
	once     sync.Once
	compiled *ecmascript.Pattern
}

func (g *grammar) matches(text string) bool {
	g.once.Do(func() {
		var err error
		if g.compiled, err = ecmascript.Compile(g.expr); err != nil {
			panic(err) // the expression is ours
		}
	})
	matched, err := g.compiled.Match([]byte(text))
	return matched && err == nil
}

const (
	// RFC 3339, appendix A.
	dateUnits = `(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)`
	timeUnits = `T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`
	// RFC 1123, section 2.1.
	label = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
	// RFC 5321, section 4.1.2.
	atom   = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
	quoted = `"(?:[ !#-\[\]-~]|\\[ -~])*"`
	// RFC 6901, section 3.
	steps = `(?:/(?:[^/~]|~[01])*)*`
	// RFC 6570, section 2; by an erratum, an apostrophe is a literal.
	percent   = `%[0-9A-Fa-f]{2}`
	literal   = `[!#$&-;=?-\[\]_a-z~\u{a0}-\u{d7ff}\u{e000}-\u{fdcf}\u{fdf0}-\u{ffef}\u{10000}-\u{10fffd}]`
	character = `(?:\w|` + percent + `)`
	variable  = character + `(?:\.?` + character + `)*(?::[1-9]\d{0,3}|\*)?`
)

var (
	duration        = grammar{expr: `^P(?:` + dateUnits + `(?:` + timeUnits + `)?|` + timeUnits + `|\d+W)$`}
	hostname        = grammar{expr: `^` + label + `(?:\.` + label + `)*$`}
	mailbox         = grammar{expr: `^(?:` + atom + `(?:\.` + atom + `)*|` + quoted + `)$`}
	pointer         = grammar{expr: `^` + steps + `$`}
	relativePointer = grammar{expr: `^(?:0|[1-9]\d*)(?:#|` + steps + `)$`}
	template        = grammar{expr: `^(?:` + literal + `|` + percent + `|\{[+#./;?&=,!@|]?` + variable + `(?:,` + variable + `)*\})*$`}
)

func isPeriod(text string) bool {
	start, end, ok := strings.Cut(text, "/")
	switch {
	case !ok:
		return false
	case rfc3339.IsDateTime(start):
		return rfc3339.IsDateTime(end) || duration.matches(end)
	default:
		return duration.matches(start) && rfc3339.IsDateTime(end)
	}
}

func isHostname(text string) bool { return len(text) <= 253 && hostname.matches(text) }

func isEmail(text string) bool {
	at := strings.LastIndexByte(text, '@')
	if at < 0 || at > 64 || len(text) > 254 || !mailbox.matches(text[:at]) {
		return false
	}
	domain := text[at+1:]
	if address, ok := strings.CutPrefix(domain, "["); ok {
		address, ok = strings.CutSuffix(address, "]")
		if v6, is6 := strings.CutPrefix(address, "IPv6:"); is6 {
			return ok && isIPv6(v6)
		}
		return ok && isIPv4(address)
	}
	return isHostname(domain)
}

func isIPv4(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is4()
}

func isIPv6(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6() && address.Zone() == ""
}
