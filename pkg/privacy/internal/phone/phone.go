// Package phone says whether digits are a telephone number, by the metadata of
// libphonenumber: which calling codes there are, and the forms of the numbers of each
// region.
package phone

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"regexp"
	"strings"
	"sync"
)

// table has a line for each region, sorted: its name, its calling code, the prefix of
// national calls (or -), and an expression for its numbers without that. Package
// phone_test writes it from the Go port of libphonenumber, and compares the two.
//
//go:embed phones.txt.gz
var table []byte

// A region is a line of the table.
type region struct {
	name, code, prefix string
	matches            func(digits string) bool
}

// numbering is the table, by the names of regions and by calling codes.
type numbering struct {
	byName map[string]*region
	byCode map[string][]*region
}

// plan is read on the first use, the expression of each region on the first use of that.
var plan = sync.OnceValue(func() *numbering {
	p := &numbering{map[string]*region{}, map[string][]*region{}}
	unpacked, err := gzip.NewReader(bytes.NewReader(table))
	if err != nil {
		panic(err) // the table is part of the program
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		r := &region{name: f[0], code: f[1], prefix: strings.TrimPrefix(f[2], "-")}
		expression := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + f[3] + ")$") })
		r.matches = func(digits string) bool { return expression().MatchString(digits) }
		p.byName[r.name] = r
		p.byCode[r.code] = append(p.byCode[r.code], r)
	}
	return p
})

// International returns the region of a number that begins with its calling code, without
// the "+"; false if no region has such a number.
func International(digits string) (region string, ok bool) {
	p := plan()
	for n := 1; n <= min(3, len(digits)); n++ {
		for _, r := range p.byCode[digits[:n]] {
			if r.matches(digits[n:]) {
				return r.name, true
			}
		}
	}
	return "", false
}

// National reports whether a region has a number, written as it is called from within the
// region.
func National(name, digits string) bool {
	r := plan().byName[name]
	if r == nil {
		return false
	}
	if r.prefix != "" {
		if rest, ok := strings.CutPrefix(digits, r.prefix); ok && r.matches(rest) {
			return true
		}
		// Without the prefix, only where nobody has to write it.
		if r.prefix == "0" {
			return false
		}
	}
	return r.matches(digits)
}
