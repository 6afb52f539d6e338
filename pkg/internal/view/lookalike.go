package view

import "sync"

// lookalikes lists, for each ASCII letter, letters of other scripts and phonetic ones
// that can pass for it. Styled letters are not listed if NFKC makes them ASCII.
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
	// Roman numerals that are one letter.
	for i, c := range []byte("IVXLCDM") {
		for _, base := range [...]rune{0x2160, 0x2170} {
			r := base + [...]rune{0, 4, 9, 12, 13, 14, 15}[i]
			m[r] = c
		}
	}
	// Letters in filled circles and squares, which NFKC leaves alone.
	for i := range rune(26) {
		m[0x1F150+i] = 'A' + byte(i)
		m[0x1F170+i] = 'A' + byte(i)
		m[0x1F1E6+i] = 'A' + byte(i)
	}
	return m
})
