package summarize

import (
	"context"
	"slices"
	"strings"
)

// Extractive summarises by choosing values and sentences. It uses no model and is deterministic.
// Every fragment is taken from the turns or the previous summary; only the first line, the numbers
// of turns before values and the "…" of cut texts are its own. docs/trimming.md describes the form.
//
// The zero value is ready to use, and safe for concurrent use.
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

// Complete adds the missing facts to a summary written by a model or program: the facts that
// [Extractive] finds in r and whose figures, identifiers and words are not in text, the most
// important ones within r.MaxTokens. A longer text is shortened.
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
		j.kept.learn(j)
	}}
	s.split(text)
	const head = "\n\nAlso said:"
	added := j.fit(head, units, speakers, known, important, r.MaxTokens-used, func(s string) int { return r.Count(text+s) - used })
	return text + added
}

// collect splits the previous summary and the turns into units, the last turn first: so later uses
// are known. It also returns the number of turns that the previous summary covers. The caller
// releases the judge.
func collect(ctx context.Context, r Request) ([]unit, []speaker, *judge, int, error) {
	turns, previous, ours := cutHeader(r.Previous)
	size := len(previous)
	for _, t := range r.Turns {
		size += len(t.Text)
	}
	c := collector{units: make([]unit, 0, min(size/20, maxUnits)), judge: judges.Get().(*judge)}
	var lines []string
	var isNote []bool
	for line := range strings.Lines(previous) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		said, rest, noted := speaker{share: 1000, mark: 'a'}, line, false
		if ours {
			said, rest, noted = speakerOfLine(line)
		}
		isNote = append(isNote, noted)
		said.share = said.share * carried / 100
		c.speakers = append(c.speakers, said)
		lines = append(lines, rest)
	}
	for i, t := range r.Turns {
		said := speakerOf(t.Role, len(t.Text))
		said.label = label(t)
		said.turn = int32(turns + i + 1)
		c.speakers = append(c.speakers, said)
	}
	c.judge.kept = knowledge{}
	s := splitter{emit: func(text string, k kind) {
		c.judge.read(text, k)
		c.judge.kept.learn(c.judge)
		c.judge.often.learn(c.judge, 1<<30)
	}}
	for _, t := range r.Kept {
		s.split(t.Text)
	}
	s.emit = c.unit
	for i, t := range slices.Backward(r.Turns) {
		if err := ctx.Err(); err != nil {
			c.judge.release()
			return nil, nil, nil, 0, err
		}
		c.begin(len(lines) + i)
		s.split(t.Text)
	}
	for i := len(lines) + 1; i < len(c.speakers); i++ {
		if c.speakers[i].tool {
			c.speakers[i-1].failed = c.speakers[i].failed
		}
		c.speakers[i].reply = c.speakers[i-1].wants && c.speakers[i-1].mark != c.speakers[i].mark
	}
	for i, line := range slices.Backward(lines) {
		c.begin(i)
		if c.noted = isNote[i]; c.noted {
			for entry := range strings.SplitSeq(line, apart) {
				c.unit(entry, keyed)
			}
			continue
		}
		for part := range strings.SplitSeq(line, between) {
			s.again(part)
		}
	}
	weighAll(c.units, c.speakers)
	return c.units, c.speakers, c.judge, turns, nil
}

// A collector makes units of a splitter's output.
type collector struct {
	units    []unit
	speakers []speaker
	judge    *judge
	who      int32
	order    int32
	noted    bool
}

// begin begins the units of a speaker.
func (c *collector) begin(who int) { c.who, c.order = int32(who), 0 }

func (c *collector) unit(text string, k kind) {
	j, said := c.judge, &c.speakers[c.who]
	j.read(text, k)
	u := unit{text: text, kind: k, speaker: c.who, asked: said.asked && !strings.HasSuffix(text, "?"), order: c.order, shape: j.shape, noted: c.noted}
	if said.tool {
		u.used = j.isUsed(k, said.turn)
		said.failed = said.failed || k == data && j.fails(text)
		j.often.learn(j, 0)
	} else {
		j.often.learn(j, said.turn)
	}
	u.sum = int32(j.weigh(u.asked, nil))
	if k != prose {
		u.form = form(text, k)
	}
	if u.warns = j.classes()&warning != 0; u.warns {
		u.form++ // warnings only resemble other warnings
	}
	u.wants = j.wants(text)
	if k == prose && !said.tool {
		j.deny(said.turn)
	}
	j.tools = j.tools || k == data && said.calls
	said.wants = u.wants || endsInQuestionMark(text)
	c.units = append(c.units, u)
	c.order++
	if len(c.units) == maxUnits {
		weighAll(c.units, c.speakers)
		c.units = thin(c.units)
	}
}

// maxUnits bounds the units kept at a time: a text of very short lines would otherwise cost many
// times its size.
const maxUnits = 1 << 19

// thin drops the less worthy half of the units.
func thin(units []unit) []unit {
	slices.SortFunc(units, byWorth)
	units = units[:len(units)/2]
	slices.SortFunc(units, func(a, b unit) int { return inOrder(b, a) }) // in their original order
	return units
}

// bulk is the number of lines of one form from which they are bulk and not a list, and lots the
// number from which they are ignored.
const bulk, lots = 4, 50

// A series is the number of similar units and the last of them. Units come in reverse order of their
// turns.
type series struct {
	size           int32
	speaker, order int32
}

// isLast reports whether a unit is the last of the series, or after it.
func (s series) isLast(u *unit) bool {
	return u.speaker > s.speaker || u.speaker == s.speaker && u.order >= s.order
}

// weighAll sets the worth of the units. Units similar to many others, such as the lines of a log or
// the rows of a table, are worth little. If a sentence or warning is repeated, with other figures or
// not, the last one counts, and the others fill remaining space.
func weighAll(units []unit, speakers []speaker) {
	alike := make(map[uint64]series, len(units))
	add := func(sum uint64, u *unit) {
		s := alike[sum]
		if s.size++; s.size == 1 || s.isLast(u) {
			s.speaker, s.order = u.speaker, u.order
		}
		alike[sum] = s
	}
	for i := range units {
		add(units[i].shape, &units[i])
		if units[i].kind != prose {
			add(units[i].form, &units[i])
		}
	}
	for i := range units {
		u := &units[i]
		same := alike[u.shape]
		if u.kind != prose && alike[u.form].size > same.size {
			same = alike[u.form]
		}
		n := int(same.size)
		u.bulk = n > bulk
		who := speakers[u.speaker]
		u.worth = int(u.sum) * kindShare[u.kind] / 100 * who.share / 1000
		if u.kind == data && who.calls {
			u.worth /= 3 // arguments of a call: its result is more informative
		}
		once := u.kind == prose || u.warns
		switch {
		case u.noted || n <= bulk:
		case u.used:
			u.worth = min(u.worth, important)
		case once && !same.isLast(u):
			if u.worth = min(u.worth, 4*smallTalk/n+1); u.warns && u.kind != prose {
				u.worth = 0
			}
		case once:
		case n > lots:
			u.worth = 0
		default:
			if u.worth = u.worth * 2 / n; u.worth < smallTalk {
				u.worth = 0
			}
		}
	}
}

// fit returns a summary of the units, up to maxTokens. Units worth less than minWorth are left out
// even if they would fit.
func (j *judge) fit(head string, units []unit, speakers []speaker, known knowledge, minWorth, maxTokens int, count func(string) int) string {
	if maxTokens <= 0 {
		return ""
	}
	total := len(head)
	for _, u := range units {
		total += len(u.text) + overhead
	}
	size := 4 * min(maxTokens, total)
	j.onSheet = onSheet(roomOf(units, maxTokens, count))
	c := j.candidates(units, speakers, size, known, minWorth)
	best, low, high := "", 0, -1 // a text that fits, and the sizes known to fit and not to fit
	for try := range 16 {
		used, all := c.fill(size)
		text := c.render(head, speakers)
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
		// A size estimated from the bytes per token so far, if it is between the known sizes.
		// Otherwise their mean.
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

// roomOf returns the approximate number of bytes of the units in a number of tokens.
func roomOf(units []unit, tokens int, count func(string) int) int {
	var sample strings.Builder
	for i := range units {
		if sample.WriteString(units[i].text); sample.Len() > 1000 {
			break
		}
	}
	return int(int64(min(tokens, 1<<30)) * int64(sample.Len()) / int64(max(count(sample.String()), 1)))
}
