// Package term formats text for people: visible, within the width of their terminal, and coloured if they
// want.
package term

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/eaapl/handoff/internal/secrets"
)

// Visible returns text that is safe to show on a terminal. Control characters, escape sequences, direction
// overrides and invisible characters become Go escapes, so that no message can control the terminal or hide a
// part. Credentials are removed.
func Visible(s string) string { return visible(WithoutSecrets(s)) }

// visible is [Visible] for text without credentials.
func visible(s string) string {
	if isPlain(s) || strings.IndexFunc(s, IsHidden) < 0 && utf8.ValidString(s) {
		return s
	}
	return Escape(s, IsHidden)
}

// hiddenSecret replaces a credential.
const hiddenSecret = "[secret]"

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// WithoutSecrets returns a text with its credentials replaced.
func WithoutSecrets(s string) string {
	if strings.Contains(s, "~1") { // a slash in a JSON Pointer
		tokens := strings.Split(s, "/")
		for i, token := range tokens {
			if len(secrets.Find(unescaper.Replace(token))) > 0 {
				tokens[i] = hiddenSecret
			}
		}
		s = strings.Join(tokens, "/")
	}
	found := secrets.Find(s)
	if found == nil {
		return s
	}
	var b strings.Builder
	from := 0
	for _, secret := range found {
		if secret.Offset >= from { // credentials may overlap
			b.WriteString(s[from:secret.Offset] + hiddenSecret)
		}
		from = max(from, secret.Offset+secret.Length)
	}
	b.WriteString(s[from:])
	return b.String()
}

// isPlain reports whether a text has only printable ASCII characters, each of which takes one column.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i]-' ' > '~'-' ' {
			return false
		}
	}
	return true
}

// Escape replaces the chosen characters, and bytes that are not UTF-8, by Go escapes.
func Escape(s string, chosen func(rune) bool) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case chosen(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Looks returns a form that is equal for texts that look the same on a screen although their spaces or
// joiners differ.
func Looks(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Zs, r):
			return ' '
		case isJoiner(r):
			return -1
		default:
			return r
		}
	}, Visible(s))
}

// isJoiner reports whether a character has no form of its own but changes the form of others, in scripts and
// emoji that need it.
func isJoiner(r rune) bool {
	return r == '\u200c' || r == '\u200d' || r >= '\ufe00' && r <= '\ufe0f' || r >= '\u180b' && r <= '\u180d' || r == '\u180f'
}

// IsHidden reports whether a character is invisible or affects a terminal. Joiners of scripts and emoji are
// not hidden.
func IsHidden(r rune) bool {
	switch {
	case r >= 0x20 && r < 0x7f:
		return false
	case isJoiner(r):
		return false
	default:
		return !unicode.IsGraphic(r) || isBlank(r)
	}
}

// isBlank reports whether a character is graphic by its category but invisible: the characters that Unicode
// allows to ignore in display (Default_Ignorable_Code_Point), and the Braille pattern without dots.
func isBlank(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

// BytesPerColumn limits the part of a text to examine: it is more than any language needs, and bounds texts
// of characters without width.
const BytesPerColumn = 16

// bounded returns the part of s that can affect the columns, without credentials, and whether that is all of
// it.
func bounded(s string, columns int) (part string, whole bool) {
	const maxSearched = 32 << 10 // for credentials, which may extend beyond the part
	limit := max(columns, 0) * BytesPerColumn
	s, all := prefix(s, max(limit, maxSearched))
	s, whole = prefix(WithoutSecrets(s), limit)
	return s, all && whole
}

// prefix returns the characters of s that fit limit bytes, and whether that is all of it.
func prefix(s string, limit int) (part string, whole bool) {
	if len(s) <= limit {
		return s, true
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit], false
}

// Cut returns the beginning of s that fits the columns, as visible text, and whether that is all of it.
func Cut(s string, columns int) (head string, whole bool) {
	s, all := bounded(s, columns)
	head, whole = cut(visible(s), columns)
	return head, all && whole
}

// cut is [Cut] for visible text.
func cut(s string, columns int) (head string, whole bool) {
	if isPlain(s) {
		most := min(max(columns, 0), len(s))
		return s[:most], most == len(s)
	}
	rest, state := s, -1
	for rest != "" {
		_, after, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if w > columns {
			return s[:len(s)-len(rest)], false
		}
		columns -= w
		rest, state = after, next
	}
	return s, true
}

// Clip makes s visible and cuts it to the columns, with an ellipsis if a part is missing.
func Clip(s string, columns int) string {
	if head, whole := Cut(s, columns); whole {
		return head
	}
	head, _ := Cut(s, columns-1)
	return head + "…"
}

// Tail makes s visible and cuts its beginning to fit the columns: paths differ at their ends.
func Tail(s string, columns int) string {
	s = Visible(s)
	if Width(s) <= columns {
		return s
	}
	return "…" + ending(s, columns-1)
}

// ending returns the end of visible text that fits the columns.
func ending(s string, columns int) string {
	for width := Width(s); s != "" && width > columns; {
		_, rest, w, _ := uniseg.FirstGraphemeClusterInString(s, -1)
		s, width = rest, width-w
	}
	return s
}

// Width returns the width of a short visible text, in columns.
func Width(s string) int {
	if isPlain(s) {
		return len(s)
	}
	return uniseg.StringWidth(s)
}

// Left clips s and pads it on the right.
func Left(s string, columns int) string {
	s = Clip(s, columns)
	return s + Spaces(columns-Width(s))
}

// Pair formats the names at both ends of an arrow within the columns. A short name leaves its space to the
// other.
func Pair(from, to string, columns int) string {
	const arrow = " → "
	columns -= Width(arrow)
	from = Clip(from, max(columns/2, columns-Width(Clip(to, columns))))
	return from + arrow + Clip(to, columns-Width(from))
}

// Right clips s and pads it on the left.
func Right(s string, columns int) string {
	s = Clip(s, columns)
	return Spaces(columns-Width(s)) + s
}

// Columns returns the rows of a table as indented lines: the first column is aligned to the left, the figures
// to the right. All rows have the same number of cells, visible and short.
func Columns(rows [][]string) []string {
	if len(rows) == 0 {
		return nil
	}
	columns := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			columns[i] = max(columns[i], Width(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = "  " + Left(row[0], columns[0])
		for j, figure := range row[1:] {
			lines[i] += "  " + Right(figure, columns[j+1])
		}
	}
	return lines
}

func Spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

// Wrap breaks s into visible lines that fit the columns, at spaces if possible. If there are more lines than
// maxLines, the last ends in an ellipsis.
func Wrap(s string, columns, maxLines int) []string {
	var lines []string
	s, whole := bounded(s, columns*maxLines)
	for line := range strings.Lines(s) {
		rest := visible(strings.TrimRight(line, "\r\n"))
		for more := true; more; {
			if len(lines) == maxLines {
				whole = false
				break
			}
			var head string
			head, rest = breakLine(rest, columns)
			lines = append(lines, head)
			more = rest != ""
		}
	}
	if !whole && len(lines) > 0 {
		last, _ := Cut(lines[len(lines)-1], columns-1)
		lines[len(lines)-1] = last + "…"
	}
	return lines
}

// Fold returns visible text, which may be coloured, broken at spaces into lines of at most columns; 0 leaves
// it on one line. The first line is indented, the others two columns more. A longer word, such as a path, is
// not broken, so that people can copy it.
func Fold(s string, indent, columns int) string {
	if columns == 0 {
		return Spaces(indent) + s
	}
	var lines []string
	line, at := Spaces(indent), indent
	for i, word := range strings.Split(s, " ") {
		width := Width(withoutColors(word))
		switch {
		case i == 0:
		case at+1+width > columns && strings.TrimSpace(line) != "":
			lines = append(lines, strings.TrimRight(line, " "))
			line, at = Spaces(indent+2), indent+2
		default:
			line, at = line+" ", at+1
		}
		line, at = line+word, at+width
	}
	return strings.Join(append(lines, line), "\n")
}

// withoutColors removes the colour sequences from text.
func withoutColors(s string) string {
	for {
		from := strings.IndexByte(s, '\x1b')
		if from < 0 {
			return s
		}
		length := strings.IndexByte(s[from:], 'm') + 1
		s = s[:from] + s[from+max(length, 1):]
	}
}

// breakLine splits visible text at the end of a line.
func breakLine(s string, columns int) (head, rest string) {
	part, all := prefix(s, max(columns, 0)*BytesPerColumn)
	head, whole := cut(part, columns)
	if whole && all || head == "" {
		return head, ""
	}
	if at := strings.LastIndexByte(head, ' '); at > 0 && s[len(head)] != ' ' {
		head = head[:at]
	}
	return strings.TrimRight(head, " "), strings.TrimLeft(s[len(head):], " ")
}

// Bar draws a bar of a share, 0 to 1, of the columns. A positive share is always visible.
func Bar(share float64, columns int) string {
	n := int(share*float64(columns) + 0.5)
	if n <= 0 && share > 0 {
		return "▏"
	}
	return strings.Repeat("█", min(max(n, 0), columns))
}

// Grouped formats a whole number with commas between thousands.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Short formats a count in at most five columns: 950, 4.2k, 64M.
func Short(n int64) string {
	value, unit := float64(n), ""
	for _, u := range []string{"k", "M", "G", "T"} {
		if value < 999.5 {
			break
		}
		value, unit = value/1000, u
	}
	if unit != "" && value < 9.95 {
		return strconv.FormatFloat(value, 'f', 1, 64) + unit
	}
	return strconv.FormatFloat(value, 'f', 0, 64) + unit
}

// Plural formats a count with its noun, and commas between thousands.
func Plural(n int, noun string) string { return Grouped(int64(n)) + " " + agree(n, noun) }

// Counted formats a count with its noun, without commas: for lines that programs parse.
func Counted[N int | int64](n N, noun string) string { return fmt.Sprintf("%d %s", n, agree(n, noun)) }

// agree returns the singular or plural of a noun for a count.
func agree[N int | int64](n N, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Figure returns a number as written in the message.
func Figure(number []byte) string {
	if number == nil {
		return "unknown"
	}
	return Clip(string(number), 24)
}

// Dollars formats the JSON text of an amount in USD.
func Dollars(number []byte) string {
	text := Figure(number)
	switch {
	case number == nil:
		return text
	case number[0] == '-':
		return "-$" + text[1:]
	default:
		return "$" + text
	}
}

// Elapsed formats a duration in its two largest units.
func Elapsed(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -max(d, -math.MaxInt64)
	}
	const day = 24 * time.Hour
	switch {
	case d >= day:
		return fmt.Sprintf("%s%dd %dh", sign, d/day, d%day/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%s%dh %dm", sign, d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%s%dm %ds", sign, d/time.Minute, d%time.Minute/time.Second)
	case d >= time.Second || d == 0:
		return fmt.Sprintf("%s%ds", sign, d/time.Second)
	default:
		return fmt.Sprintf("%s%dms", sign, d/time.Millisecond)
	}
}
