package privacy

import "strings"

// ibanLengths are the lengths of IBANs by country, from SWIFT's registry.
const ibanLengths = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27" +
	"GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30" +
	"NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30"

// ibanLength returns the length of a country's IBANs, 0 if it has none.
func ibanLength(country string) int {
	for i := 0; i < len(ibanLengths); i += 4 {
		if ibanLengths[i:i+2] == country {
			return int(ibanLengths[i+2]-'0')*10 + int(ibanLengths[i+3]-'0')
		}
	}
	return 0
}

// iban looks for an International Bank Account Number (ISO 13616), with spaces or dashes.
func (f *finder) iban(t *token) int {
	if t.shape[0] != 'L' && t.shape[0] != 'l' || t.shape[2] != 'd' || t.groups[0].plain < 4 {
		return 0
	}
	length := ibanLength(string(t.plain[:2]))
	if length == 0 || !isDigit(t.plain[3]) {
		return 0
	}
	for _, g := range t.groups[:t.n] {
		if g.plain < length {
			continue
		}
		if g.plain > length {
			return 0
		}
		var moved [40]byte
		text := append(append(moved[:0], t.plain[4:length]...), t.plain[:4]...)
		score := 0.99
		if mod97(text) != 1 {
			// Mistyped or invented, but still an account number.
			if score = 0.5; f.near(t.start)&(ofBank|ofCard) != 0 || strings.Contains(strings.ToLower(f.text[max(0, t.start-24):t.start]), "iban") {
				score = 0.7
			}
		}
		f.add(IBAN, string(t.plain[:2]), t.start, g.end, score)
		return g.end
	}
	return 0
}

// cardRanges are ranges of the first digits of payment cards, with the lengths of their numbers
// (ISO/IEC 7812). The first match wins.
var cardRanges = []struct {
	scheme   string
	from, to string
	min, max int
}{
	{"visa", "4", "4", 13, 19},
	{"mastercard", "51", "55", 16, 16},
	{"mastercard", "2221", "2720", 16, 16},
	{"amex", "34", "34", 15, 15},
	{"amex", "37", "37", 15, 15},
	{"mir", "2200", "2204", 16, 19},
	{"discover", "6011", "6011", 16, 19},
	{"discover", "644", "649", 16, 19},
	{"discover", "65", "65", 16, 19},
	{"unionpay", "62", "62", 16, 19},
	{"unionpay", "81", "81", 16, 19},
	{"diners", "300", "305", 14, 19},
	{"diners", "309", "309", 14, 19},
	{"diners", "36", "36", 14, 19},
	{"diners", "38", "39", 14, 19},
	{"jcb", "3528", "3589", 16, 19},
	{"jcb", "1800", "1800", 15, 15},
	{"jcb", "2131", "2131", 15, 15},
	{"rupay", "60", "60", 16, 16},
	{"rupay", "82", "82", 16, 16},
	{"rupay", "508", "508", 16, 16},
	{"maestro", "50", "50", 12, 19},
	{"maestro", "56", "58", 12, 19},
	{"maestro", "6", "6", 12, 19},
	{"troy", "9792", "9792", 16, 16},
}

// cardScheme returns the scheme of a card number, "" if there is none.
func cardScheme(digits []byte) string {
	for _, r := range cardRanges {
		prefix := string(digits[:len(r.from)])
		if prefix >= r.from && prefix <= r.to && len(digits) >= r.min && len(digits) <= r.max {
			return r.scheme
		}
	}
	return ""
}

// card looks for a payment card number.
func (f *finder) card(t *token) int {
	if t.plain[0] < '1' {
		return 0
	}
	for n := t.n; n > 0; n-- {
		count := t.digitsUpTo(n)
		if count < 12 || count > 19 || n > 5 {
			continue
		}
		digits := t.plain[:count]
		scheme := cardScheme(digits)
		if scheme == "" || !t.cardGroups(n) {
			continue
		}
		score := 0.9
		common := scheme != "maestro" && count >= 15
		switch c := f.near(t.start); {
		case !luhn(digits):
			if c&ofCard == 0 || n < 2 && count != 16 {
				continue
			}
			score = 0.6
		case c&ofCard != 0:
			score = 0.98
		case c&ofOther != 0 && n == 1:
			score = 0.45
		case n > 1 && common:
			score = 0.95
		case !common:
			score = 0.5 // few digits, or an unspecific beginning
			if c&(ofPhone|ofID|ofBank) != 0 || count == 12 {
				score = 0.3
			}
		}
		end := t.groups[n-1].end
		if f.add(Card, scheme, t.start, end, score) {
			return end
		}
	}
	return 0
}

// cardGroups reports whether the first n groups have the form of a card number: one group, 4-4-4-4,
// or the groups of longer and shorter cards.
func (t *token) cardGroups(n int) bool {
	if n == 1 {
		return true
	}
	if sep := t.shape[t.groups[0].shape]; sep != ' ' && sep != '-' {
		return false
	}
	var form [8]byte
	for i, g := range t.groups[:n] {
		form[i] = byte('0' + min(g.digits, 9))
	}
	switch string(form[:n]) {
	case "4444", "465", "464", "44443", "44442", "44441", "4443", "4441", "444", "45", "88", "4456", "649":
		return true
	}
	return false
}
