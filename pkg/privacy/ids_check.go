package privacy

import "strings"

// Each of these functions reports whether a text of the right shape, without separators and in
// capitals, can be the id.

func validSSN(d []byte) bool {
	area := number(d[:3])
	return area != 0 && area != 666 && area < 900 && number(d[3:5]) != 0 && number(d[5:]) != 0
}

func validITIN(d []byte) bool {
	group := number(d[3:5])
	return d[0] == '9' && (group >= 50 && group <= 65 || group >= 70 && group <= 88 || group >= 90 && group <= 92 || group >= 94)
}

func validChina(d []byte) bool {
	if !isDay(number(d[6:10]), number(d[10:12]), number(d[12:14])) || d[0] == '0' || d[0] == '9' {
		return false
	}
	return "10X98765432"[weighed(d, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11] == d[17]
}

// validTaxDE also checks that one of the first ten digits occurs two or three times, the rule since
// 2016.
func validTaxDE(d []byte) bool {
	var counts [10]int
	repeated := 0
	for _, b := range d[:10] {
		if counts[b-'0']++; counts[b-'0'] == 2 {
			repeated++
		} else if counts[b-'0'] > 3 {
			return false
		}
	}
	return d[0] != '0' && repeated == 1 && mod11and10(d)
}

func validSocialDE(d []byte) bool {
	if !isDay(number(d[6:8]), number(d[4:6]), number(d[2:4])%50) {
		return false
	}
	// The letter counts as two digits.
	letter := int(d[8]-'A') + 1
	digits := append([]byte{}, d[:8]...)
	digits = append(digits, byte('0'+letter/10), byte('0'+letter%10))
	digits = append(digits, d[9:11]...)
	sum := 0
	for i, w := range []int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1} {
		n := int(digits[i]-'0') * w
		sum += n/10 + n%10
	}
	return sum%10 == int(d[11]-'0')
}

func validAadhaar(d []byte) bool { return d[0] >= '2' && verhoeff(d) }

func validPAN(d []byte) bool { return strings.IndexByte("ABCFGHLJPT", d[3]) >= 0 }

func validMyNumber(d []byte) bool {
	check := 11 - weighed(d, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11
	if check > 9 {
		check = 0
	}
	return check == int(d[11]-'0')
}

func validNINO(d []byte) bool {
	prefix := string(d[:2])
	return !strings.ContainsAny(prefix, "DFIQUV") && d[1] != 'O' && d[8] <= 'D' &&
		!strings.Contains("BG GB KN NK NT TN ZZ", prefix)
}

func validNHS(d []byte) bool {
	check := 11 - weighed(d, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11
	return check%11 == int(d[9]-'0') && check != 10
}

func validNIR(d []byte) bool {
	if d[0] != '1' && d[0] != '2' || d[3] > '9' {
		return false
	}
	if month := number(d[3:5]); month == 0 || month > 12 && month < 20 || month > 42 {
		return false
	}
	digits, less := append([]byte{}, d[:13]...), 0
	switch d[6] { // Corsica
	case 'A':
		digits[6], less = '0', 1000000
	case 'B':
		digits[6], less = '0', 2000000
	default:
		if !isDigit(d[6]) {
			return false
		}
	}
	return 97-(number(digits)-less)%97 == number(d[13:])
}

// validCodice rejects the forms with letters in place of digits, which are for persons with
// otherwise identical codes.
func validCodice(d []byte) bool {
	if strings.IndexByte("ABCDEHLMPRST", d[8]) < 0 {
		return false
	}
	if day := number(d[9:11]); day%40 == 0 || day%40 > 31 || day > 71 {
		return false
	}
	// The values of 0 to 9 and A to Z at odd positions.
	const odd = "\x01\x00\x05\x07\x09\x0d\x0f\x11\x13\x15" +
		"\x01\x00\x05\x07\x09\x0d\x0f\x11\x13\x15\x02\x04\x12\x14\x0b\x03\x06\x08\x0c\x0e\x10\x0a\x16\x19\x18\x17"
	sum := 0
	for i, b := range d[:15] {
		n := int(b - '0')
		if !isDigit(b) {
			n = int(b - 'A')
		}
		if i%2 == 0 {
			if !isDigit(b) {
				n += 10
			}
			n = int(odd[n])
		}
		sum += n
	}
	return byte(sum%26) == d[15]-'A'
}

func validSIN(d []byte) bool { return d[0] != '8' && !same(d) && luhn(d) }

// modEleven returns a Brazilian check digit: 11 minus the remainder, or 0.
func modEleven(sum int) int {
	if sum %= 11; sum < 2 {
		return 0
	}
	return 11 - sum
}

func validCPF(d []byte) bool {
	return !same(d) && modEleven(weighed(d, 10, 9, 8, 7, 6, 5, 4, 3, 2)) == int(d[9]-'0') &&
		modEleven(weighed(d, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)) == int(d[10]-'0')
}

func validCNPJ(d []byte) bool {
	return !same(d) && modEleven(weighed(d, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) == int(d[12]-'0') &&
		modEleven(weighed(d, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) == int(d[13]-'0')
}

// same reports whether all digits are equal.
func same(d []byte) bool {
	for _, b := range d {
		if b != d[0] {
			return false
		}
	}
	return true
}

func validINN(d []byte) bool {
	if same(d) {
		return false
	}
	if len(d) == 10 {
		return weighed(d, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == int(d[9]-'0')
	}
	return weighed(d, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == int(d[10]-'0') &&
		weighed(d, 3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == int(d[11]-'0')
}

func validSNILS(d []byte) bool {
	return !same(d[:9]) && weighed(d, 9, 8, 7, 6, 5, 4, 3, 2, 1)%101%100 == number(d[9:])
}

// validRRN checks only the date: numbers assigned since October 2020 have no check digit.
func validRRN(d []byte) bool {
	return d[6] >= '1' && d[6] <= '8' && isDay(number(d[:2]), number(d[2:4]), number(d[4:6]))
}

func validTFN(d []byte) bool {
	if len(d) == 8 {
		return weighed(d, 10, 7, 8, 4, 6, 3, 5, 1)%11 == 0
	}
	return !same(d) && weighed(d, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0
}

func validMedicare(d []byte) bool {
	return d[0] >= '2' && d[0] <= '6' && weighed(d, 1, 3, 7, 9, 1, 3, 7, 9)%10 == int(d[8]-'0')
}

const lettersOfDNI = "TRWAGMYFPDXBNJZSQVHLCKE"

func validDNI(d []byte) bool { return lettersOfDNI[number(d[:8])%23] == d[8] }

func validNIE(d []byte) bool {
	first := strings.IndexByte("XYZ", d[0])
	return first >= 0 && lettersOfDNI[(first*10000000+number(d[1:8]))%23] == d[8]
}

func validCURP(d []byte) bool {
	if !isDay(number(d[4:6]), number(d[6:8]), number(d[8:10])) || strings.IndexByte("HMX", d[10]) < 0 {
		return false
	}
	const order = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ"
	sum := 0
	for i, b := range d[:17] {
		n := strings.IndexByte(order, b)
		if b > 'N' {
			n-- // Ñ has two bytes
		}
		sum += n * (18 - i)
	}
	return (10-sum%10)%10 == int(d[17]-'0')
}

func validBSN(d []byte) bool {
	return !same(d) && (weighed(d, 9, 8, 7, 6, 5, 4, 3, 2)-int(d[8]-'0'))%11 == 0
}

func validPESEL(d []byte) bool {
	return isDay(number(d[:2]), number(d[2:4])%20, number(d[4:6])) &&
		(10-weighed(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3)%10)%10 == int(d[10]-'0')
}

// validSwede also accepts the numbers of people without a permanent one, with 60 added to the day.
func validSwede(d []byte) bool {
	short := d[len(d)-10:]
	year := number(short[:2])
	if len(d) == 12 {
		year = number(d[:4])
	}
	return isDay(year, number(short[2:4]), number(short[4:6])%60) && luhn(short)
}

func validNorse(d []byte) bool {
	return isDay(number(d[4:6]), number(d[2:4]), number(d[:2])%40) &&
		weighed(d, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 && weighed(d, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

func validFinn(d []byte) bool {
	return isDay(number(d[4:6]), number(d[2:4]), number(d[:2])) &&
		"0123456789ABCDEFHJKLMNPRSTUVWXY"[(number(d[:6])*1000+number(d[6:9]))%31] == d[9]
}

func validSwiss(d []byte) bool {
	return string(d[:3]) == "756" && (10-weighed(d, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3)%10)%10 == int(d[12]-'0')
}

func validBelgian(d []byte) bool {
	if month := number(d[2:4]) % 20; month > 12 || number(d[4:6]) > 31 {
		return false
	}
	check := number(d[9:])
	n := number(d[:9])
	return 97-n%97 == check || 97-(2000000000+n)%97 == check
}

func validKimlik(d []byte) bool {
	odd := weighed(d, 1, 0, 1, 0, 1, 0, 1, 0, 1)
	even := weighed(d, 0, 1, 0, 1, 0, 1, 0, 1)
	return d[0] != '0' && (odd*7-even+100)%10 == int(d[9]-'0') && (odd+even+int(d[9]-'0'))%10 == int(d[10]-'0')
}
