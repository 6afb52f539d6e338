package secrets

import (
	"strings"
	"testing"
)

// TestHideJSON checks that credentials with any escapes of JSON are hidden.
func TestHideJSON(t *testing.T) {
	const key = "a8Kd9Lw2Qp4Zx7Vb" + "1Nm3Rt6Yc5Ue0Hs8" + "Gj2Fk4"
	tests := []struct{ name, text, want string }{
		{"without escapes", `{"token": "` + key[:12] + `"}`, `{"token": "****"}`},
		{"a letter", `"x-\u0061pi-key: ` + key[:16] + `"`, `"x-\u0061pi-key: ****"`},
		{"in the value", `"password": "` + key[:4] + `\u0041` + key[4:9] + `"`, `"password": "****"`},
		{"a slash", `"https:\/\/app:` + key[:9] + `@db.example.com\/x"`, `"https:\/\/app:****@db.example.com\/x"`},
		{"lines", `"-----BEGIN ` + `PRIVATE KEY-----\n` + key + key + key + `\n-----END"`, `"****-----END"`},
		{"nothing", `"a \"quoted\" word\n and \ud83d\ude00 \`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.want == "" {
				test.want = test.text
			}
			got := HideJSON(test.text)
			if len(got) != len(test.text) {
				t.Errorf("the length changed: %q", got)
			}
			for strings.Contains(got, "*****") {
				got = strings.ReplaceAll(got, "*****", "****")
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// FuzzHideJSON checks that hiding changes no length and nothing outside of what it hides.
func FuzzHideJSON(f *testing.F) {
	f.Add(`"x-\u0061pi-key: a8Kd9Lw2Qp4Zx7Vb"`)
	f.Add(`\u00`)
	f.Fuzz(func(t *testing.T, text string) {
		hidden := HideJSON(text)
		if len(hidden) != len(text) {
			t.Fatalf("%d bytes became %d", len(text), len(hidden))
		}
		for i := range len(text) {
			if hidden[i] != text[i] && hidden[i] != '*' {
				t.Fatalf("byte %d became %q", i, hidden[i])
			}
		}
	})
}
