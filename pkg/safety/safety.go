// Package safety looks through the text of a message for instructions meant for the
// agent that will read it, and for credentials.
//
// A [Scanner] reads data that an agent is about to take in, and finds text written to
// the agent rather than for it: orders to drop its instructions, forged system turns,
// attempts to get hold of its prompt, characters that do not show. It goes by what text
// says and not by single words: "ignore my previous e-mail" is no finding.
//
// No finding ever quotes a credential that [Secrets] knows, not even as part of an
// excerpt. No input takes more than linear time.
package safety

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Finding is one suspicious place in a text.
type Finding struct {
	// Rule is the id of the rule that found it, one of those the scanner lists.
	Rule string
	// Message says in a clause what was found, with a short excerpt whose control and
	// invisible characters are escaped.
	Message string
	// Offset and Length give the place, in bytes of the text as it was passed in.
	Offset, Length int
}

// A Rule describes one thing that is looked for.
type Rule struct {
	ID      string
	Summary string // what it finds, in a clause
	Why     string // why that matters, in a sentence or two
	Bad     string // text it finds
	Good    string // similar text it leaves alone
}

// A Scanner looks for text that tries to instruct the agent that reads it.
// Implementations are safe for concurrent use.
type Scanner interface {
	// Scan returns what it finds in text, sorted by offset: for each rule the first
	// place at most. Clean text gives nil.
	Scan(text string) []Finding
	// Rules lists every rule that Scan can report. The caller owns the slice.
	Rules() []Rule
}

// New returns the built-in scanner. It costs nothing until first used.
func New() Scanner { return scanner{} }

type scanner struct{}

type injection struct {
	Rule
	says string // how its messages begin
	probe
}

type ruleSet struct {
	injections []injection // the last has no probe: it is what covert finds
	matcher    *matcher
}

var rules = sync.OnceValue(func() ruleSet {
	set := ruleSet{injections: injections()}
	var probes []probe
	for _, in := range set.injections {
		probes = append(probes, in.probe)
	}
	set.matcher = newMatcher(probes)
	return set
})

func (scanner) Rules() []Rule {
	var list []Rule
	for _, in := range rules().injections {
		list = append(list, in.Rule)
	}
	return list
}

func (scanner) Scan(text string) []Finding {
	set := rules()
	var found []Finding
	add := func(i, start, end int) {
		in := &set.injections[i]
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == in.ID }) {
			found = append(found, Finding{in.ID, in.says, start, end - start})
		}
	}

	set.matcher.scan(text, func(i int, loc []int) bool {
		add(i, loc[0], loc[1])
		return false
	})
	for from := 0; from < len(text); from += pieceLen {
		piece := text[from:min(len(text), from+pieceLen+pieceOverlap)]
		if !disguised(piece) {
			continue
		}
		if start, end, ok := covert(piece); ok {
			add(len(set.injections)-1, from+start, from+end)
		}
		view, at := unfold(piece)
		set.matcher.scan(view, func(i int, loc []int) bool {
			add(i, from+int(at[loc[0]]), from+int(at[loc[1]]))
			return false
		})
	}
	if found == nil {
		return nil
	}

	slices.SortStableFunc(found, byOffset)
	secrets := Secrets(text)
	for i, f := range found {
		found[i].Message = f.Message + ": " + excerpt(text, f.Offset, f.Offset+f.Length, secrets)
	}
	return found
}

func byOffset(a, b Finding) int { return a.Offset - b.Offset }

// excerpt quotes the start of text[start:end], without any of the secrets.
func excerpt(text string, start, end int, secrets []Finding) string {
	const most = 60
	var b strings.Builder
	for _, s := range secrets {
		if s.Offset+s.Length <= start || s.Offset >= end {
			continue
		}
		b.WriteString(text[start:max(start, s.Offset)] + "[secret]")
		start = min(end, s.Offset+s.Length)
	}
	b.WriteString(text[start:end])
	quoted := []rune(strconv.QuoteToGraphic(b.String()))
	if len(quoted) > most {
		quoted = append(quoted[:most-2], '…', '"')
	}
	return string(quoted)
}
