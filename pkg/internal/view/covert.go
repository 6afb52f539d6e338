package view

import "unicode/utf8"

// untag writes what the tag characters of text say that are not part of a flag, with
// lines between runs of them that lie apart.
func untag(b *builder) {
	text := b.text
	flag := false // the last character was the flag that tags make others of
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if flag {
			n = max(n, flagLen(text[i:]))
		}
		if classify(r) == tag && n == utf8.UTFMax && r < 0xE007F {
			b.apart(i)
			b.put(string(r-0xE0000), i, i+n)
		}
		flag = r == blackFlag
		i += n
	}
}

// unselect writes the bytes that variation selectors spell: sixteen values by the older
// ones, the others by the supplementary ones.
func unselect(b *builder) {
	text := b.text
	after := selector // the class of the character before
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		c := ordinary
		if r >= utf8.RuneSelf {
			c = classify(r)
		}
		if c == selector {
			v := r - 0xFE00
			if r >= 0xE0100 {
				v = r - 0xE0100 + 16
			}
			if after == selector || v >= 16 {
				b.apart(i)
				b.put(string([]byte{byte(v)}), i, i+n)
			}
		}
		after = c
		i += n
	}
	if !utf8.Valid(b.out) {
		b.trim(0)
	}
}

// apart writes an empty line if what was written last comes from well before text[i].
func (b *builder) apart(i int) {
	const near = 64
	if n := len(b.spans); n > 0 && i-b.next > near {
		b.put("\n\n", i, i)
	}
}
