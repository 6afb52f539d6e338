package session

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// script collects the work of a script. In its code mode, Codex has one tool whose input is JavaScript,
// which calls the others: tools.apply_patch("…"), tools.update_plan({plan: […]}). Only the texts of
// literals are found, not texts that the script computes.
func (b codexBlocks) script(call Call) {
	tokens := scriptTokens(call.Input)
	uses := func(tool string) bool {
		return slices.ContainsFunc(tokens, func(t scriptToken) bool { return !t.isText && t.text == tool })
	}
	if strings.Contains(call.Input, beginPatch) {
		for _, t := range tokens { // the lines of a patch may be texts of their own
			if t.isText {
				b.patchLines(t.text)
			}
		}
	}
	objects := scriptObjects(tokens)
	if uses("update_plan") {
		var steps []Todo
		for _, o := range objects {
			if step := o["step"]; step != "" && len(steps) < maxTodos {
				steps = append(steps, Todo{clip(step), strings.Clone(o["status"])})
			}
			if why := o["explanation"]; why != "" {
				b.decided("plan", why, b.time)
			}
		}
		if steps != nil {
			b.Todos = steps
		}
	}
	if uses("request_user_input") {
		var questions []string
		for _, o := range objects {
			if question := o["question"]; question != "" {
				questions = append(questions, question)
			}
		}
		b.asked[call.ID] = ask{"question", clip(strings.Join(questions, "\n"))}
	}
}

// A scriptToken is a text, or a word or sign, of a script.
type scriptToken struct {
	text   string
	isText bool
}

// scriptTokens returns the tokens of a script.
func scriptTokens(script string) (tokens []scriptToken) {
	for i := 0; i < len(script); {
		c := script[i]
		switch {
		case c == '"' || c == '\'' || c == '`':
			text, end := scriptText(script[i:])
			i += end
			tokens = append(tokens, scriptToken{text, true})
		case strings.HasPrefix(script[i:], "//"):
			n := strings.IndexByte(script[i:], '\n')
			if n < 0 {
				return tokens
			}
			i += n
		case strings.HasPrefix(script[i:], "/*"):
			n := strings.Index(script[i:], "*/")
			if n < 0 {
				return tokens
			}
			i += n + len("*/")
		case isWord(c):
			end := i
			for end < len(script) && isWord(script[end]) {
				end++
			}
			tokens = append(tokens, scriptToken{text: script[i:end]})
			i = end
		default:
			if c > ' ' {
				tokens = append(tokens, scriptToken{text: script[i : i+1]})
			}
			i++
		}
	}
	return tokens
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// scriptText returns the text of a literal at the beginning of a script, and its end.
func scriptText(script string) (text string, end int) {
	var b strings.Builder
	for i := 1; i < len(script); i++ {
		switch c := script[i]; c {
		case script[0]:
			return b.String(), i + 1
		case '\\':
			if i++; i == len(script) {
				return b.String(), i
			}
			switch escaped := script[i]; escaped {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case '\n': // the text goes on in the next line
			case 'u', 'x':
				r, length := scriptRune(script[i:])
				b.WriteRune(r)
				i += length - 1
			default:
				b.WriteByte(escaped)
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(script)
}

// scriptRune returns the character of an escape at the beginning of a text, after its backslash, and its
// length.
func scriptRune(text string) (r rune, length int) {
	begin, end := 1, min(len(text), 5)
	switch {
	case text[0] == 'x':
		end = min(len(text), 3)
	case strings.HasPrefix(text, "u{"):
		begin, end = 2, max(2, strings.IndexByte(text, '}'))
	}
	code, err := strconv.ParseUint(text[begin:end], 16, 32)
	if length = end; begin == 2 {
		length++
	}
	if err != nil || code > utf8.MaxRune {
		return utf8.RuneError, min(length, len(text))
	}
	return rune(code), min(length, len(text))
}

// scriptObjects returns the members of the objects in a script whose values are texts. An object follows
// those within it.
func scriptObjects(tokens []scriptToken) (all []map[string]string) {
	var open []map[string]string
	for i, t := range tokens {
		switch {
		case t == (scriptToken{text: "{"}):
			open = append(open, map[string]string{})
		case t == (scriptToken{text: "}"}) && len(open) > 0:
			all, open = append(all, open[len(open)-1]), open[:len(open)-1]
		case t == (scriptToken{text: ":"}) && len(open) > 0 && i > 0 && i+1 < len(tokens) && tokens[i+1].isText:
			open[len(open)-1][tokens[i-1].text] = tokens[i+1].text
		}
	}
	return all
}
