package privacy

import "strings"

// date looks for a date of birth: a date after a word for birth.
func (f *finder) date(t *token) int {
	if t.groups[0].letters > 0 && !isOrdinal(t) || t.groups[0].digits > 4 && t.groups[0].digits != 8 {
		return 0
	}
	start, end := f.day(t)
	if end == 0 || f.named&ofBirth == 0 && f.near(start)&ofBirth == 0 {
		return 0
	}
	f.add(BirthDate, "", start, end, 0.9)
	return end
}

func isOrdinal(t *token) bool {
	return t.groups[0].digits <= 2 && strings.Contains("ST ND RD TH", string(t.plain[t.groups[0].digits:t.groups[0].plain]))
}

// day returns the start and end of the date in a token; an end of 0 means none. The month may be a
// word in the token or before it.
func (f *finder) day(t *token) (start, end int) {
	start = t.start
	first := number(t.plain[:t.groups[0].digits])
	if t.n >= 3 && t.digitsUpTo(3) > 0 && t.shape[t.groups[0].shape] == t.shape[t.groups[1].shape] {
		a, b, c := first, number(t.plain[t.groups[0].plain:t.groups[1].plain]), number(t.plain[t.groups[1].plain:t.groups[2].plain])
		end = t.groups[2].end
		switch long := t.groups[2].digits == 4 || t.groups[2].digits == 2; {
		case t.groups[0].digits == 4 && isDay(a, b, c), long && isDay(c, b, a), long && isDay(c, a, b):
			return start, end
		}
		return 0, 0
	}
	if t.n == 1 && t.groups[0].digits == 8 {
		y, m, d := number(t.plain[:4]), number(t.plain[4:6]), number(t.plain[6:8])
		if isDay(y, m, d) || isDay(number(t.plain[4:8]), number(t.plain[2:4]), number(t.plain[:2])) {
			return start, t.groups[0].end
		}
		return 0, 0
	}
	// 1990年5月17日
	if rest := f.text[t.groups[0].end:]; t.groups[0].digits == 4 && (strings.HasPrefix(rest, "年") || strings.HasPrefix(rest, "년")) {
		for _, last := range []string{"日", "일"} {
			if at := strings.Index(rest, last); at > 0 && at < 24 {
				return start, t.groups[0].end + at + len(last)
			}
		}
	}
	if first < 1 || first > 31 {
		return 0, 0
	}
	// March 17, 1990
	if month, ok := f.monthBefore(t.start); ok {
		if year, end := f.yearAfter(t.groups[0].end); year > 0 {
			return month, end
		}
		return month, t.groups[0].end
	}
	// 17. März 1990, 17 de marzo de 1990, 17-Mar-1990
	if end := f.monthAfter(t.groups[0].end); end > 0 {
		if year, after := f.yearAfter(end); year > 0 {
			end = after
		}
		return start, end
	}
	return 0, 0
}

// monthBefore returns the start of the month name before an offset.
func (f *finder) monthBefore(at int) (start int, ok bool) {
	end := at
	for end > 0 && at-end < 3 && (f.text[end-1] == ' ' || f.text[end-1] == '.') {
		end--
	}
	start = end
	for start > 0 && end-start < 20 && isWord(f.text[start-1]) {
		start--
	}
	return start, end < at && is(isMonth, f.text[start:end])
}

// monthAfter returns the end of the month name after an offset, 0 if there is none.
func (f *finder) monthAfter(at int) int {
	start := at
	for start < len(f.text) && start-at < 3 && strings.IndexByte(" .-/", f.text[start]) >= 0 {
		start++
	}
	for _, word := range []string{"de ", "of "} {
		if strings.HasPrefix(f.text[start:], word) {
			start += len(word)
		}
	}
	end := start
	for end < len(f.text) && end-start < 20 && isWord(f.text[end]) {
		end++
	}
	if end == start || !is(isMonth, f.text[start:end]) {
		return 0
	}
	return end
}

// yearAfter returns the year after an offset and its end, 0 if there is none.
func (f *finder) yearAfter(at int) (year, end int) {
	start := at
	for start < len(f.text) && start-at < 3 && strings.IndexByte(" .,-/'", f.text[start]) >= 0 {
		start++
	}
	if rest, ok := strings.CutPrefix(f.text[start:], "de "); ok {
		start = len(f.text) - len(rest)
	}
	end = start
	for end < len(f.text) && isDigit(f.text[end]) {
		end++
	}
	if n := end - start; n != 4 && n != 2 || isWord(f.byteAt(end)) {
		return 0, 0
	}
	return number([]byte(f.text[start:end])) + 1, end
}
