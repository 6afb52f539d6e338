package base64text

import (
	"encoding/base64"
	"errors"
	"testing"
)

func TestDecode(t *testing.T) {
	const any, line, canonical = 1, 2, 4 // forms that accept the text
	tests := []struct {
		text, want string
		accepted   int
	}{
		{"", "", any | line | canonical},
		{"Zg==", "f", any | line | canonical},
		{"Zm8=", "fo", any | line | canonical},
		{"/+8=", "\xff\xef", any | line | canonical},
		{"Zg", "f", any | line},
		{"_-8", "\xff\xef", any | line},
		{"_-8=", "\xff\xef", any | line},
		{"YR==", "a", any | line},
		{"YR", "a", any | line},
		{"Zm9v\n", "foo", any},
		{"Zg==\n", "f", any},
		{"Zg\r\n==", "f", any},
		{"Zg=", "", 0},
		{"Zm8==", "", 0},
		{"Zg===", "", 0},
		{"=", "", 0},
		{"Z", "", 0},
		{"Zm 9", "", 0},
		{"_+8=", "", 0},
	}
	for _, tt := range tests {
		for form, bit := range map[Form]int{Any: any, ProtoJSON: line, Canonical: canonical} {
			got, err := Decode(tt.text, form)
			if want := tt.accepted&bit != 0; (err == nil) != want || want && string(got) != tt.want {
				t.Errorf("%q in form %d: %q, %v", tt.text, form, got, err)
			}
			if corrupt := base64.CorruptInputError(0); err != nil && !errors.As(err, &corrupt) {
				t.Errorf("%q in form %d: the error is %T", tt.text, form, err)
			}
		}
	}
}

// ProtoJSON accepts the same texts as a decoder without its shortcuts.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"", "Zg==", "_-8", "Zg=", "Zg\n==", "===="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, ok := plain(text)
		got, err := Decode(text, ProtoJSON)
		if (err == nil) != ok || ok && string(got) != string(want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	})
}

func plain(text string) ([]byte, bool) {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		for _, c := range text {
			if c == '\r' || c == '\n' {
				return nil, false
			}
		}
		if b, err := e.DecodeString(text); err == nil {
			return b, true
		}
	}
	return nil, false
}
