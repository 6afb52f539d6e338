package main

import (
	"bytes"
	"embed"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// data holds the grammars: common.txt and english.txt for all messages, and a file for each kind of
// work. A line "= name" starts a rule, and the lines after it are its alternatives, in JSON text.
// <name> is replaced by one alternative of a rule, <2-5 name> by two to five of them, separated by
// commas. A rule of a kind of work extends the rule of the same name. A line that starts with # is a
// comment.
//
//go:embed data/*.txt
var data embed.FS

type grammar map[string][]string

// add adds the rules of a file.
func (g grammar) add(file string) error {
	text, err := data.ReadFile(file)
	if err != nil {
		return err
	}
	rule := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "= "); ok {
			rule = name
		} else if line != "" && line[0] != '#' {
			g[rule] = append(g[rule], line)
		}
	}
	return nil
}

// readGrammars returns a grammar for each kind of work.
func readGrammars() ([]grammar, error) {
	files, err := data.ReadDir("data")
	if err != nil {
		return nil, err
	}
	var kinds []grammar
	for _, f := range files {
		if f.Name() == "common.txt" || f.Name() == "english.txt" {
			continue
		}
		// Its own lines are doubled: they are few among the common ones.
		g := make(grammar)
		own := path.Join("data", f.Name())
		for _, file := range []string{own, own, "data/common.txt", "data/english.txt"} {
			if err := g.add(file); err != nil {
				return nil, err
			}
		}
		kinds = append(kinds, g)
	}
	return kinds, nil
}

// exampleEvery is the interval at which a message is the specification's example.
const exampleEvery = 60

// compose returns n messages as compact JSON, alternating between the member order that handoff
// writes and canonical form.
func compose(n int) ([][]byte, error) {
	kinds, err := readGrammars()
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(0x68616e64, 0x6f6666))
	example, err := schemas.Example("message") // a common starting point for users
	if err != nil {
		return nil, err
	}
	messages := make([][]byte, n)
	for i := range messages {
		if i%exampleEvery == 0 {
			messages[i] = jsonstream.AppendCompact(nil, example)
			continue
		}
		c := composer{kinds[i%len(kinds)], random, nil, nil}
		c.rule("sample")
		if c.err != nil {
			return nil, c.err
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(c.text), jsonstream.Unlimited())
		if err != nil {
			return nil, fmt.Errorf("sample %d: %w\n%s", i+1, err, c.text)
		}
		messages[i] = c.text
		if (i/len(kinds))%2 == 1 {
			messages[i], err = jsonstream.AppendCanonical(nil, doc.Root(), jsonstream.CanonicalOptions{})
			if err != nil {
				return nil, fmt.Errorf("sample %d: %w", i+1, err)
			}
		}
	}
	return messages, nil
}

// A composer writes one message.
type composer struct {
	grammar
	random *rand.Rand
	text   []byte
	err    error
}

// rule writes one alternative of a rule.
func (c *composer) rule(name string) {
	if c.builtin(name) || c.err != nil {
		return
	}
	lines := c.grammar[name]
	if lines == nil {
		c.err = fmt.Errorf("no rule %q", name)
		return
	}
	line := lines[c.random.IntN(len(lines))]
	for {
		before, rest, found := strings.Cut(line, "<")
		c.text = append(c.text, before...)
		if !found {
			return
		}
		slot, after, found := strings.Cut(rest, ">")
		if !found || !isSlot(slot) { // a less-than sign
			c.text = append(c.text, '<')
			line = rest
			continue
		}
		c.slot(slot)
		line = after
	}
}

func isSlot(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != ' ' && r != '-'
	})
}

// slot writes the replacement of <slot>.
func (c *composer) slot(slot string) {
	times, name, several := strings.Cut(slot, " ")
	if !several {
		c.rule(slot)
		return
	}
	low, high, _ := strings.Cut(times, "-")
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil || to < from {
		c.err = fmt.Errorf("bad slot <%s>", slot)
		return
	}
	// A name must not occur twice in an object.
	var seen []string
	for range from + c.random.IntN(to-from+1) {
		start := len(c.text)
		if len(seen) > 0 {
			c.text = append(c.text, ',')
		}
		from := len(c.text)
		c.rule(name)
		key := string(c.text[from:])
		if i := bytes.Index(c.text[from:], []byte(`":`)); i > 0 && c.text[from] == '"' {
			key = key[:i]
		}
		if slices.Contains(seen, key) {
			c.text = c.text[:start]
			continue
		}
		seen = append(seen, key)
	}
}

// builtin writes a random value of the named kind, and reports whether that exists.
func (c *composer) builtin(name string) bool {
	const digits = "0123456789abcdef"
	hex := func(n int) {
		for range n {
			c.text = append(c.text, digits[c.random.IntN(16)])
		}
	}
	number := func(from, to int) { c.text = strconv.AppendInt(c.text, int64(from+c.random.IntN(to-from)), 10) }
	switch name {
	case "none":
	case "uuid":
		hex(8)
		c.text = append(c.text, '-')
		hex(4)
		c.text = append(c.text, "-4"...)
		hex(3)
		c.text = append(c.text, '-', "89ab"[c.random.IntN(4)])
		hex(3)
		c.text = append(c.text, '-')
		hex(12)
	case "hex64":
		hex(64)
	case "hex32":
		hex(32)
	case "hex16":
		hex(16)
	case "id8":
		hex(8)
	case "id24":
		hex(24)
	case "id4":
		c.text = append(c.text, 'a'+byte(c.random.IntN(26)))
		hex(3)
	case "01":
		number(0, 2)
	case "n":
		number(1, 10)
	case "N":
		number(10, 1000)
	case "M":
		number(1000, 60000)
	case "f":
		c.text = append(c.text, "0."...)
		number(50, 100)
	default:
		return false
	}
	return true
}
