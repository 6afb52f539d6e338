// Package semver reads versions (Semantic Versioning 2.0.0) and ranges of them, in the syntax of npm and Helm.
// Unlike github.com/Masterminds/semver/v3, with which its tests compare it, it compiles no expressions when a
// program starts.
package semver

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Version is a semantic version. Build metadata is ignored.
type Version struct {
	Major, Minor, Patch uint64
	// Pre is the pre-release: dot-separated identifiers, "" for a release.
	Pre string
}

// maxVersion is the maximum length of a version, in bytes.
const maxVersion = 256

// ErrVersion reports a text that is not a version.
var ErrVersion = errors.New("not a semantic version, such as 1.5.0")

// Parse parses a version with exactly three numbers. The error is [ErrVersion].
func Parse(text string) (Version, error) {
	p, ok := parsePartial(text)
	if !ok || p.numbers < 3 || text[0] == 'v' || p.padded || p.any {
		return Version{}, ErrVersion
	}
	return p.Version, nil
}

// ParsePartial parses a version that may lack its last numbers, which are then 0, and may begin with v. The error
// is [ErrVersion].
func ParsePartial(text string) (Version, error) {
	p, ok := parsePartial(text)
	if !ok || p.any {
		return Version{}, ErrVersion
	}
	return p.Version, nil
}

// Compare compares the precedence of versions (section 11).
func (v Version) Compare(other Version) int {
	if order := cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Minor, other.Minor), cmp.Compare(v.Patch, other.Patch)); order != 0 {
		return order
	}
	return comparePre(v.Pre, other.Pre)
}

func comparePre(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	for a != "" && b != "" {
		var one, other string
		one, a, _ = strings.Cut(a, ".")
		other, b, _ = strings.Cut(b, ".")
		if order := compareIdentifiers(one, other); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(a), len(b)) // the longer list is higher
}

// compareIdentifiers compares numbers by value, and other identifiers by their bytes, after all numbers.
func compareIdentifiers(a, b string) int {
	switch {
	case isNumber(a) && isNumber(b):
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	case isNumber(a):
		return -1
	case isNumber(b):
		return 1
	}
	return strings.Compare(a, b)
}

// String returns the version without build metadata.
func (v Version) String() string {
	text := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Pre != "" {
		text += "-" + v.Pre
	}
	return text
}

// A partial is a version, some of whose last numbers may be missing.
type partial struct {
	Version
	numbers int  // before the first missing one or wildcard
	any     bool // it has a wildcard: x, X or *
	padded  bool // a number has leading zeros
}

func parsePartial(text string) (p partial, ok bool) {
	if len(text) > maxVersion {
		return partial{}, false
	}
	text = strings.TrimPrefix(text, "v")
	text, metadata, hasMetadata := strings.Cut(text, "+")
	text, p.Pre, ok = strings.Cut(text, "-")
	if ok && !areIdentifiers(p.Pre, true) || hasMetadata && !areIdentifiers(metadata, false) {
		return partial{}, false
	}
	numbers := strings.Split(text, ".")
	if len(numbers) > 3 {
		return partial{}, false
	}
	var values [3]uint64
	for i, n := range numbers {
		if n == "x" || n == "X" || n == "*" {
			p.any = true
			continue
		}
		value, err := strconv.ParseUint(n, 10, 64)
		if err != nil || !isNumber(n) {
			return partial{}, false
		}
		p.padded = p.padded || len(n) > 1 && n[0] == '0'
		if !p.any {
			values[i] = value
			p.numbers++
		}
	}
	p.Major, p.Minor, p.Patch = values[0], values[1], values[2]
	return p, true
}

func areIdentifiers(text string, pre bool) bool {
	for id := range strings.SplitSeq(text, ".") {
		if id == "" || strings.ContainsFunc(id, func(c rune) bool { return !isIdentifier(c) }) ||
			pre && len(id) > 1 && id[0] == '0' && isNumber(id) {
			return false
		}
	}
	return true
}

func isIdentifier(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-'
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
