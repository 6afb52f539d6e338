// Package privacy finds personal data in text: what identifies a person, or belongs to one
// alone.
//
// A [Scanner] looks at a text once and stops only where personal data may begin: at an "@",
// at a digit, at a capital letter. What stands there is read by detectors, which go by the
// form, by check digits, and by the words around it and the name of the member that holds
// the text. What has a form and a check digit is nearly certain; the names of people and
// postal addresses are not, and [Match.Score] says so.
package privacy

import (
	"slices"
	"sync"
)

// A Class is a kind of personal data.
type Class string

// The classes. A [Policy] may have more, with patterns of its own.
const (
	Email      Class = "email"
	Phone      Class = "phone"
	IBAN       Class = "iban"
	Card       Class = "payment-card"
	NationalID Class = "national-id"
	Passport   Class = "passport"
	IP         Class = "ip-address"
	MAC        Class = "mac-address"
	BirthDate  Class = "birth-date"
	Address    Class = "address"
	Person     Class = "person"
	HealthID   Class = "health-id"
	Account    Class = "account-number"
	Licence    Class = "driving-licence"
)

// Classes returns the classes that the package finds by itself, in the order of its
// documentation.
func Classes() []Class {
	return []Class{Email, Phone, IBAN, Card, NationalID, Passport, Licence, IP, MAC, BirthDate, HealthID, Account, Address, Person}
}

// A Match is personal data in a text.
type Match struct {
	Class Class
	// Kind says more where it is known: a country ("DE"), the name of an id ("us-ssn"), the
	// scheme of a payment card ("visa").
	Kind string
	// Start and End are offsets of the text in bytes, between characters.
	Start, End int
	// Score is how certain the match is, from 0 to 1.
	Score float64
}

// DefaultThreshold is the score from which on a match counts, if a policy says nothing else.
const DefaultThreshold = 0.5

// A Scanner finds personal data as a policy has it. It is safe for concurrent use.
type Scanner struct {
	policy     Policy
	thresholds map[Class]float64 // those of all classes; over 1 for those that are off
	patterns   []pattern
	allowed    map[string]bool // values, folded
	domains    []string        // of addresses that are allowed, folded
	labels     struct {
		sync.RWMutex
		of map[string]label // by the names of members
	}
}

// New returns a scanner. The error says which part of the policy is wrong.
func New(p Policy) (*Scanner, error) {
	s := &Scanner{policy: p}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	return s, nil
}

// Find appends the personal data in text to dst, in the order of the text; no two overlap.
// The text is the value of a member with this name: "" for any other text.
func (s *Scanner) Find(dst []Match, name, text string) []Match {
	f := finder{Scanner: s, text: text, found: dst, first: len(dst)}
	var l label
	if name != "" {
		l = s.labelOf(name)
		f.named = l.context
	}
	f.scan()
	if len(f.weak) > 1 || len(f.weak) == 1 && len(f.found) > f.first {
		f.listed()
	}
	if len(s.patterns) > 0 {
		f.ownPatterns()
	}
	f.whole(l.holds)
	if len(f.found) == f.first {
		return dst
	}
	f.settle()
	return f.found
}

// A finder finds personal data in one text.
type finder struct {
	*Scanner
	text  string
	named context // what the name of the text's member says
	found []Match
	first int // the first match that is of this text

	weak    []capitalised // single names that are none by themselves
	lookups int           // of telephone numbers in the plans of regions

	contextAt int // the place that context is of, plus one
	context   context
}

// add reports a match, if it is certain enough. One that is allowed has no class until
// settle removes it: so nothing else is found there.
func (f *finder) add(class Class, kind string, start, end int, score float64) bool {
	if score < f.threshold(class) {
		return false
	}
	if f.isAllowed(class, f.text[start:end]) {
		class = ""
	}
	f.found = append(f.found, Match{class, kind, start, end, score})
	return true
}

func (s *Scanner) threshold(class Class) float64 {
	if t, ok := s.thresholds[class]; ok {
		return t
	}
	return DefaultThreshold
}

// settle sorts the matches, and of those that overlap keeps the most certain, then the
// longest one.
func (f *finder) settle() {
	found := f.found[f.first:]
	slices.SortStableFunc(found, func(a, b Match) int { return a.Start - b.Start })
	kept := found[:0]
	for _, m := range found {
		last := len(kept) - 1
		if last < 0 || kept[last].End <= m.Start {
			kept = append(kept, m)
		} else if before := kept[last]; m.Score > before.Score || m.Score == before.Score && m.End-m.Start > before.End-before.Start {
			// What begins later may hide one before it, but not one before that.
			kept[last] = m
		}
	}
	kept = slices.DeleteFunc(kept, func(m Match) bool { return m.Class == "" })
	f.found = f.found[:f.first+len(kept)]
}
