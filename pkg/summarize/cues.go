package summarize

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed cues.txt
var cueText string

// A class is a hint of a word about its sentence, as a bit of a set.
type class uint32

const (
	decision class = 1 << iota
	reason
	constraint
	warning
	wish
	open
	correction
	condition
	figure
	name
	chatter
	stop
	negation
	ban
	flag
	vague
	question
	failure
	endsPhrase // the word is the last one of some phrase
	begins     // a longer cue of a script without spaces begins with it
)

var classes = map[string]class{
	"decision": decision, "reason": reason, "constraint": constraint, "warning": warning, "wish": wish, "open": open,
	"correction": correction, "condition": condition, "figure": figure, "name": name, "chatter": chatter, "stop": stop, "negation": negation,
	"ban": ban, "flag": flag, "vague": vague, "question": question, "failure": failure,
}

// A lexicon maps the hashes of words and phrases to their classes. Every word of a conversation is
// looked up in it: a map would take several times as long.
type lexicon [1 << 14]struct {
	tag     uint32 // of the hash
	classes class  // 0 in a free slot
}

// place returns the slot of a hash or, if it has none, the free slot for it. A test ensures that
// half of the slots are free.
func (l *lexicon) place(hash uint64) int {
	i := int(hash % uint64(len(l)))
	for l[i].classes != 0 && l[i].tag != uint32(hash>>32) {
		i = (i + 1) % len(l)
	}
	return i
}

func (l *lexicon) of(hash uint64) class { return l[l.place(hash)].classes }

func (l *lexicon) add(hash uint64, c class) {
	at := &l[l.place(hash)]
	at.tag = uint32(hash >> 32)
	at.classes |= c
}

// cues returns the lexicon of cues.txt.
var cues = sync.OnceValue(func() *lexicon {
	table := new(lexicon)
	endings := map[string][]string{}
	for line := range strings.Lines(cueText) {
		head, list, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		kind, language, _ := strings.Cut(head, " ")
		entries := strings.Split(list, ",")
		if kind == "endings" {
			endings[language] = entries
			continue
		}
		for _, entry := range entries {
			entry, stem := strings.CutSuffix(strings.TrimSpace(entry), "+")
			addCue(table, entry, classes[kind])
			if !stem {
				continue
			}
			for _, ending := range endings[language] {
				addCue(table, entry+strings.TrimSpace(ending), classes[kind])
				if short, ok := strings.CutSuffix(entry, "e"); ok {
					addCue(table, short+strings.TrimSpace(ending), classes[kind])
				}
			}
		}
	}
	return table
})

// cueAt returns the size in bytes of the longest cue at the beginning of a text in a script without
// spaces, 0 if it has none.
func (l *lexicon) cueAt(text string) (size int) {
	h := uint64(hashSeed)
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRuneInString(text[i:])
		if !isGlyph(c) {
			break
		}
		h = hashLetter(h, c)
		i += n
		is := l.of(h)
		if is&^(endsPhrase|begins) != 0 {
			size = i
		}
		if is&begins == 0 {
			break
		}
	}
	return size
}

func addCue(table *lexicon, entry string, c class) {
	words := strings.Fields(strings.ReplaceAll(entry, "-", " "))
	if first, _ := utf8.DecodeRuneInString(entry); isGlyph(first) {
		h := uint64(hashSeed)
		for _, letter := range entry {
			if h != hashSeed {
				table.add(h, begins)
			}
			h = hashLetter(h, letter)
		}
		table.add(h, c)
		return
	}
	hashes := make([]uint64, len(words))
	for i, word := range words {
		hashes[i] = hashWord(word)
	}
	last := hashes[len(words)-1]
	switch len(words) {
	case 1:
		table.add(last, c)
	case 2:
		table.add(last, endsPhrase)
		table.add(hashPair(hashes[0], last), c)
	default:
		table.add(last, endsPhrase)
		table.add(hashPair(hashPair(hashes[0], hashes[1]), last), c)
	}
}

// hashWord returns the hash of a word in lower case. [reader.next] computes the same while reading.
func hashWord(word string) uint64 {
	h := uint64(hashSeed)
	for _, c := range word {
		h = hashLetter(h, c)
	}
	return h
}

// hashLetter adds a letter to a hash, as FNV-1a does.
func hashLetter(h uint64, c rune) uint64 {
	return (h ^ uint64(c)) * hashPrime
}

const (
	hashSeed  = 0xcbf29ce484222325
	hashPrime = 0x100000001b3
)

func hashPair(a, b uint64) uint64 {
	return (a*0x9E3779B97F4A7C15 ^ b) * 0xC2B2AE3D27D4EB4F
}
