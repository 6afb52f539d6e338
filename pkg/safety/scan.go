package safety

import (
	"context"
	"slices"
	"sync"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/internal/view"
)

type scanner struct {
	options Options
	opinion func(text string) float64 // the model's, from 0 to 1
}

func (s scanner) set() *RuleSet {
	if s.options.Rules != nil {
		return s.options.Rules
	}
	return builtin()
}

func (s scanner) Rules() []Rule {
	var list []Rule
	for _, r := range s.set().rules {
		list = append(list, r.source.Rule())
	}
	return append(append(list, oddityRules()...), modelRule)
}

func (s scanner) Scan(ctx context.Context, field Field, text string) (Verdict, error) {
	return s.scan(ctx, field, text, mayMatch|mayHide)
}

// scan is Scan for a text with a suspicion.
func (s scanner) scan(ctx context.Context, field Field, text string, what suspicion) (Verdict, error) {
	verdict := Verdict{Threshold: s.options.threshold(field)}
	found, err := s.signals(ctx, field, text, what)
	if err != nil {
		return Verdict{}, err
	}
	if len(found) == 0 {
		return verdict, nil
	}
	found = strongest(found)
	for i := range found {
		found[i].Score = round(found[i].Score)
	}
	verdict.Score = Weigh(found)
	verdict.Flagged = verdict.Score >= verdict.Threshold
	verdict.Findings = found
	quote(found, text)
	return verdict, nil
}

// signals finds every signal in text as written and in its other readings. The findings have no
// excerpts yet.
func (s scanner) signals(ctx context.Context, field Field, text string, what suspicion) (found []Finding, err error) {
	most := pieceTries * (1 + len(text)/pieceLen)
	e := efforts.Get().(*effort)
	defer efforts.Put(e)
	e.tries = most
	if what&mayMatch != 0 {
		found, err = s.reading(ctx, field, text, e)
	}
	if err != nil || what&mayHide == 0 || view.Plain(text) {
		return found, err
	}
	type spot struct {
		rule    string
		segment int
	}
	known := make(map[spot]float64) // the best score so far
	for _, f := range found {
		at := spot{f.Rule, f.Offset / segmentStep}
		known[at] = max(known[at], f.Score)
	}
	for _, o := range view.Oddities(text) {
		f, ok := oddityFinding(o)
		if at := (spot{f.Rule, f.Offset / segmentStep}); ok && known[at] == 0 {
			known[at] = f.Score
			found = append(found, f)
		}
	}
	e.tries = most
	for reading := range view.Of(text) {
		more, err := s.reading(ctx, field, reading.Text, e)
		if err != nil {
			return nil, err
		}
		for _, f := range more {
			f.Offset, f.Length = reading.Origin(f.Offset, f.Offset+f.Length)
			for i, p := range f.features {
				f.features[i].offset, f.features[i].length = reading.Origin(p.offset, p.offset+p.length)
			}
			f.Via = string(reading.Kind)
			if at := (spot{f.Rule, f.Offset / segmentStep}); f.Score > 2*known[at] { // otherwise a duplicate
				if f.Rule != overloaded.ID {
					f.Score, f.Evidence.Disguised = disguisedScore(f.Score), true
				}
				known[at] = f.Score
				found = append(found, f)
			}
		}
	}
	return found, nil
}

// reading finds the signals in one reading of a text, within the remaining effort.
func (s scanner) reading(ctx context.Context, field Field, text string, e *effort) ([]Finding, error) {
	var found []Finding
	e.segments, e.excused = e.segments[:0], e.excused[:0]
	for from := 0; from < len(text); from += pieceLen {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found = s.set().piece(found, field, text, from, e)
	}
	return consult(s.opinion, found, field, text, e), nil
}

// A text is scanned in pieces, each with its own limits, so that an expensive place does not take
// from the next.
const (
	pieceLen   = 32 << 10
	ruleLooks  = 32   // maximum looks of one rule in a piece
	pieceTries = 1024 // maximum expression tries of all rules in a piece
	matchTries = 3    // cost of judging a match, in tries
	perRule    = 8    // maximum matches kept of one rule in a piece
)

// An effort is the remaining limits of a scan and the places it has looked at.
type effort struct {
	tries    int   // remaining expression tries
	segments []int // segments of the current text with looks, including those beyond the limits
	excused  []int // segments with a match that was judged harmless
	outs     []lookout
}

// of returns fresh lookouts for the rules of a set.
func (e *effort) of(set *RuleSet) []lookout {
	if cap(e.outs) < len(set.rules) {
		e.outs = make([]lookout, len(set.rules))
	}
	clear(e.outs)
	return e.outs[:len(set.rules)]
}

var efforts = sync.Pool{New: func() any { return new(effort) }}

// A lookout is the state of one rule in a piece.
type lookout struct {
	looks, matches uint8
	done           bool
}

// piece appends the findings of the rules in text from offset from on. A rule stops looking after a
// match that flags the text by itself, or when it has used up its looks. When all tries are used
// up, the text is reported as overloaded and only the model reads on.
func (set *RuleSet) piece(found []Finding, field Field, text string, from int, e *effort) []Finding {
	end := min(len(text), from+pieceLen)
	seen := text[from:min(len(text), end+maxReach)]
	outs := e.of(set)
	most, overload := max(0, e.tries-pieceTries), -1
	look := func(i, at int) {
		at += from
		r, out := set.rules[i], &outs[i]
		if out.done || at >= end || r.source.Fields != nil && !slices.Contains(r.source.Fields, field) {
			return
		}
		if !r.promises(text[at:min(len(text), at+r.reach)]) {
			return
		}
		if n := at / segmentStep; len(e.segments) == 0 || e.segments[len(e.segments)-1] != n {
			e.segments = append(e.segments, n)
		}
		if e.tries <= most && overload < 0 {
			overload = at
		}
		if e.tries <= most || out.looks >= ruleLooks {
			return
		}
		out.looks++
		e.tries -= len(r.source.Patterns)
		matched := r.matches(text, at)
		if matched == 0 {
			return
		}
		out.looks += matchTries
		e.tries -= matchTries
		f, ok := r.judge(field, text, at, at+matched)
		if !ok {
			e.excused = append(e.excused, at/segmentStep)
			return
		}
		found = append(found, f)
		out.matches++
		full := min(1, r.source.Weight*fieldFactor(field))
		out.done = f.Score >= full && full >= DefaultThreshold || out.matches == perRule
	}
	set.index().Find(seen, look)
	if overload >= 0 {
		found = append(found, overloadFinding(field, overload))
	}
	return found
}

// promises reports whether the rule's expressions can match in a window of a text. It looks only
// for the texts that every match contains, which is ten times faster than running the expressions.
func (r *rule) promises(window string) bool {
	if r.source.Needs == nil {
		return true
	}
	r.prepare()
	if len(window) < 2 {
		return slices.ContainsFunc(r.source.Needs, func(s string) bool { return hasPrefixLower(window, s) })
	}
	begins := r.begins
	key := uint16(window[0]&31)<<5 | uint16(window[1]&31)<<10
	for i := 2; i < len(window)+2; i++ {
		key >>= 5
		if i < len(window) {
			key |= uint16(window[i]&31) << 10
		}
		if begins[key>>6]>>(key&63)&1 == 0 {
			continue
		}
		for _, s := range r.source.Needs {
			if hasPrefixLower(window[i-2:], s) {
				return true
			}
		}
	}
	return false
}

// beginnings has a bit for every three letters, five bits each and case-insensitive. Other bytes
// share the codes of letters, and 0 stands for the end of a text.
type beginnings [1 << 9]uint64

// newBeginnings returns the beginnings of texts, by which most places are skipped.
func newBeginnings(texts []string) *beginnings {
	var b beginnings
	for _, s := range texts {
		known, key := min(len(s), 3), 0
		for i := range known {
			key |= int(s[i]&31) << (5 * i)
		}
		for rest := range 1 << (5 * (3 - known)) {
			k := key | rest<<(5*known)
			b[k>>6] |= 1 << (k & 63)
		}
	}
	return &b
}

// hasPrefixLower reports whether s begins with prefix after lowering ASCII capitals.
func hasPrefixLower(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c := s[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

// matches tries the rule at one of its literals and returns the length of the match, 0 if there is
// none.
func (r *rule) matches(text string, at int) int {
	r.prepare()
	for i, e := range r.exprs {
		if !r.openings[i].may(text[at:min(len(text), at+r.reach)]) {
			continue
		}
		if loc := e().FindStringIndex(text[at:min(len(text), at+r.reach)]); loc != nil {
			return loc[1]
		}
	}
	return 0
}

// judge returns the finding for a match of the rule in its context.
func (r *rule) judge(field Field, text string, start, end int) (Finding, bool) {
	if r.source.Order && notOrdered(text, start) ||
		r.unless != nil && r.unless().MatchString(text[max(0, start-64):min(len(text), end+96)]) {
		return Finding{}, false
	}
	left := mention(text, start, end)
	return Finding{
		Rule: "safety/" + r.source.ID, Category: r.source.Category, Message: r.source.Summary, doubtful: r.source.Doubtful,
		Score:  min(1, r.source.Weight*fieldFactor(field)) * left,
		Offset: start, Length: end - start,
		Evidence: Evidence{Weight: r.source.Weight, Field: fieldFactor(field), Mention: left, Doubt: 1},
	}, true
}

// quote sets the excerpts of the findings, without credentials.
func quote(found []Finding, text string) {
	hidden := secrets.Find(text)
	for i := range found {
		f := &found[i]
		f.Excerpt = excerpt(text, f.Offset, f.Offset+f.Length, hidden)
		quoted := f.Excerpt
		for n, p := range f.features {
			if n == 0 {
				quoted = "above all "
			} else {
				quoted += ", "
			}
			shown := excerpt(text, p.offset, p.offset+p.length, hidden)
			quoted += shown
			f.Evidence.Features = append(f.Evidence.Features, Feature{shown, p.weight})
		}
		f.Message += ": " + quoted
	}
}
