package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// A part of a meeting is short enough to be read at once: the talk on one item of the agenda, or a
// bounded number of letters.
const partLength = 60_000

// speech adds a speaker's text: all speakers are users, and their names precede the text.
func (c *conversation) speech(speaker, text string) {
	if text = strings.TrimSpace(text); text != "" {
		c.say("user", speaker+": "+text)
	}
}

// named finds names in minutes: code, stages, numbers of two digits or more, words with two
// capitals, names of two words or more, and ELITR's tags for persons and the like.
var named = regexp.MustCompile("`[^`\n]+`" + `|\[[A-Z]+\d+\]|\b[Ss]tage \d(?:\.\d)?\b|#?\b\d[\d.,:/-]*\d\b|\b[A-Z][\w-]*[A-Z]\w*\b|\b\p{Lu}\p{Ll}+(?: (?:of |de |von |and )?\p{Lu}\p{Ll}+)+`)

// labelMinutes labels the names in the manually written minutes of the talk.
func (c *conversation) labelMinutes(minutes string) {
	for _, value := range named.FindAllString(minutes, -1) {
		c.label("minutes", strings.Trim(value, "`[]"))
	}
}

var (
	tc39Speaker    = regexp.MustCompile(`^([A-Z][A-Z0-9]{1,3}): (.*)`)
	tc39Conclusion = regexp.MustCompile(`(?i)conclusion|resolution|summary`)
)

// readTC39 reads the notes of TC39 and of its group for ECMA-402: a conversation is an item of the
// agenda, and its facts are the names in the item's conclusion and summary.
func readTC39(s *snapshot, emit func(*conversation)) error {
	files, err := s.files("meetings", ".md")
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := s.read(file)
		if err != nil {
			return err
		}
		for i, point := range strings.Split(string(data), "\n## ") {
			c := &conversation{id: fmt.Sprint(file, i)}
			var speaker, text string
			concluded := false
			for line := range strings.SplitSeq(point, "\n") {
				m := tc39Speaker.FindStringSubmatch(line)
				switch {
				case strings.HasPrefix(line, "###"):
					concluded = tc39Conclusion.MatchString(line)
				case concluded:
					c.labelMinutes(line)
				case m != nil:
					c.speech(speaker, text)
					speaker, text = m[1], m[2]
				case speaker != "":
					text += "\n" + line
				}
			}
			c.speech(speaker, text)
			emit(c)
		}
	}
	return nil
}

var wasmSpeaker = regexp.MustCompile(`^\**([A-Z][\p{L} .'-]{0,30}?)\**: (.*)`)

// readWasm reads the minutes of WebAssembly's groups: a conversation is a meeting, and its facts are
// the names in the agenda at the top.
func readWasm(s *snapshot, emit func(*conversation)) error {
	files, err := s.files("", ".md")
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := s.read(file)
		if err != nil {
			return err
		}
		agenda, notes, ok := strings.Cut(string(data), "\n## Meeting Notes")
		if !ok {
			continue
		}
		if _, items, ok := strings.Cut(agenda, "\n## Agenda items"); ok {
			agenda = items
		}
		c := &conversation{id: file}
		c.labelMinutes(agenda)
		var speaker, text string
		for line := range strings.SplitSeq(notes, "\n") {
			if m := wasmSpeaker.FindStringSubmatch(line); m != nil {
				c.speech(speaker, text)
				speaker, text = m[1], m[2]
			} else if speaker != "" && !strings.HasPrefix(line, "#") {
				text += "\n" + line
			}
		}
		c.speech(speaker, text)
		if len(c.turns) >= 10 {
			emit(c)
		}
	}
	return nil
}

var (
	bitcoinSpeaker = regexp.MustCompile(`^\**([A-Z][\w. ]{0,30}?)(?: \([^)]*\))?\**: \**(.+)`)
	frontMatter    = regexp.MustCompile(`(?s)^---\n(.*?)\n---\n`)
	frontWord      = regexp.MustCompile(`(?m)^(?:tags|speakers|categories):(.*(?:\n +- .*)*)`)
	quotedOrListed = regexp.MustCompile(`[\p{L}\d][\p{L}\d .-]*[\p{L}\d]`)
)

// readBitcoin reads transcripts of talks and calls on Bitcoin. Facts are the speakers, tags and
// categories at the top, and the names in headings.
func readBitcoin(s *snapshot, emit func(*conversation)) error {
	files, err := s.files("", ".md")
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := s.read(file)
		if err != nil {
			return err
		}
		text := string(data)
		front := frontMatter.FindString(text)
		c := &conversation{id: file}
		for _, m := range frontWord.FindAllStringSubmatch(front, -1) {
			for _, value := range quotedOrListed.FindAllString(m[1], -1) {
				c.label("subject", value)
			}
		}
		var speaker, said string
		for line := range strings.SplitSeq(text[len(front):], "\n") {
			m := bitcoinSpeaker.FindStringSubmatch(line)
			switch {
			case strings.HasPrefix(line, "#"):
				c.labelMinutes(line)
			case m != nil:
				c.speech(speaker, said)
				speaker, said = m[1], m[2]
			case speaker != "":
				said += "\n" + line
			}
		}
		c.speech(speaker, said)
		if len(c.turns) >= 10 {
			emit(c)
		}
	}
	return nil
}

// readBundestag reads three debates of the Bundestag with manually marked names. Facts are the names
// that occur twice or more in a part.
func readBundestag(s *snapshot, emit func(*conversation)) error {
	files, err := s.files("Protocols/Gold-Standard", ".conll")
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := s.read(file)
		if err != nil {
			return err
		}
		c := &conversation{}
		names := map[string]int{}
		parts, length := 0, 0
		flush := func() {
			for _, name := range sortedNames(names) {
				if names[name] > 1 {
					c.label("name", name)
				}
			}
			parts++
			c.id = fmt.Sprint(path.Base(file), parts)
			emit(c)
			c, names, length = &conversation{}, map[string]int{}, 0
		}
		speaker, text := "Präsident", ""
		for sentence := range strings.SplitSeq(string(data), "\n\n") {
			words, tags := conllColumns(sentence, 1, 4)
			var span conversation
			span.labelSpans(words, tags)
			for _, f := range span.facts {
				names[f.Value]++
			}
			said := plainText(words)
			if at := strings.Index(said, "):"); at >= 0 && at < 60 || strings.HasPrefix(said, "Präsident") && strings.HasSuffix(said, ":") {
				c.speech(speaker, text)
				if length > partLength/3 {
					flush()
				}
				speaker, text, _ = strings.Cut(said, ":")
				continue
			}
			text += " " + said
			length += len(said)
			if len(text) > 2000 {
				c.speech(speaker, text)
				text = ""
			}
		}
		c.speech(speaker, text)
		flush()
	}
	return nil
}

// conllColumns returns two columns of the lines of a sentence.
func conllColumns(sentence string, word, tag int) (words, tags []string) {
	for line := range strings.SplitSeq(sentence, "\n") {
		if columns := strings.Split(line, "\t"); len(columns) > max(word, tag) && !strings.HasPrefix(line, "#") {
			words, tags = append(words, columns[word]), append(tags, columns[tag])
		}
	}
	return words, tags
}

var joined = strings.NewReplacer(" ,", ",", " .", ".", " :", ":", " ;", ";", " !", "!", " ?", "?", "( ", "(", " )", ")")

// plainText joins words with the usual spacing.
func plainText(words []string) string {
	text := strings.Join(words, " ")
	text = strings.NewReplacer("-LRB-", "(", "-RRB-", ")", "-LSB-", "[", "-RSB-", "]", "``", "„", "''", "“").Replace(text)
	return joined.Replace(text)
}

var (
	elitrSpeaker = regexp.MustCompile(`^[\[(](PERSON\d+)[\])] ?(.*)`)
	europarlName = regexp.MustCompile(`<SPEAKER[^>]*NAME="([^"]*)"`)
)

// readElitr reads the trial meetings of AutoMin 2021; facts are the names in their minutes.
func readElitr(s *snapshot, emit func(*conversation)) error {
	return readMinuted(s, "Task_A", "transcript", "minutes", func(c *conversation, text string) {
		var speaker, said string
		for line := range strings.SplitSeq(text, "\n") {
			if m := elitrSpeaker.FindStringSubmatch(line); m != nil {
				c.speech(speaker, said)
				speaker, said = m[1], m[2]
			} else {
				said += "\n" + line
			}
		}
		c.speech(speaker, said)
	}, emit)
}

// readEuroparl reads the debates of the European Parliament in AutoMin 2021.
func readEuroparl(s *snapshot, emit func(*conversation)) error {
	return readMinuted(s, "EuroParl/Task_A", "ep-", "min_", func(c *conversation, text string) {
		speaker := "President"
		for line := range strings.SplitSeq(text, "\n") {
			if m := europarlName.FindStringSubmatch(line); m != nil {
				speaker = m[1]
			} else if !strings.HasPrefix(line, "<") {
				c.speech(speaker, line)
			}
		}
	}, emit)
}

// readMinuted reads folders with a transcript and manually written minutes each.
func readMinuted(s *snapshot, folder, transcript, minutes string, talk func(*conversation, string), emit func(*conversation)) error {
	files, err := s.files(folder, "")
	if err != nil {
		return err
	}
	meetings := map[string]*conversation{}
	for _, file := range files {
		data, err := s.read(file)
		if err != nil {
			return err
		}
		dir, base := path.Split(file)
		c := meetings[dir]
		if c == nil {
			c = &conversation{id: dir}
			meetings[dir] = c
		}
		switch {
		case strings.HasPrefix(base, transcript):
			talk(c, string(data))
		case strings.HasPrefix(base, minutes):
			c.labelMinutes(string(data))
		}
	}
	for _, dir := range sortedNames(meetings) {
		emit(meetings[dir])
	}
	return nil
}
