package summarize

import (
	"context"
	"slices"
	"strings"
)

// Extractive summarises by choosing sentences and shortening them. It asks no model, and
// the same request always gives the same summary. Every fragment is taken from the turns
// or the previous summary; only the first line and the "…" for omissions are its own.
//
// The zero value is ready to use, by several goroutines.
type Extractive struct{}

// Summarize implements [Summarizer]. The only error is that of ctx.
func (Extractive) Summarize(ctx context.Context, r Request) (Summary, error) {
	if len(r.Turns) == 0 && r.Count(r.Previous) <= r.MaxTokens {
		return Summary{Text: r.Previous}, ctx.Err()
	}
	units, speakers, j, turns, err := collect(ctx, r)
	if err != nil {
		return Summary{}, err
	}
	defer j.release()
	head := header(turns + len(r.Turns))
	return Summary{Text: j.fit(head, units, speakers, knowledge{}, smallTalk, r.MaxTokens, r.Count)}, ctx.Err()
}

// Complete adds to a summary by a model or a program the facts that it lacks: those that
// [Extractive] finds in r and whose figures, identifiers and words are not in the text,
// the most important ones within r.MaxTokens. A longer text is shortened.
func Complete(text string, r Request) string {
	used := r.Count(text)
	if used > r.MaxTokens {
		s, _ := Extractive{}.Summarize(context.Background(), Request{Previous: text, MaxTokens: r.MaxTokens, Count: r.Count})
		return s.Text
	}
	units, speakers, j, _, _ := collect(context.Background(), r)
	defer j.release()
	known := knowledge{}
	s := splitter{emit: func(text string, k kind) {
		j.read(text, k)
		known.learn(j)
	}}
	s.split(text)
	const head = "\n\nAlso said:"
	added := j.fit(head, units, speakers, known, important, r.MaxTokens-used, func(s string) int { return r.Count(text+s) - used })
	return text + added
}

// collect takes the previous summary and the turns apart into units. It also returns how
// many turns the previous summary was of. The caller releases the judge.
func collect(ctx context.Context, r Request) ([]unit, []speaker, *judge, int, error) {
	turns, previous, ours := cutHeader(r.Previous)
	size := len(previous)
	for _, t := range r.Turns {
		size += len(t.Text)
	}
	units := make([]unit, 0, min(size/64, maxUnits))
	var speakers []speaker
	var order int32
	j := judges.Get().(*judge)
	s := splitter{emit: func(text string, k kind) {
		j.read(text, k)
		j.often.add(j.terms)
		who := len(speakers) - 1
		u := unit{text: text, kind: k, speaker: int32(who), asked: speakers[who].asked && !strings.HasSuffix(text, "?"), order: order, shape: j.shape}
		u.sum = int32(j.weigh(u.asked, nil))
		if k != prose {
			u.form = form(text, k)
		}
		if u.warns = j.classes()&warning != 0; u.warns {
			u.form++ // warnings are alike among themselves
		}
		units = append(units, u)
		order++
		if len(units) == maxUnits {
			weighAll(units, speakers)
			units = thin(units)
		}
	}}
	for line := range strings.Lines(previous) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		who, rest, labelled := strings.Cut(line, ": ")
		if labelled = labelled && ours && len(who) <= maxLabel && strings.Count(who, " ") < 2; !labelled {
			who, rest = "", line
		}
		who = string(appendClean(nil, who))
		role, _, _ := strings.Cut(who, " ")
		said := speaker{share: 1000}
		if labelled {
			said = speakerOf(role, len(rest)/2) // a line has more than one turn
		}
		said.label = who
		said.share = said.share * carried / 100
		speakers = append(speakers, said)
		for part := range strings.SplitSeq(rest, between) {
			s.again(part)
		}
	}
	for _, t := range r.Turns {
		if err := ctx.Err(); err != nil {
			j.release()
			return nil, nil, nil, 0, err
		}
		said := speakerOf(t.Role, len(t.Text))
		said.label = label(t)
		speakers = append(speakers, said)
		s.split(t.Text)
	}
	weighAll(units, speakers)
	return units, speakers, j, turns, nil
}

// maxUnits limits the units kept at a time: a text of very short lines would otherwise
// cost many times its size.
const maxUnits = 1 << 19

// thin drops the half of the units that is worth less.
func thin(units []unit) []unit {
	slices.SortFunc(units, byWorth)
	units = units[:len(units)/2]
	slices.SortFunc(units, func(a, b unit) int { return int(a.order) - int(b.order) })
	return units
}

// maxLabel is the maximum size in bytes of a speaker's name.
const maxLabel = 60

// label names the speaker of a turn.
func label(t Turn) string {
	name := string(appendClean(nil, strings.ReplaceAll(t.Role+" "+t.Name, ":", " ")))
	if len(name) > maxLabel {
		name = strings.ToValidUTF8(name[:maxLabel], "")
	}
	return strings.TrimSpace(name)
}

// bulk is from how many lines of one form on they are bulk and not a list, and lots from
// how many on they are ignored.
const bulk, lots = 4, 50

// A series is how many units are alike, and which is the last.
type series struct{ size, last int32 }

// weighAll gives the units their worth. Those that are like many others are worth little:
// the lines of a log, the rows of a table. Of a repeated sentence or warning, with other
// figures or not, the last counts.
func weighAll(units []unit, speakers []speaker) {
	alike := make(map[uint64]series, len(units))
	add := func(sum uint64, i int) { alike[sum] = series{alike[sum].size + 1, int32(i)} }
	for i := range units {
		add(units[i].shape, i)
		if units[i].kind != prose {
			add(units[i].form, i)
		}
	}
	for i := range units {
		u := &units[i]
		same := alike[u.shape]
		if u.kind != prose && alike[u.form].size > same.size {
			same = alike[u.form]
		}
		n := int(same.size)
		once := u.kind == prose || u.warns
		if n > bulk && once && int(same.last) != i || n > lots && !once {
			continue
		}
		who := speakers[u.speaker]
		u.worth = int(u.sum) * kindShare[u.kind] / 100 * who.share / 1000
		if u.kind == data && who.calls {
			u.worth /= 3 // the arguments of a call: its result says more
		}
		if n > bulk && !once {
			if u.worth = u.worth * 2 / n; u.worth < smallTalk {
				u.worth = 0
			}
		}
	}
}

// fit returns a summary of the units, as long as maxTokens allows. Units worth less than
// minWorth are left out even if there is room.
func (j *judge) fit(head string, units []unit, speakers []speaker, known knowledge, minWorth, maxTokens int, count func(string) int) string {
	if maxTokens <= 0 {
		return ""
	}
	total := len(head)
	for _, u := range units {
		total += len(u.text) + overhead
	}
	size := 4 * min(maxTokens, total)
	list := j.candidates(units, size, known, minWorth)
	order := steps(list)
	best, low, high := "", 0, -1 // a text that fits, and the sizes known to fit and not to
	for try := range 16 {
		chosen, used, all := fill(list, order, size)
		text := render(head, list, chosen, speakers, j.table)
		n := count(text)
		if n > maxTokens {
			high = used
		} else {
			low = size
			if len(text) > len(best) {
				best = text
			}
			if all || n >= maxTokens-maxTokens/50 {
				break
			}
		}
		if high >= 0 && high-low < 16 {
			break
		}
		// A size estimated from the bytes per token so far, if it is between the known
		// sizes. Otherwise their mean.
		size = int(int64(used) * int64(maxTokens) / int64(max(n, 1)))
		switch {
		case high < 0 && (size <= low || size > 2*low):
			size = 2 * low
		case high >= 0 && (size <= low || size >= high || try > 4):
			size = (low + high) / 2
		}
	}
	return best
}
