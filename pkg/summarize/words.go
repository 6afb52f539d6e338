package summarize

// frequencies count words by the low bits of their hashes.
type frequencies struct {
	words [1 << 17]struct {
		count uint32
		last  int32 // the last turn in which a person or agent says it, from 1
	}
	used []uint32 // the slots that are not zero
}

// place returns the slot of a word. The last letter only affects a few bits of the hash.
func place(word uint64) uint64 { return word * 0x9E3779B97F4A7C15 >> (64 - 17) }

// add counts a word said in a turn, 0 for none. The turns come in reverse order.
func (f *frequencies) add(word uint64, n uint32, turn int32) {
	at := &f.words[place(word)]
	if at.count == 0 && at.last == 0 {
		f.used = append(f.used, uint32(place(word)))
	}
	at.count += n
	if at.last == 0 {
		at.last = turn
	}
}

// learn counts the words of the unit last read.
func (f *frequencies) learn(j *judge, turn int32) {
	for _, t := range j.terms {
		f.add(t, 1, turn)
	}
	if turn > 0 {
		for _, x := range j.facts {
			f.add(x.sum, 0, turn)
		}
	}
}

// saysAfter reports whether all of these words are said after a turn.
func (f *frequencies) saysAfter(turn int32, facts []fact, terms []uint64) bool {
	for _, x := range facts {
		if f.words[place(x.sum)].last <= turn {
			return false
		}
	}
	for _, t := range terms {
		if f.words[place(t)].last <= turn {
			return false
		}
	}
	return len(facts)+len(terms) > 0
}

func (f *frequencies) reset() {
	for _, at := range f.used {
		f.words[at].count, f.words[at].last = 0, 0
	}
	f.used = f.used[:0]
}

// rarity returns the worth of a word to a clause: rarer words are worth more.
func (f *frequencies) rarity(word uint64) int {
	switch n := f.words[place(word)].count; {
	case n <= 1:
		return 14
	case n <= 2:
		return 11
	case n <= 4:
		return 7
	case n <= 8:
		return 3
	default:
		return 0
	}
}

// salience returns the worth of a word as a value: repeated words matter more, but not the most
// frequent ones.
func (f *frequencies) salience(word uint64) int {
	switch n := f.words[place(word)].count; {
	case n <= 1:
		return 10
	case n <= 5:
		return 14
	case n <= 9:
		return 8
	case n <= 16:
		return 4
	default:
		return 1
	}
}

// knowledge holds the hashes of the facts and content words in the summary so far.
type knowledge map[uint64]struct{}

func (k knowledge) has(sum uint64) bool {
	_, ok := k[sum]
	return ok
}

// learn adds the facts and content words of the unit last read.
func (k knowledge) learn(j *judge) {
	k[j.exact] = struct{}{}
	for _, f := range j.facts {
		k[f.sum] = struct{}{}
	}
	for _, t := range j.terms {
		k[t] = struct{}{}
	}
}

// covers reports whether the unit last read adds almost nothing new.
func (k knowledge) covers(j *judge) bool {
	for _, f := range j.facts {
		if !k.has(f.sum) {
			return false
		}
	}
	fresh := 0
	for _, t := range j.terms {
		if !k.has(t) {
			fresh++
		}
	}
	return fresh*3 <= len(j.terms)
}

// hasAll reports whether all of these words are known.
func (k knowledge) hasAll(facts []fact, terms []uint64) bool {
	if len(k) == 0 {
		return false
	}
	for _, f := range facts {
		if !k.has(f.sum) {
			return false
		}
	}
	for _, t := range terms {
		if !k.has(t) {
			return false
		}
	}
	return true
}
