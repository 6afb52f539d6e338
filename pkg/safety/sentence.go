package safety

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// bySentence joins the flagged findings of one text that are in the same sentence, or overlap: the
// strongest has the others in With, the model's never has those of rules. Findings are sorted by
// offset, as are those that it returns, by that of the first in the sentence. What is allowed stays
// apart, as does what is not flagged.
func bySentence(text string, findings []PlacedFinding) []PlacedFinding {
	var joined []PlacedFinding
	last := -1 // the index in joined of the sentence that findings may belong to
	var s sentence
	for _, f := range findings {
		switch {
		case !f.Flagged:
			joined = append(joined, f)
		case last >= 0 && s.has(text, f.Finding):
			joined[last].join(f)
			s.add(f.Finding)
		default:
			last = len(joined)
			joined = append(joined, f)
			s = sentence{}
			s.add(f.Finding)
		}
	}
	return joined
}

// join adds a finding of the same sentence. That of any rule says more than the model's.
func (f *PlacedFinding) join(other PlacedFinding) {
	if f.Rule == modelRule.ID || other.Rule != modelRule.ID && other.Score > f.Score {
		f.Finding, other.Finding = other.Finding, f.Finding
	}
	f.With = append(f.With, other.Finding)
}

// Findings returns the finding and those in With, by offset.
func (f PlacedFinding) Findings() []Finding {
	all := append([]Finding{f.Finding}, f.With...)
	slices.SortStableFunc(all, byOffset)
	return all
}

// Also returns the other rules that found something in the same sentence.
func (f PlacedFinding) Also() []string {
	var rules []string
	for _, other := range f.With {
		if other.Rule != f.Rule && !slices.Contains(rules, other.Rule) {
			rules = append(rules, other.Rule)
		}
	}
	return rules
}

// Text is the message, and the other rules of the same sentence.
func (f PlacedFinding) Text() string {
	if also := f.Also(); len(also) > 0 {
		return f.Message + "; also " + strings.Join(also, ", ")
	}
	return f.Message
}

// A sentence is how far the findings of one reach. The model's finding is of a segment of many
// sentences: what is in that segment need not be in the same one.
type sentence struct {
	begun      bool // by a rule, not by the model alone
	from, end  int  // of the last finding of a rule, and how far they reach
	segmentEnd int  // of the model's finding
}

func (s *sentence) add(f Finding) {
	if f.Rule == modelRule.ID {
		s.segmentEnd = f.Offset + f.Length
		return
	}
	s.begun, s.from, s.end = true, f.Offset, max(s.end, f.Offset+f.Length)
}

// has reports whether a later finding belongs to the sentence.
func (s *sentence) has(text string, f Finding) bool {
	if !s.begun {
		return f.Offset < s.segmentEnd
	}
	if f.Offset < s.end {
		return true
	}
	return f.Offset-s.end <= neighbourhood && !endsSentence(text[s.from:f.Offset])
}

// endsSentence reports whether a sentence ends within a text: at a line's end, or at a full stop, a
// question or an exclamation mark before a space.
func endsSentence(text string) bool {
	for i, r := range text {
		switch r {
		case '\n', '。', '！', '？':
			return true
		case '.', '!', '?':
			next, _ := utf8.DecodeRuneInString(text[i+1:])
			if next == ' ' || next == '\t' || next == '\n' || next == '\r' {
				return true
			}
		}
	}
	return false
}
