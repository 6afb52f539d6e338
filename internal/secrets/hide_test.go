package secrets

import (
	"strings"
	"testing"
)

// TestHide checks which texts are hidden.
func TestHide(t *testing.T) {
	// Made-up values are concatenated here so that scanners do not report this file.
	const key = "a8Kd9Lw2Qp4Zx7Vb" + "1Nm3Rt6Yc5Ue0Hs8" + "Gj2Fk4"
	tests := []struct{ name, text, want string }{
		{"password", "password: Tr0ub4dor" + "&3xyz, then", "password: ****, then"},
		{"password in a sentence", "The password is s3cr3t" + "Passw0rd9.", "The password is ****."},
		{"assignment", "api_key=" + key[:16], "****"},
		{"variable", "export OPENAI_API_KEY=sk-proj-" + key, "export ****"},
		{"JSON", `{"token": "` + key[:12] + `"}`, `{"token": "****"}`},
		{"JSON in JSON", `{\"client_secret\":\"` + key[:12] + `\"}`, `{\"client_secret\":\"****\"}`},
		{"header", "Authorization: Bearer " + key[:9] + "." + key[9:20], "Authorization: Bearer ****"},
		{"without a name", "use hf_" + key, "use ****"},
		{"a known kind", "postgres://app:" + key[:9] + "@db.example.com/x", "postgres://app:****@db.example.com/x"},

		{"words", "The secret: nobody knows. A token for the bearer, and the password of the vault.", ""},
		{"figures", "The token 2026-05-01 and the secret 12345678; tokens: 4711.", ""},
		{"hash", "commit 8c41f0e2b7d94a1c8c41f0e2b7d94a1c8c41f0e2", ""},
		{"long names", "testConvertsUtf8StringsToBytes, Report-2026-of-the-Berlin-Office-and-Friends", ""},
		{"at the end", "password", ""},
		{"nothing behind it", "password: ", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.want == "" {
				test.want = test.text
			}
			got := Hide(test.text)
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
