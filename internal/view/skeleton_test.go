package view

import "testing"

func TestSkeleton(t *testing.T) {
	for r, want := range map[rune]string{
		'А': "A", 'ο': "o", 'Ｘ': "X", '𝐓': "T", 'é': "e", 'ⓒ': "c", '🅰': "A", 'ſ': "s", 'ﬁ': "fi",
		'—': "-", '“': `"`, '［': "[", '\u00a0': " ", '\u2028': " ", '\u200b': "", '\u0301': "", '\U000E0041': "", '漢': "", '→': "",
	} {
		if got := Skeleton(r); got != want {
			t.Errorf("Skeleton(%q) = %q, want %q", r, got, want)
		}
	}
}
