package jsonstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/internal/misread"
)

var (
	// ErrTooLarge reports a document longer than [Limits].MaxBytes.
	ErrTooLarge = errors.New("document too large")
	// ErrTooDeep reports a document nested deeper than [Limits].MaxDepth.
	ErrTooDeep = errors.New("document nested too deeply")
	// ErrDuplicateName reports an object with two members of the same name.
	ErrDuplicateName = errors.New("duplicate member name")
)

// A SyntaxError reports a document that is not strict JSON or exceeds a limit. Its text is for people and
// omits the position.
type SyntaxError struct {
	Position        // of the fault, in the original text
	Pointer  string // JSON Pointer to the innermost value that holds the fault, "" for the root
	Problem  string // the fault, the text found, and the remedy
	Err      error  // ErrTooLarge, ErrTooDeep, ErrDuplicateName, io.ErrUnexpectedEOF, a [*CutError], or nil
}

func (e *SyntaxError) Error() string { return e.Problem }

func (e *SyntaxError) Unwrap() error { return e.Err }

// syntaxError converts an error of package jsontext about raw.
func syntaxError(raw Raw, err error) *SyntaxError {
	e := &SyntaxError{Problem: err.Error()}
	offset := len(bytes.TrimRight(raw.Bytes, " \t\r\n"))
	var cause *jsontext.SyntacticError
	switch {
	case errors.As(err, &cause):
		offset = wordStart(raw.Bytes, min(int(cause.ByteOffset), offset), cause.Err)
		e.Pointer = string(cause.JSONPointer)
		e.Problem, e.Err = syntaxProblem(raw.Bytes, offset, cause)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Problem, e.Err = endProblem, io.ErrUnexpectedEOF
	}
	e.Position = positionAt(raw, offset)
	return e
}

// nameCause replaces the error if raw is recognisably not a JSON text.
func (e *SyntaxError) nameCause(raw Raw) {
	offset := int(e.Offset - raw.Start.Offset)
	if e.Err != nil || offset == len(raw.Bytes) {
		return
	}
	if problem, at := misread.Cause(raw.Bytes, offset, quotePiece); problem != "" {
		e.Position, e.Problem = positionAt(raw, at), problem
		if at != offset {
			e.Pointer = "" // the whole text is not JSON
		}
	}
}

// wordStart returns the beginning of the literal or number around an offset.
func wordStart(text []byte, offset int, cause error) int {
	inString := strings.Contains(cause.Error(), "string") || strings.Contains(cause.Error(), "UTF-8") || errors.Is(cause, jsontext.ErrDuplicateName)
	if inString || strings.Contains(cause.Error(), "start of value") {
		return offset
	}
	for offset > 0 && offset < len(text) && isScalar(text[offset-1]) {
		offset--
	}
	return offset
}

// maxName is the maximum length of a quoted name in an error, in characters.
const maxName = 60

const endProblem = "the document is incomplete: a bracket, brace or quote is not closed; it may have been cut off"

// syntaxProblem describes common mistakes and their remedies.
func syntaxProblem(text []byte, offset int, cause *jsontext.SyntacticError) (string, error) {
	if errors.Is(cause.Err, jsontext.ErrDuplicateName) {
		name := cause.JSONPointer.LastToken()
		if len(secrets.Find(name)) > 0 {
			return "a member name that looks like a secret appears twice in one object: keep one of them", ErrDuplicateName
		}
		if runes := []rune(name); len(runes) > maxName {
			name = string(runes[:maxName-1]) + "…"
		}
		return fmt.Sprintf("member name %q appears twice in one object: keep one of them", name), ErrDuplicateName
	}
	if errors.Is(cause.Err, io.ErrUnexpectedEOF) || offset >= len(text) {
		return endProblem, io.ErrUnexpectedEOF
	}
	if errors.Is(cause.Err, jsontext.ErrNonStringName) {
		return fmt.Sprintf("expected a member name in double quotes, found %s", quoteAt(text, offset)), nil
	}
	reason := cause.Err.Error()
	rest := text[offset:]
	switch found := quoteAt(text, offset); {
	case strings.Contains(reason, "invalid UTF-8"):
		return fmt.Sprintf("invalid UTF-8 (byte 0x%02x): write the text in UTF-8", rest[0]), nil
	case strings.Contains(reason, "surrogate"):
		return "a lone surrogate escape such as \\ud800 is not a character: write the pair, or the character itself", nil
	case rest[0] == '\n' || rest[0] == '\r':
		return "the string is not closed before the end of its line", nil
	case rest[0] < 0x20 && strings.Contains(reason, "string"):
		return fmt.Sprintf("control character 0x%02x inside a string: escape it, or close the string before it", rest[0]), nil
	case hasPrefixFold(rest, "NaN"), hasPrefixFold(rest, "Infinity"), hasPrefixFold(rest, "-Infinity"):
		return fmt.Sprintf("found %s: JSON has no such number; write null or leave the member out", found), nil
	case rest[0] == '\'':
		return "found a single quote: JSON strings and names are in double quotes", nil
	case rest[0] == '/' || rest[0] == '#':
		return fmt.Sprintf("found %s: JSON has no comments; remove them", found), nil
	case rest[0] == ',' && closes(rest[1:]):
		return "found a comma before a closing bracket: JSON allows no trailing comma; remove it", nil
	case len(rest) > 1 && rest[0] == '0' && rest[1] >= '0' && rest[1] <= '9':
		return fmt.Sprintf("not a JSON number: found %s", found), nil
	case strings.Contains(reason, "after object value"):
		return fmt.Sprintf("expected a comma or '}' after this object's member, found %s", found), nil
	case strings.Contains(reason, "after array element"):
		return fmt.Sprintf("expected a comma or ']' after this array's element, found %s", found), nil
	case strings.Contains(reason, "missing value"):
		return fmt.Sprintf("expected a value, found %s", found), nil
	case strings.Contains(reason, "after object name"):
		return fmt.Sprintf("expected ':' after the member name, found %s", found), nil
	case bytes.HasSuffix(bytes.TrimRight(text[:offset], " \t\r\n"), []byte("{")):
		return fmt.Sprintf("expected a member name in double quotes, found %s", found), nil
	case strings.Contains(reason, "at start of value"):
		return fmt.Sprintf("expected a value, found %s", found), nil
	case strings.Contains(reason, "number"):
		return fmt.Sprintf("not a JSON number: found %s", found), nil
	case strings.Contains(reason, "escape"):
		return fmt.Sprintf("invalid escape in a string: found %s", found), nil
	default:
		return fmt.Sprintf("not JSON: found %s", found), nil
	}
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}

// closes reports whether the next token of b is a closing bracket.
func closes(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && (b[0] == '}' || b[0] == ']')
}

// quoteAt returns the word or character at an offset, quoted and shortened. Package finding has its own
// quoting, but imports this package.
func quoteAt(text []byte, offset int) string {
	const maxShown, maxSearched = 20, 4 << 10
	end := offset
	for end < len(text) && end-offset < maxSearched && !isSpace(text[end]) && strings.IndexByte(",:{}[]", text[end]) < 0 {
		end++
	}
	return quote(text[offset:max(end, offset+1)], maxShown)
}

// quotePiece quotes a line of a text that is not JSON, such as a log.
func quotePiece(piece []byte) string {
	const maxShown = 60
	if len(secrets.FindAssigned(string(piece))) > 0 {
		return secretFound
	}
	return quote(piece, maxShown)
}

const secretFound = "a text that looks like a secret"

// quote quotes a piece of text, cut to a number of bytes.
func quote(piece []byte, maxShown int) string {
	text := string(piece)
	if len(secrets.Find(text)) > 0 {
		return secretFound
	}
	if len(text) <= maxShown {
		return strconv.QuoteToGraphic(text)
	}
	for maxShown > 0 && !utf8.RuneStart(text[maxShown]) {
		maxShown--
	}
	return strconv.QuoteToGraphic(text[:maxShown] + "…")
}
