package summarize

import (
	"cmp"
	"slices"
)

// A candidate is a unit in the forms that it may have in a summary.
type candidate struct {
	unit
	pieces []piece
	sizes  [forms]int // in bytes
	values [forms]int
}

// The forms, the shortest first.
const (
	bare   = iota // the clauses of some worth, without function words
	pruned        // the clauses of some worth
	whole
	forms
)

// formShare is how many hundredths of its worth a unit keeps in a form.
var formShare = [forms]int{bare: 86, pruned: 96, whole: 100}

// A step takes a unit into the summary, or from a shorter form to a longer one.
type step struct {
	candidate, form int32
	gain, size      int32
}

func byWorth(a, b unit) int {
	return cmp.Or(b.worth-a.worth, int(a.order)-int(b.order))
}

// best returns the units of the greatest worth, of about size bytes, sorted by their
// worth. It weighs them again: at first the counts of words were incomplete.
func (j *judge) best(units []unit, size int) []unit {
	units = slices.DeleteFunc(units, func(u unit) bool { return u.worth == 0 })
	slices.SortFunc(units, byWorth)
	for i := range units {
		u := &units[i]
		if size < 0 {
			units = units[:i]
			break
		}
		j.read(u.text, u.kind)
		u.worth = share(u.worth, j.weigh(u.asked, nil), int(u.sum))
		size -= len(u.text)
	}
	slices.SortFunc(units, byWorth)
	return units
}

// candidates returns the units worth a place in a summary of about size bytes, in order
// of their worth, with the worth that each adds to those before. known is the knowledge so
// far.
func (j *judge) candidates(units []unit, size int, known knowledge, minWorth int) []candidate {
	units = j.best(units, 10*size+4096)
	var out []candidate
	var scratch []byte
	total, fromNothing := 0, len(known) == 0
	for _, u := range units {
		if u.worth == 0 || total > 8*size+4096 {
			break
		}
		j.read(u.text, u.kind)
		if known.has(j.exact) || known.covers(j) && !(u.asked && fromNothing) {
			continue
		}
		alone := j.weigh(u.asked, nil)
		sum := j.weigh(u.asked, known)
		if sum < minWorth {
			continue
		}
		worth := share(u.worth, sum, alone)
		c := candidate{unit: u, pieces: slices.Clone(j.pieces)}
		kept := min(keep(c.pieces, u.kind), sum)
		for form := range forms {
			scratch = c.appendForm(scratch[:0], form, j.table)
			c.sizes[form] = len(scratch)
			c.values[form] = worth * formShare[form] / 100
			if form != whole {
				c.values[form] = share(c.values[form], kept, sum)
			}
		}
		if c.sizes[bare] == 0 {
			continue
		}
		known.learn(j)
		total += c.sizes[pruned]
		out = append(out, c)
	}
	return out
}

// The minimum worth of a unit, whoever the speaker, to be in a summary and to be added to
// one.
const (
	smallTalk = 25
	important = 120
)

// carried are the hundredths for units of the previous summary: they were chosen once.
const carried = 120

// overhead is the cost of a unit without its text: its part of a speaker's label and the
// separator.
const overhead = 10

// keep marks the pieces that stay when a unit is shortened: those of some worth, and
// short ones next to them, which are parts of a list or a subject. It returns their worth.
func keep(pieces []piece, k kind) (worth int) {
	const something = 50
	says := func(i int) bool {
		return i >= 0 && i < len(pieces) && (pieces[i].worth >= something || k == data && i == 0)
	}
	none := true
	for i := range pieces {
		none = none && !says(i)
	}
	for i := range pieces {
		p := &pieces[i]
		joins := k != data && p.words <= 3 && p.classes&chatter == 0 && (says(i-1) || says(i+1))
		if p.kept = none || says(i) || joins; p.kept {
			worth += p.worth
		}
	}
	return worth
}

// steps returns the steps that the candidates allow, the greatest gain per byte first.
func steps(list []candidate) []step {
	var out []step
	for i := range list {
		c := &list[i]
		gain, size := 0, -overhead
		begin := len(out)
		for form := range forms {
			s := step{int32(i), int32(form), int32(c.values[form] - gain), int32(c.sizes[form] - size)}
			if s.gain < 0 {
				continue
			}
			// A step that is better per byte than the one before, or no longer, is merged
			// with it.
			for len(out) > begin {
				last := out[len(out)-1]
				if s.size > 0 && int64(s.gain)*int64(last.size) < int64(last.gain)*int64(s.size) {
					break
				}
				s.gain += last.gain
				s.size += last.size
				out = out[:len(out)-1]
			}
			out = append(out, s)
			gain, size = c.values[form], c.sizes[form]
		}
	}
	slices.SortFunc(out, func(a, b step) int {
		return cmp.Or(cmp.Compare(int64(b.gain)*int64(a.size), int64(a.gain)*int64(b.size)),
			cmp.Compare(a.candidate, b.candidate), cmp.Compare(a.form, b.form))
	})
	return out
}

// fill takes steps while they fit into size bytes. It returns the form of each
// candidate, -1 for those left out, how many bytes they take, and whether all are
// whole.
func fill(list []candidate, order []step, size int) (chosen []int8, used int, all bool) {
	chosen = slices.Repeat([]int8{-1}, len(list))
	full := make([]bool, len(list)) // a step of the candidate did not fit
	all = true
	for _, s := range order {
		if full[s.candidate] {
			continue
		}
		if used+int(s.size) > size {
			full[s.candidate] = true
			all = false
			continue
		}
		used += int(s.size)
		chosen[s.candidate] = int8(s.form)
	}
	return chosen, used, all
}
