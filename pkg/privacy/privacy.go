// Package privacy finds personal data in text: data that identifies a person, or belongs to only
// one person.
//
// A [Scanner] reads a text once and stops only where personal data may begin: at an "@", a digit or
// a capital letter. Detectors examine these places by the form of the text, check digits, the
// surrounding words and the name of the member. Data with a fixed form and a check digit is nearly
// certain; names of people and postal addresses are not, as [Match.Score] shows.
package privacy

import (
	"slices"
	"sync"
)

// A Class is a kind of personal data.
type Class string

// The classes. A [Policy] may add others with its own patterns.
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

// Classes returns the built-in classes, in the order of the documentation.
func Classes() []Class {
	return []Class{Email, Phone, IBAN, Card, NationalID, Passport, Licence, IP, MAC, BirthDate, HealthID, Account, Address, Person}
}

// A Match is personal data in a text.
type Match struct {
	Class Class
	// Kind is a subclass, if known: a country ("DE"), the name of an id ("us-ssn"), the scheme of a
	// payment card ("visa").
	Kind string
	// Start and End are byte offsets in the text, between characters.
	Start, End int
	// Score is the probability of the match, from 0 to 1.
	Score float64
}

// DefaultThreshold is the default minimum score of a match.
const DefaultThreshold = 0.5

// A Scanner finds personal data as defined by a policy. It is safe for concurrent use.
type Scanner struct {
	policy     Policy
	thresholds map[Class]float64 // of all classes; above 1 for disabled ones
	patterns   []pattern
	allowed    map[string]bool // values, folded
	domains    []string        // allowed domains of addresses, folded
	labels     struct {
		sync.RWMutex
		of map[string]label // by the names of members
	}
}

// New returns a scanner, or an error for an invalid policy.
func New(p Policy) (*Scanner, error) {
	s := &Scanner{policy: p}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	return s, nil
}

// Find appends the personal data in text to dst, in the order of the text and without overlaps.
// name is the name of the member with this value, "" for any other text.
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
	named context // the context from the member's name
	found []Match
	first int // the first match of this text

	weak    []capitalWord // single names that need more evidence
	lookups int           // of telephone numbers in the plans of regions

	contextAt int // offset that context refers to, plus one
	context   context
}

// add reports a match if its score is high enough. An allowed match is kept without a class until
// settle removes it, so that nothing else is found there.
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

// settle sorts the matches and, of overlapping ones, keeps the most certain, then the longest.
func (f *finder) settle() {
	found := f.found[f.first:]
	slices.SortStableFunc(found, func(a, b Match) int { return a.Start - b.Start })
	kept := found[:0]
	for _, m := range found {
		last := len(kept) - 1
		if last < 0 || kept[last].End <= m.Start {
			kept = append(kept, m)
		} else if before := kept[last]; m.Score > before.Score || m.Score == before.Score && m.End-m.Start > before.End-before.Start {
			// A later match may replace the previous one, but none before that.
			kept[last] = m
		}
	}
	kept = slices.DeleteFunc(kept, func(m Match) bool { return m.Class == "" })
	f.found = f.found[:f.first+len(kept)]
}
