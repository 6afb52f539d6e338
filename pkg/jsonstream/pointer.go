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
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	tokens = strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		for j := 0; j < len(t); j++ {
			if t[j] == '~' && (j+1 == len(t) || t[j+1] != '0' && t[j+1] != '1') {
				return nil, false
			}
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens, true
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
	n, err := strconv.ParseUint(token, 10, 31)
	return int(n), err == nil || errors.Is(err, strconv.ErrRange)
}
