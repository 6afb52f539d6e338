package jsonstream

import (
	"errors"
	"strconv"
	"strings"
)

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// AppendPointer appends a reference token, escaped, to a JSON Pointer (RFC 6901, section 3).
func AppendPointer(pointer, token string) string {
	return pointer + "/" + pointerEscaper.Replace(token)
}

// SplitPointer returns the unescaped reference tokens of a JSON Pointer. ok reports whether the pointer is
// valid: "" or tokens that each begin with "/", with "~" only in "~0" and "~1".
func SplitPointer(pointer string) (tokens []string, ok bool) {
	if !IsPointer(pointer) {
		return nil, false
	}
	for pointer != "" {
		var token string
		token, pointer = CutPointer(pointer)
		tokens = append(tokens, token)
	}
	return tokens, true
}

// IsPointer reports whether a JSON Pointer is valid; see [SplitPointer].
func IsPointer(pointer string) bool {
	if pointer != "" && pointer[0] != '/' {
		return false
	}
	for i := range len(pointer) {
		if pointer[i] == '~' && (i+1 == len(pointer) || pointer[i+1] != '0' && pointer[i+1] != '1') {
			return false
		}
	}
	return true
}

// CutPointer returns the first reference token, unescaped, of a valid JSON Pointer other than "", and the
// pointer after it. It allocates nothing unless the token has an escape.
func CutPointer(pointer string) (token, rest string) {
	token = pointer[1:]
	if i := strings.IndexByte(token, '/'); i >= 0 {
		token, rest = token[:i], token[i:]
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), rest
}

// Around returns the value at a JSON Pointer below v, as [Value.At] does, or the innermost existing value
// on the path to it.
func (v Value) Around(pointer string) Value {
	tokens, _ := SplitPointer(pointer)
	for _, token := range tokens {
		next := v.child(token)
		if !next.Exists() {
			break
		}
		v = next
	}
	return v
}

// ArrayIndex parses a reference token as an array index: digits without leading zeros (RFC 6901, section
// 4). An index above 2³¹-1, which no array has, is returned as 2³¹-1.
func ArrayIndex(token string) (index int, ok bool) {
	if token == "" || token[0] == '0' && token != "0" {
		return 0, false
	}
	for i := range len(token) { // ParseUint would return an error with a copy of the token
		if token[i] < '0' || token[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(token, 10, 31)
	return int(n), err == nil || errors.Is(err, strconv.ErrRange)
}
