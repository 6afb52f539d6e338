// Package phone checks telephone numbers against the metadata of libphonenumber: calling codes, and
// the forms of the numbers of each region.
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

// table has a sorted line for each region: its name, its calling code, the prefix of national calls
// (or -), and an expression for its numbers without the prefix. Package phone_test generates it
// from the Go port of libphonenumber and compares the two.
//
//go:embed phones.txt.gz
var table []byte

// A region is a line of the table.
type region struct {
	name, code, prefix string
	matches            func(digits string) bool
}

// numbering indexes the table by region and by calling code.
type numbering struct {
	byName map[string]*region
	byCode map[string][]*region
}

// plan parses the table on first use, and the expression of each region on its first use.
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

// International returns the region of a number that begins with its calling code, without the "+".
// It returns false if no region has such a number.
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

// National reports whether a region has a number, written as dialled within the region.
func National(name, digits string) bool {
	r := plan().byName[name]
	if r == nil {
		return false
	}
	if r.prefix != "" {
		if rest, ok := strings.CutPrefix(digits, r.prefix); ok && r.matches(rest) {
			return true
		}
		// Numbers without the prefix only if the prefix is optional.
		if r.prefix == "0" {
			return false
		}
	}
	return r.matches(digits)
}
