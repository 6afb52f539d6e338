package summarize

import (
	"cmp"
	"math"
	"slices"
)

// A candidate is a unit and the forms in which a summary may include it.
type candidate struct {
	unit
	sizes  [forms]int // in bytes
	values [forms]int
	lead   int     // the end of its first clauses, 0 if it cannot be cut
	has    []int32 // its entries
	owns   []int32 // the entries that no worthier unit has
	form   int8
}

// The forms.
const (
	absent = iota
	sheet  // some of its values, on the fact sheet
	lead   // its first clauses
	whole
	forms
)

// onSheet returns the hundredths of its worth that a value keeps without its sentence, in a summary
// of room bytes: a shorter summary has to be denser.
func onSheet(room int) int { return 52 + 38*min(max(1500-room, 0), 1200)/1200 }

// leadShare is the share of their worth, in hundredths, that the first clauses keep.
const leadShare = 96

// inOrder compares the positions of units in the conversation.
func inOrder(a, b unit) int {
	return cmp.Or(cmp.Compare(a.speaker, b.speaker), cmp.Compare(a.order, b.order))
}

func byWorth(a, b unit) int { return cmp.Or(b.worth-a.worth, inOrder(a, b)) }

// best returns the units of the greatest worth, about size bytes in total, sorted by worth. It
// weighs them again, since word counts were incomplete at first.
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

// The minimum worth of a unit, for any speaker, to be in a summary and to be added to one.
const (
	smallTalk = 25
	important = 120
)

// carried is the factor, in hundredths, for units of the previous summary: they were chosen before.
const carried = 120

// overhead is the cost of a unit in addition to its text: its part of a speaker's label and the
// separator.
const overhead = 10

// candidates holds the candidates for a summary, in order of worth.
type candidates struct {
	list    []candidate
	entries []entry
	round   int32
}

// candidates returns the units worth including in a summary of about size bytes, each with the worth
// that it adds to the units before it. known is the knowledge so far.
func (j *judge) candidates(units []unit, speakers []speaker, size int, known knowledge, minWorth int) *candidates {
	units = j.best(units, 3*size+16384)
	out := new(candidates)
	var scratch []byte
	var values []entry
	at := map[uint64]int32{} // index of an entry by key
	var owners []int32
	total, fromNothing := 0, len(known) == 0
	for _, u := range units {
		if total > 2*size+16384 {
			break
		}
		said := &speakers[u.speaker]
		j.read(u.text, u.kind)
		if known.has(j.exact) {
			continue
		}
		if minWorth > smallTalk && (u.bulk && !u.used && said.tool || u.kind == code && said.calls) {
			continue // unused
		}
		c := candidate{unit: u}
		alone, sum := j.weigh(u.asked, nil), j.weigh(u.asked, known)
		covered := known.covers(j) && !(u.asked && fromNothing)
		if !u.noted && sum >= minWorth && !(covered && (minWorth > smallTalk || known.hasAll(j.facts, j.terms))) {
			worth := share(u.worth, sum, alone)
			if covered {
				worth /= 8
			}
			scratch = appendClean(scratch[:0], u.text)
			c.sizes[whole], c.values[whole] = len(scratch)+overhead, worth
			if c.lead = j.leading(u.kind); c.lead > 0 {
				kept := 0
				for _, p := range j.pieces {
					if p.end <= c.lead {
						kept += p.worth
					}
				}
				c.sizes[lead], c.values[lead] = c.lead+overhead, share(worth, kept, sum)*leadShare/100
			}
		}
		values = j.entries(values[:0], &u, said)
		for _, e := range values {
			if e.worth = e.worth * j.onSheet / 100; minWorth > smallTalk && e.worth*100 < minWorth*j.onSheet {
				continue
			}
			id, found := at[e.key]
			if !found {
				id = int32(len(out.entries))
				at[e.key] = id
				out.entries = append(out.entries, e)
				owners = append(owners, int32(len(out.list)))
			} else if have := &out.entries[id]; e.worth > have.worth || e.worth == have.worth && owners[id] < int32(len(out.list)) && inOrder(out.list[owners[id]].unit, u) < 0 {
				*have = e
				owners[id] = int32(len(out.list))
			}
			c.has = append(c.has, id)
		}
		if len(c.has) == 0 && c.values[whole] == 0 {
			continue
		}
		known.learn(j)
		total += len(u.text)
		out.list = append(out.list, c)
	}
	discount(out.entries, j.kept)
	for id, owner := range owners {
		c := &out.list[owner]
		c.owns = append(c.owns, int32(id))
	}
	for i := range out.list {
		c, sum := &out.list[i], 0
		for _, id := range c.owns {
			sum += out.entries[id].worth
		}
		if c.sizes[whole] > 0 {
			c.values[whole] = max(c.values[whole], sum+sum/nameShare) // it conveys its values
		}
	}
	return out
}

// leading returns the end of the first clauses of a sentence, if it may be cut there: the rest has
// no negation, condition or correction, and the first clauses have no condition either, which might
// govern the rest. It returns 0 otherwise.
func (j *judge) leading(k kind) int {
	const binds = negation | ban | condition | correction | constraint | warning | flag
	if k != prose || len(j.pieces) < 2 {
		return 0
	}
	end, rest := 0, 0
	for i := len(j.pieces) - 1; i > 0; i-- {
		p := &j.pieces[i]
		if p.classes&binds != 0 {
			break
		}
		rest += p.worth
		before, words := 0, 0
		for _, q := range j.pieces[:i] {
			before += q.worth
			words += q.words
		}
		if words >= 4 && rest < before/2 {
			end = p.start
		}
	}
	for _, p := range j.pieces {
		if p.end <= end && p.classes&condition != 0 {
			return 0
		}
	}
	return end
}

// nameShare is the divisor for the worth of a name: a name adds 1/nameShare of its value's worth.
const nameShare = 6

// profit returns the gain of the entry on the fact sheet at a price, and its size in bytes, 0 if it
// is not worth including.
func (e *entry) profit(price int) (profit, size int, named bool) {
	size = e.size()
	if profit = e.worth<<8 - price*size; profit <= 0 {
		return 0, 0, false
	}
	if e.name != "" {
		if more := e.worth<<8/nameShare - price*(len(e.name)+2); more > 0 {
			return profit + more, size + len(e.name) + 2, true
		}
	}
	return profit, size, false
}

// at returns the form and the size of a candidate at a price: the minimum worth per byte, in 256ths.
// The size is at most room bytes, unless the form is of values. Values that a sentence of this round
// already conveys are not put on the fact sheet.
func (s *candidates) at(c *candidate, price, room int) (best int8, size int) {
	gain := 0
	for _, id := range c.owns {
		if e := &s.entries[id]; e.said != s.round {
			profit, n, _ := e.profit(price)
			gain += profit
			size += n
		}
	}
	if size > 0 {
		best = sheet
	}
	for form := int8(lead); form < forms; form++ {
		if profit := c.values[form]<<8 - price*c.sizes[form]; c.sizes[form] > 0 && c.sizes[form] <= room && profit >= gain && profit > 0 {
			gain, size, best = profit, c.sizes[form], form
		}
	}
	return best, size
}

// says marks a sentence's values as conveyed, so that the fact sheet can omit them.
func (s *candidates) says(c *candidate, form int8) {
	if form == whole {
		for _, id := range c.has {
			s.entries[id].said = s.round
		}
	}
}

// take sets the form of a candidate at a price.
func (s *candidates) take(c *candidate, form int8, price int) {
	c.form = form
	s.says(c, form)
	for _, id := range c.owns {
		e := &s.entries[id]
		profit, _, named := e.profit(price)
		e.on, e.named = form == sheet && profit > 0 && e.said != s.round, named
	}
}

// total returns the total size in bytes at a price.
func (s *candidates) total(price, room int) (sum int) {
	s.round++
	for i := range s.list {
		form, n := s.at(&s.list[i], price, room)
		s.says(&s.list[i], form)
		sum += n
	}
	return sum
}

// fill chooses forms with a total of at most size bytes: first those worth the lowest price with a
// total that fits, then any that still fit. It returns the total, and whether everything is
// included.
func (s *candidates) fill(size int) (used int, all bool) {
	low, high := 0, 1<<18 // a price at which too much is chosen, and one that is high enough
	if s.total(0, math.MaxInt) <= size {
		high = 0
	}
	for high-low > max(1, low/16) {
		if mid := (low + high) / 2; s.total(mid, size) <= size {
			high = mid
		} else {
			low = mid
		}
	}
	s.round++
	for i := range s.list {
		c := &s.list[i]
		form, n := s.at(c, high, size)
		s.take(c, form, high)
		used += n
	}
	for price := high; price > 0; price = price * 3 / 4 {
		for i := range s.list {
			used += s.raise(&s.list[i], price, size-used)
		}
	}
	return used, high == 0
}

// raise gives a candidate the form chosen at the given price, if that form is longer and adds at
// most room bytes. It returns the number of added bytes, 0 if the form stays.
func (s *candidates) raise(c *candidate, price, room int) (more int) {
	if c.form == whole {
		return 0
	}
	now := c.sizes[c.form]
	for _, id := range c.owns {
		if e := &s.entries[id]; e.on {
			if now += e.size(); e.named {
				now += len(e.name) + 2
			}
		}
	}
	form, size := s.at(c, price, now+room)
	if more = size - now; form < c.form || more <= 0 || more > room {
		return 0
	}
	s.take(c, form, price)
	return more
}

// apart separates the values of a turn on the fact sheet.
const apart = "; "
