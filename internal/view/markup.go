package view

import "strings"

// unhide writes the invisible or rarely visible text of a page or document: comments, hidden
// elements, alternative texts and titles. It recognises HTML and Markdown by their syntax and
// tolerates errors in it.
func unhide(b *builder) {
	text := b.text
	piece := func(i, j int) {
		if i < j {
			if len(b.out) > 0 {
				b.put("\n\n", i, i)
			}
			b.keep(i, j)
		}
	}
	for i := 0; i < len(text); {
		k := strings.IndexAny(text[i:], "<!]")
		if k < 0 {
			return
		}
		i += k
		if strings.HasPrefix(text[i:], "<!--") {
			start := i + len("<!--")
			i = start + lenTo(text[start:], "-->")
			piece(start, i)
			continue
		}
		switch text[i] {
		case '<':
			t := parseTag(text, i)
			for _, p := range t.shown {
				piece(p[0], p[1])
			}
			switch {
			case t.end == 0:
				i++
			case t.hides:
				i = t.end + contentLen(text[t.end:], t.name)
				piece(t.end, i)
			default:
				i = t.end
			}
		default:
			start, end := markdownNote(text, i)
			piece(start, end)
			i = max(i+1, end)
		}
	}
}

// lenTo returns the length of s up to and including end, or of all of it.
func lenTo(s, end string) int {
	if n := strings.Index(s, end); n >= 0 {
		return n
	}
	return len(s)
}

// A tagInfo describes a start tag.
type tagInfo struct {
	name  string
	shown [][2]int // offsets of values shown in place of something or on demand
	hides bool     // its content is not displayed
	end   int      // offset after its >, 0 if it is not a tag
}

// maxTag is the maximum length of a tag that is parsed.
const maxTag = 4 << 10

// parseTag parses the start tag at text[i], which is a <.
func parseTag(text string, i int) (t tagInfo) {
	s := text[:min(len(text), i+maxTag)]
	i++
	start := i
	for i < len(s) && isAlnum(s[i]) {
		i++
	}
	if i == start || !isLetter(s[start]) {
		return t
	}
	t.name = s[start:i]
	for i < len(s) {
		switch c := s[i]; {
		case c == '>':
			t.end = i + 1
			return t
		case c == '<':
			return tagInfo{}
		case isSpace(c) || c == '/':
			i++
			continue
		}
		name := i
		for i < len(s) && !isSpace(s[i]) && strings.IndexByte("=></", s[i]) < 0 {
			i++
		}
		nameEnd := i
		var value [2]int
		if i < len(s) && s[i] == '=' {
			value, i = attributeValue(s, i+1)
		} else if i == name {
			i++
		}
		t.attribute(s[name:nameEnd], s[value[0]:value[1]], value)
	}
	return tagInfo{}
}

// attributeValue returns the offsets of the value at s[i], and the offset after it.
func attributeValue(s string, i int) (value [2]int, next int) {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	if i == len(s) {
		return [2]int{i, i}, i
	}
	if q := s[i]; q == '"' || q == '\'' {
		end := i + 1 + lenTo(s[i+1:], s[i:i+1])
		return [2]int{i + 1, end}, min(end+1, len(s))
	}
	end := i
	for end < len(s) && !isSpace(s[end]) && s[end] != '>' && s[end] != '<' {
		end++
	}
	return [2]int{i, end}, end
}

// attribute records the effect of an attribute of the tag.
func (t *tagInfo) attribute(name, value string, place [2]int) {
	switch strings.ToLower(name) {
	case "alt", "title", "aria-label", "aria-description", "placeholder", "summary":
		t.shown = append(t.shown, place)
	case "hidden":
		t.hides = true
	case "aria-hidden":
		t.hides = t.hides || strings.EqualFold(value, "true")
	case "style":
		t.hides = t.hides || hidesBy(value)
	}
}

// hidesBy reports whether a style makes its element invisible.
func hidesBy(style string) bool {
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	for declaration := range strings.SplitSeq(style, ";") {
		property, value, _ := strings.Cut(declaration, ":")
		value = strings.TrimSuffix(value, "!important")
		switch property {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "font-size", "opacity", "max-height", "max-width", "height", "width":
			if strings.Trim(value, "0.pxemrt%") == "" && value != "" {
				return true
			}
		case "text-indent", "left", "top", "margin-left":
			if strings.HasPrefix(value, "-999") {
				return true
			}
		case "color":
			switch value {
			case "white", "#fff", "#ffffff", "transparent", "rgb(255,255,255)":
				return true
			}
		}
	}
	return false
}

// contentLen returns the length of the content of an element, given the text after its start tag.
func contentLen(s, name string) int {
	switch strings.ToLower(name) {
	case "img", "input", "br", "hr", "meta", "link", "source", "embed", "area":
		return 0
	}
	depth := 1
	for i := 0; ; {
		k := strings.IndexByte(s[i:], '<')
		if k < 0 {
			return len(s)
		}
		i += k
		inner := s[i+1:]
		closes := strings.HasPrefix(inner, "/")
		inner = strings.TrimPrefix(inner, "/")
		if len(inner) > len(name) && strings.EqualFold(inner[:len(name)], name) && !isAlnum(inner[len(name)]) {
			if !closes {
				depth++
			} else if depth--; depth == 0 {
				return i
			}
		}
		i++
	}
}

// markdownNote returns the offsets of rarely visible text in the Markdown at text[i]: in ![…], the
// title in ](… "…"), or a comment or title in ]: … (…). It is empty if there is none.
func markdownNote(text string, i int) (start, end int) {
	rest := text[i:]
	switch {
	case strings.HasPrefix(rest, "!["):
		n := strings.IndexAny(rest[2:], "[]")
		if n > 0 && rest[2+n] == ']' {
			return i + 2, i + 2 + n
		}
	case strings.HasPrefix(rest, "]("), strings.HasPrefix(rest, "]:"):
		// The address ends at white space, and the title begins with a quote.
		n := 2
		for n < len(rest) && (rest[n] == ' ' || rest[n] == '\t') {
			n++
		}
		for n < len(rest) && !isSpace(rest[n]) && strings.IndexByte("()[]", rest[n]) < 0 {
			n++
		}
		for n < len(rest) && (rest[n] == ' ' || rest[n] == '\t') {
			n++
		}
		if n == len(rest) || rest[n-1] != ' ' && rest[n-1] != '\t' {
			return 0, 0
		}
		quote := map[byte]byte{'"': '"', '\'': '\'', '(': ')'}[rest[n]]
		if quote == 0 {
			return 0, 0
		}
		for k := n + 1; k < len(rest) && rest[k] != '\n' && rest[k] != ']'; k++ {
			if rest[k] == quote {
				return i + n + 1, i + k
			}
		}
	}
	return 0, 0
}
