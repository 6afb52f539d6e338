package view

import (
	"sync"
	"unicode/utf8"
)

// A class is the function of a non-ASCII character in a word.
type class uint8

const (
	ordinary   class = iota
	latin            // a Latin letter
	alike            // a letter of a script with letters that look Latin
	letterlike       // a styled letter or small capital, not used in ordinary words
	indicator        // a regional indicator: two of them form a flag
	mark             // combines with the preceding letter
	blank            // zero width
	selector         // a variation selector
	tag              // a tag character
	space            // a space other than ASCII's
)

// classify returns the class of r, which must not be ASCII.
func classify(r rune) class {
	switch {
	case r < 0x250:
		switch {
		case r == 0xAD:
			return blank
		case r == 0xA0:
			return space
		case r >= 0xC0 && r != 0xD7 && r != 0xF7:
			return latin
		}
	case r < 0x300: // phonetic letters
		switch r {
		case 'ʙ', 'ɢ', 'ʜ', 'ɪ', 'ʟ', 'ɴ', 'ʀ', 'ʏ':
			return letterlike
		}
		return alike
	case r < 0x370:
		if r == 0x34F {
			return blank
		}
		return mark
	case r < 0x590: // Greek, Cyrillic, Armenian
		if r >= 0x483 && r <= 0x489 {
			return mark
		}
		return alike
	case r < 0x1000:
		if r == 0x61C {
			return blank
		}
	case r < 0x2000:
		return classify1000(r)
	case r < 0x2E80:
		return classify2000(r)
	case r < 0xF900: // mostly Chinese, Japanese and Korean
		switch {
		case r == 0x3000:
			return space
		case r == 0x3164:
			return blank
		case r == 'ꜰ', r == 'ꜱ':
			return letterlike
		case r >= 0xA4D0 && r <= 0xA4F7, r >= 0xAB30 && r <= 0xABBF: // Lisu, Latin E, Cherokee
			return alike
		}
	default:
		return classifyF900(r)
	}
	return ordinary
}

func classify1000(r rune) class {
	switch {
	case r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r >= 0x180B && r <= 0x180F:
		return blank
	case r == 0x1680:
		return space
	case r >= 0x13A0 && r <= 0x13FF, r >= 0x1F00: // Cherokee, Greek with breathings
		return alike
	case r >= 0x1AB0 && r <= 0x1AFF, r >= 0x1DC0 && r <= 0x1DFF:
		return mark
	case r >= 0x1D00 && r <= 0x1DBF:
		return letterlike
	case r >= 0x1E00 && r <= 0x1EFF:
		return latin
	}
	return ordinary
}

func classify2000(r rune) class {
	switch {
	case r <= 0x200A, r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x2800:
		return space
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
		return blank
	case r >= 0x20D0 && r <= 0x20FF:
		return mark
	case r >= 0x210A && r <= 0x2115, r >= 0x2118 && r <= 0x211E, r >= 0x2124 && r <= 0x2149 && r != 0x2126,
		r >= 0x249C && r <= 0x24E9:
		return letterlike
	case r >= 0x2160 && r <= 0x217F, r >= 0x2C60 && r <= 0x2CFF: // Roman numerals, Coptic
		return alike
	}
	return ordinary
}

func classifyF900(r rune) class {
	switch {
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF:
		return selector
	case r >= 0xE0020 && r <= 0xE007F:
		return tag
	case r == 0xFEFF, r == 0xFFA0, r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A, r >= 0xE0000 && r <= 0xE0FFF:
		return blank
	case r >= 0xFE20 && r <= 0xFE2F:
		return mark
	case r >= 0xFF21 && r <= 0xFF3A, r >= 0xFF41 && r <= 0xFF5A,
		r >= 0x1D400 && r <= 0x1D7FF, r >= 0x1F110 && r <= 0x1F189:
		return letterlike
	case r >= 0x1F1E6 && r <= 0x1F1FF:
		return indicator
	}
	return ordinary
}

// isWord reports whether characters of class c can occur inside a word.
func (c class) isWord() bool {
	switch c {
	case latin, alike, letterlike, mark, blank, selector, tag:
		return true
	}
	return false
}

// isClassAt reports whether s begins with a non-ASCII character of class c.
func isClassAt(s string, c class) bool {
	if s == "" || s[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s)
	return classify(r) == c
}

// blackFlag is the flag that, followed by tag characters, becomes the flag of England, Scotland or
// Wales.
const blackFlag = 0x1F3F4

// flagLen returns the length of a flag's tag characters at the start of s, including the final
// cancel tag, and 0 if there is no such sequence.
func flagLen(s string) int {
	const most = 6 // as in gbeng
	n := 0
	for i, r := range s {
		switch {
		case r == 0xE007F && n > 0:
			return i + len("\U000E007F")
		case r < 0xE0030 || r > 0xE007A || n == most:
			return 0
		}
		n++
	}
	return 0
}

// lookalikes lists, for each ASCII letter, similar letters of other scripts and phonetic ones.
// Styled letters that NFKC maps to ASCII are not listed.
var lookalikes = [...]struct {
	letter byte
	others string
}{
	{'A', "АΑᎪꓮ"}, {'a', "аαɑᴀɐӑӓ"},
	{'B', "ВΒᏴꓐ"}, {'b', "ЬьвβʙƄ"},
	{'C', "СϹᏟꓚ"}, {'c', "сϲᴄɔ"},
	{'D', "Ꭰꓓ"}, {'d', "ԁᴅɗɖ"},
	{'E', "ЕΕᎬꓰЁ"}, {'e', "еεєᴇǝɛҽёə"},
	{'F', "Ϝꓝ"}, {'f', "ϝꜰƒɟ"},
	{'G', "ԌᏀꓖ"}, {'g', "ɡɢցԍɠ"},
	{'H', "НΗᎻꓧ"}, {'h', "һհʜнɦɥ"},
	{'I', "ІΙꓲЇ"}, {'i', "іιɩɪıїɨᎥ"},
	{'J', "ЈᎫꓙ"}, {'j', "јϳᴊյʝ"},
	{'K', "КΚᏦꓗ"}, {'k', "кκᴋʞ"},
	{'L', "Ꮮꓡ"}, {'l', "ӏӀʟɭɫ"},
	{'M', "МΜᎷꓟ"}, {'m', "мᴍɱɯ"},
	{'N', "Νꓠ"}, {'n', "ոռɴпηɳɲ"},
	{'O', "ОΟՕꓳ"}, {'o', "оοօᴏσөɵ"},
	{'P', "РΡᏢꓑ"}, {'p', "рρᴘ"},
	{'Q', "Ԛ"}, {'q', "ԛգզʠ"},
	{'R', "ᎡᏒꓣ"}, {'r', "гʀᴦɹɾɽяЯ"},
	{'S', "ЅᏚꓢՏ"}, {'s', "ѕꜱʂ"},
	{'T', "ТΤᎢꓔ"}, {'t', "тτᴛʇʈ"},
	{'U', "Սꓴ"}, {'u', "υսᴜʋ"},
	{'V', "ѴᏙꓦ"}, {'v', "νѵᴠʌ"},
	{'W', "ԜᏔꓪ"}, {'w', "ԝѡωᴡաʍ"},
	{'X', "ХΧꓫ"}, {'x', "хχ"},
	{'Y', "УΥҮꓬ"}, {'y', "уүγʏʎ"},
	{'Z', "ΖᏃꓜ"}, {'z', "ᴢʐ"},
}

var letterOf = sync.OnceValue(func() map[rune]byte {
	m := make(map[rune]byte)
	for _, l := range lookalikes {
		for _, r := range l.others {
			m[r] = l.letter
		}
	}
	// Roman numerals of one letter.
	for i, c := range []byte("IVXLCDM") {
		for _, base := range [...]rune{0x2160, 0x2170} {
			r := base + [...]rune{0, 4, 9, 12, 13, 14, 15}[i]
			m[r] = c
		}
	}
	// Letters in filled circles and squares, which NFKC does not change.
	for i := range rune(26) {
		m[0x1F150+i] = 'A' + byte(i)
		m[0x1F170+i] = 'A' + byte(i)
		m[0x1F1E6+i] = 'A' + byte(i)
	}
	return m
})
