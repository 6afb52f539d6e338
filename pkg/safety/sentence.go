package safety

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// bySentence joins the flagged findings of a text that overlap or are in the same sentence: the
// strongest has the others in With, but a model finding never has rule findings. The findings and
// the result are sorted by offset, a joined one by its first. Allowed and unflagged findings are
// not joined.
func bySentence(text string, findings []PlacedFinding) []PlacedFinding {
	var joined []PlacedFinding
	last := -1 // the index in joined of the current sentence
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

// join adds a finding of the same sentence. Rule findings have precedence over the model's.
func (f *PlacedFinding) join(other PlacedFinding) {
	if f.Rule == modelRule.ID || other.Rule != modelRule.ID && other.Score > f.Score {
		f.Finding, other.Finding = other.Finding, f.Finding
	}
	f.With = append(f.With, other.Finding)
}

// Findings returns the finding and its With, by offset.
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

// Text returns the message with the other rules of the same sentence.
func (f PlacedFinding) Text() string {
	if also := f.Also(); len(also) > 0 {
		return f.Message + "; also " + strings.Join(also, ", ")
	}
	return f.Message
}

// A sentence is the extent of the findings in one sentence. A model finding covers a segment of
// many sentences, so findings within it need not be in the same one.
type sentence struct {
	begun      bool // by a rule finding, not by the model alone
	from, end  int  // start of the last rule finding, and end of all of them
	segmentEnd int  // end of the model finding
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

// endsSentence reports whether a sentence ends within a text: at a line end, or at a full stop,
// question mark or exclamation mark before a space.
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
