package summarize

import (
	"strings"
	"unicode/utf8"
)

// maxUnit is the maximum size in bytes of a unit: a "sentence" of a megabyte is cut at white space.
const maxUnit = 600

// A splitter splits texts and passes each unit to emit.
type splitter struct {
	emit   func(text string, k kind)
	flat   strings.Builder // JSON objects written flat
	spaces bool            // cut large units at white space only, not inside a figure
}

// split splits a text into units.
func (s *splitter) split(text string) {
	fenced := false
	para := -1 // the start of the open paragraph, or -1
	flush := func(end int) {
		if para >= 0 {
			s.sentences(text[para:end])
			para = -1
		}
	}
	end := -1
	for at := 0; at < len(text); {
		if at > end { // otherwise text after JSON on its line
			end = at + lineEnd(text[at:])
		}
		line := strings.TrimSpace(text[at:end])
		next := min(end+1, len(text))
		switch {
		case line == "":
			flush(at)
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			flush(at)
			fenced = !fenced
		default:
			if start, ok := jsonStart(line); ok {
				flush(at)
				begin := at + strings.Index(text[at:end], line)
				if start > 0 {
					s.emit(line[:start-1], code)
				}
				n := s.json(text[begin+start:])
				if next = begin + start + n; next <= at {
					next = min(end+1, len(text))
				}
				break
			}
			goesOn := para >= 0 && continues(line)
			k := prose
			if !goesOn {
				k = classify(text[at:end], line, fenced)
			}
			if k == prose {
				body, marked := unmark(line)
				if marked || !goesOn {
					flush(at)
				}
				if marked {
					s.sentences(body)
				} else if para < 0 {
					para = at
				}
				break
			}
			flush(at)
			if k == row {
				line = strings.Trim(line, "| ")
				if strings.Trim(line, "|-:= +") == "" {
					break
				}
			}
			s.pieces(line, k)
		}
		at = next
	}
	flush(len(text))
}

// again splits a part of an earlier summary back into units.
func (s *splitter) again(part string) {
	part = strings.TrimSpace(part)
	if part == "" {
		return
	}
	first, _, several := strings.Cut(part, "; ")
	if several && strings.Contains(first, ": ") && !strings.Contains(part, ". ") {
		s.pieces(part, data)
		return
	}
	if k := classify(part, part, false); k != prose {
		s.pieces(part, k)
		return
	}
	s.sentences(part)
}

func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// continues reports whether a line continues the previous line's sentence: it begins with a
// lower-case letter.
func continues(line string) bool {
	c := line[0]
	return c-'a' < 26 || c == '(' || c == 0xC3
}

// unmark removes the mark of a list, a heading or a quotation from a line.
func unmark(line string) (string, bool) {
	body := strings.TrimLeft(line, "-*+#>• \t")
	if len(body) < len(line) && !(line[0] == '-' && len(line) > 1 && line[1] != ' ') && !(line[0] == '#' && len(line) > 1 && line[1]-'0' < 10) {
		body = strings.TrimPrefix(strings.TrimPrefix(body, "[ ] "), "[x] ")
		return body, true
	}
	i := 0
	for i < len(line) && i < 3 && line[i]-'0' < 10 {
		i++
	}
	if i > 0 && i+1 < len(line) && (line[i] == '.' || line[i] == ')') && line[i+1] == ' ' {
		return strings.TrimSpace(line[i+1:]), true
	}
	return line, false
}

// classify returns the kind of a line. whole has its indentation.
func classify(whole, line string, fenced bool) kind {
	if strings.Count(line[:min(len(line), 200)], "|") >= 2 {
		return row
	}
	if isLog(line) {
		return logged
	}
	c := line[len(line)-1]
	if fenced || strings.HasPrefix(whole, "    ") && line[0] != '-' && line[0] != '*' || c == '{' || c == '}' || c == ';' || line[0] == '<' ||
		strings.HasPrefix(whole, "\t") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "@@") {
		if i := strings.Index(line, ": "); i > 0 && i < 40 && c != ';' && c != '{' {
			return keyed
		}
		return code
	}
	if i := strings.Index(line, ": "); i > 0 && i <= 40 && len(line) < 160 && strings.Count(line[:i], " ") < 4 && strings.Count(line, ". ") == 0 {
		return keyed
	}
	if strings.Count(line, ",") >= 4 && strings.Count(line, ", ") == 0 && !strings.Contains(line, ". ") {
		return row // of comma-separated values
	}
	if !isText(line) {
		return row
	}
	return prose
}

// isText reports whether a line is mostly words.
func isText(line string) bool {
	marks, all := 0, 0
	for i := range min(len(line), 200) {
		if c := line[i]; c > ' ' {
			all++
			if !(c|0x20-'a' < 26 || c >= utf8.RuneSelf) {
				marks++
			}
		}
	}
	return all < 24 || marks*3 <= all
}

// isLog reports whether a line begins like a log line: with a time or a level.
func isLog(line string) bool {
	head := line[:min(len(line), 48)]
	digits := 0
	for i := range min(len(head), 24) {
		if head[i]-'0' < 10 {
			digits++
		}
	}
	if digits >= 6 && (head[0]-'0' < 10 || head[0] == '[') && strings.Contains(head, ":") {
		return true
	}
	for _, level := range [...]string{"INFO", "WARN", "ERROR", "DEBUG", "FATAL", "TRACE", "CRITICAL", "NOTICE"} {
		if i := strings.Index(head, level); i >= 0 && (i == 0 || !isWordByte(head[i-1])) {
			return true
		}
	}
	return false
}

func isWordByte(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c >= utf8.RuneSelf
}

// stops are the sentence ends of non-Latin scripts.
const stops = "。！？｡．।॥؟۔։።។៕။"

// shortPhrase is the size in bytes up to which Thai text is not cut at a space.
const shortPhrase = 60

// sentences splits a paragraph into sentences.
func (s *splitter) sentences(text string) {
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		end := i + 1
		switch c {
		case '.', '!', '?':
			for end < len(text) && strings.IndexByte(`.!?)"'*`, text[end]) >= 0 {
				end++
			}
			if end < len(text) && text[end] > ' ' && !strings.HasPrefix(text[end:], "”") && !strings.HasPrefix(text[end:], "»") {
				continue
			}
			if c == '.' && !endsSentence(text[start:], i-start, end-start) {
				continue
			}
		case ' ':
			// Thai has no full stop: spaces separate sentences, and also phrases.
			if before, _ := utf8.DecodeLastRuneInString(text[:i]); i-start < shortPhrase || before < 0x0E00 || before >= 0x0F00 {
				continue
			}
		default:
			if c < 0xD6 {
				continue
			}
			r, size := utf8.DecodeRuneInString(text[i:])
			if !strings.ContainsRune(stops, r) {
				continue
			}
			for end = i + size; end < len(text); end += size {
				if r, size = utf8.DecodeRuneInString(text[end:]); !strings.ContainsRune(stops+"」』”’）", r) {
					break
				}
			}
		}
		s.pieces(text[start:end], prose)
		start = end
		i = end - 1
	}
	s.pieces(text[start:], prose)
}

// endsSentence reports whether the full stop at i ends a sentence. after is the offset at which the
// text continues.
func endsSentence(text string, i, after int) bool {
	next := strings.TrimLeft(text[after:min(after+4, len(text))], " \n\t")
	if next == "" {
		return true
	}
	if next[0]-'a' < 26 {
		return false
	}
	word := i
	for word > 0 && text[word-1] > ' ' && text[word-1] != '(' && i-word < 12 {
		word--
	}
	last := text[word:i]
	if len(last) == 0 {
		return true
	}
	number := strings.Trim(last, "0123456789") == ""
	switch {
	case number && len(last) <= 2:
		return false // "3. März", "No. 7"
	case len(last) == 1 && (last[0] < 'a' || last[0] > 'z'):
		return last == "I" || !(next[0]-'A' < 26)
	case strings.Contains(last, "."):
		return len(last) > 4 || last[len(last)-1]-'0' < 10
	}
	switch strings.ToLower(last) {
	case "dr", "mr", "mrs", "ms", "no", "nr", "art", "abs", "st", "vs", "ca", "bzw", "inkl", "fig", "sec", "cf", "approx", "prof", "núm", "pág", "sr", "sra", "mme", "ziff", "etc", "usw":
		return false
	}
	return true
}

// pieces emits a text, as several units if it is long.
func (s *splitter) pieces(text string, k kind) {
	marks := " \n\t;,"
	if s.spaces {
		marks = marks[:3]
	}
	for {
		text = strings.TrimSpace(text)
		if text == "" {
			return
		}
		if len(text) <= maxUnit {
			s.emit(text, k)
			return
		}
		cut := strings.LastIndexAny(text[maxUnit/2:maxUnit], marks)
		if cut < 0 {
			cut = maxUnit - 1
			for cut > maxUnit-utf8.UTFMax && !utf8.RuneStart(text[cut+1]) {
				cut--
			}
		} else {
			cut += maxUnit / 2
		}
		s.emit(strings.TrimSpace(text[:cut+1]), k)
		text = text[cut+1:]
	}
}
