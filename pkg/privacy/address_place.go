package privacy

import (
	"strings"

	"github.com/eaapl/handoff/pkg/privacy/internal/names"
)

// place reads the parts after a street: a flat, a district, a city, a state, a postcode or a
// country, on the same line or the next ones. It returns the end of the last part and the number of
// certain ones. If unnamed, it reads the street too.
func (f *finder) place(at int, unnamed bool) (end, certain int) {
	w := walker{text: f.text, at: at}
	end = at
	run, lines := 0, 0 // capitalised words since the last comma or line end
	for parts := 0; parts < 16; parts++ {
		from := w.at
		if !w.next(2, 2) {
			break
		}
		between := f.text[from:w.start]
		if strings.Contains(between, "\n\n\n") {
			break
		}
		if strings.ContainsAny(between, ",\n\\") {
			run = 0
			lines++
			if lines > 6 {
				break
			}
		}
		word := w.word()
		switch {
		case is(isFlat, word) || word[0] == '#':
			if word == "#" || word[0] != '#' {
				if !w.next(0, 0) || w.end-w.start > 6 {
					return end, certain
				}
			}
			end = w.end
			continue
		case isPostcode(word) && !(f.byteAt(w.end) == ' ' && isDigit(f.byteAt(w.end+1)) && !isSecondHalf(f.text[w.end+1:])) && (run > 0 || strings.ContainsAny(between, ",\n\\") || certain > 0 || unnamed):
			end = w.end
			certain++
			if rest := f.text[w.end:]; len(rest) > 3 && rest[0] == ' ' && isSecondHalf(rest[1:]) {
				w.at += 1 + secondHalf(rest[1:])
				end = w.at
			}
			run = 0
			continue
		case len(word) == 3 && isDigit(word[0]) && isDigit(word[2]) && len(f.text) > w.end+3 && f.text[w.end] == ' ' && isDigit(f.text[w.end+1]) && isDigit(f.text[w.end+2]) && !isWord(f.byteAt(w.end+3)):
			w.at += 3 // 111 43 Stockholm
			end = w.at
			certain++
			continue
		case len(word) == 2 && isUpper(word[0]) && isUpper(word[1]) || len(word) == 3 && isUpper(word[0]) && isUpper(word[1]) && isUpper(word[2]):
			if strings.Contains(states, " "+word+" ") || certain > 0 || f.postcodeFollows(w.at) {
				end = w.end
				certain++
				continue
			}
			return end, certain
		case isCapitalised(word) && !is(isStop, word):
			if run++; run > 4 {
				return end, certain
			}
			k := kindOf(word)
			next := f.byteAt(w.at)
			switch {
			case k&names.Place != 0 && (run == 1 && strings.ContainsAny(between, ",\n\\") || certain > 0 || next == 0 || next == '\n' || next == '.' || f.postcodeFollows(w.at)):
				end = w.end
				certain++
			case next == ',' || next == '\n' || next == 0 || next == '\\' || f.postcodeFollows(w.at):
				// An unlisted city as a separate part.
				if certain > 0 && (next == 0 || next == '\n') || strings.ContainsAny(between, ",\n\\") && !unnamed && lines == 1 || f.continues(w.at) {
					end = w.end
				}
			}
			continue
		case is(isParticle|isLinking, word):
			if run == 0 && !isCapitalised(word) && strings.ContainsAny(between, ",\n\\") {
				return end, certain
			}
			continue
		}
		break
	}
	return end, certain
}

// continues reports whether a postcode, a state or a known place follows within a few words.
func (f *finder) continues(at int) bool {
	w := walker{text: f.text, at: at}
	for range 5 {
		if !w.next(2, 2) {
			return false
		}
		word := w.word()
		switch {
		case isPostcode(word), strings.Contains(states, " "+word+" ") && isUpper(word[0]):
			return true
		case !isCapitalised(word) && !is(isParticle, word):
			return false
		case kindOf(word)&(names.Place|names.Word|names.First) == names.Place:
			return true
		}
	}
	return false
}

func (f *finder) postcodeFollows(at int) bool {
	w := walker{text: f.text, at: at}
	return w.next(1, 1) && isPostcode(w.word())
}

// states are abbreviations of states and provinces used in addresses.
const states = " AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR AA AE AP VI GU " +
	"AB BC MB NB NL NS NT NU ON PE QC SK YT NSW QLD VIC TAS ACT UK USA US GB APO FPO DPO "

// isPostcode reports whether a word has the form of a postcode or its first half.
func isPostcode(word string) bool {
	digits, letters, dashes := 0, 0, 0
	for _, b := range []byte(word) {
		switch {
		case isDigit(b):
			digits++
		case isUpper(b):
			letters++
		case b == '-':
			dashes++
		default:
			return false
		}
	}
	switch {
	case dashes > 1, digits == 0:
		return false
	case letters == 0 && dashes == 0:
		return digits >= 4 && digits <= 6
	case letters == 0:
		return digits == 5 || digits == 8 || digits == 9 || digits == 7 // 00-950, 01310-100, 12345-6789, 100-0001
	}
	return len(word) >= 2 && len(word) <= 8 && letters <= 4 && (isUpper(word[0]) && letters <= 3) && (len(word) >= 3 || digits == 1)
}

// isSecondHalf reports whether a postcode continues: 1AA of SW1A 1AA, 1B1 of K1A 1B1, AB of 1012
// AB.
func isSecondHalf(rest string) bool { return secondHalf(rest) > 0 }

func secondHalf(rest string) int {
	n := 0
	for n < len(rest) && (isDigit(rest[n]) || isUpper(rest[n])) {
		n++
	}
	if n < len(rest) && isWord(rest[n]) {
		return 0
	}
	if n == 3 && isDigit(rest[0]) && (isUpper(rest[1]) || isDigit(rest[2])) {
		return 3
	}
	return 0
}
