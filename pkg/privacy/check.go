package privacy

import "time"

// luhn reports whether the last digit is the check digit of ISO/IEC 7812.
func luhn(digits []byte) bool {
	sum := 0
	for i, d := range digits {
		n := int(d - '0')
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// weighed returns the weighted sum of the first len(weights) digits.
func weighed(digits []byte, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += w * int(digits[i]-'0')
	}
	return sum
}

// mod97 returns the remainder of a number in which letters count from 10 (A) to 35 (Z), as in ISO
// 7064 for IBANs.
func mod97[T string | []byte](text T) int {
	n := 0
	for i := range len(text) {
		switch b := text[i]; {
		case isDigit(b):
			n = n*10 + int(b-'0')
		default:
			n = n*100 + int(b&^0x20-'A') + 10
		}
		n %= 97
	}
	return n
}

// Verhoeff's tables: multiplication in the dihedral group of order ten, and the permutation of the
// digits by position.
var (
	verhoeffProduct = [10]string{"0123456789", "1234067895", "2340178956", "3401289567", "4012395678", "5987604321", "6598710432", "7659821043", "8765932104", "9876543210"}
	verhoeffPlace   = [8]string{"0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258"}
)

// verhoeff reports whether the last digit is the check digit of Verhoeff's algorithm.
func verhoeff(digits []byte) bool {
	c := byte(0)
	for i := range digits {
		d := digits[len(digits)-1-i] - '0'
		c = verhoeffProduct[c][verhoeffPlace[i%8][d]-'0'] - '0'
	}
	return c == 0
}

// mod11and10 reports whether the last digit is the check digit of ISO 7064, MOD 11,10.
func mod11and10(digits []byte) bool {
	p := 10
	for _, d := range digits[:len(digits)-1] {
		if p = (p + int(d-'0')) % 10; p == 0 {
			p = 10
		}
		p = p * 2 % 11
	}
	return (11-p)%10 == int(digits[len(digits)-1]-'0')
}

func number(digits []byte) int {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}

// isDay reports whether a day exists in a year that is a plausible year of birth; two-digit years
// may be of either century.
func isDay(year, month, day int) bool {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	if year < 100 {
		year += 2000
	}
	if year < 1880 || year > 2100 {
		return false
	}
	return day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
