package view

// Letters set apart are taken for a word if there are this many in a row, with equal
// gaps of so many bytes.
const (
	minApart = 5
	maxGap   = 3
)

// single reports whether text[i] is a letter or digit that stands by itself.
func single(text string, i int) bool {
	return i < len(text) && byteMeaning[text[i]]&byteWord != 0 &&
		(i == 0 || byteMeaning[text[i-1]]&byteWord == 0) &&
		(i+1 == len(text) || byteMeaning[text[i+1]]&byteWord == 0)
}

// gapAfter returns what parts the single text[i] from the next, "" if none is near.
func gapAfter(text string, i int) string {
	for n := 1; n <= maxGap && i+n+1 < len(text) && byteMeaning[text[i+n]]&(byteHigh|byteWord) == 0; n++ {
		if single(text, i+n+1) {
			return text[i+1 : i+1+n]
		}
	}
	return ""
}

// row measures the row of singles parted by gap that begins with the one at text[i]:
// where the last of them is, and how many are letters rather than digits.
func row(text string, i int, gap string) (last, letters int) {
	for {
		if isLetter(text[i]) {
			letters++
		}
		if gap == "" || gapAfter(text, i) != gap {
			return i, letters
		}
		i += 1 + len(gap)
	}
}

// apartFrom returns the gap of the first row of letters set apart that begins at
// text[i:end], and otherwise where to go on looking.
func apartFrom(text string, i, end int) (gap string, next int) {
	for i < end {
		if !single(text, i) {
			i++
			continue
		}
		gap := gapAfter(text, i)
		last, letters := row(text, i, gap)
		if letters >= minApart {
			return gap, last
		}
		i = max(last, i+1)
	}
	return "", i
}

// closeUp writes text with letters set apart joined to words, and split words whole.
func closeUp(b *builder) {
	text := b.text
	gap, _ := apartFrom(text, 0, len(text))
	for i := 0; i < len(text); {
		if !single(text, i) {
			if !isSplitter(text[i]) || !splitsWord(text, i) {
				b.keep(i, i+1)
			}
			i++
			continue
		}
		last, letters := row(text, i, gap)
		if letters < 2 {
			b.keep(i, last+1)
			i = last + 1
			continue
		}
		for ; i < last; i += 1 + len(gap) {
			b.keep(i, i+1)
		}
		b.keep(last, last+1)
		i = last + 1
		end := i
		for end < len(text) && isSpace(text[end]) { // a wider gap parts words
			end++
		}
		if end > i {
			b.put(" ", i, end)
			i = end
		}
	}
}
