package cli_test

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/cli"
)

// TestShownSetting checks that no secret in a setting is shown, even if it is there by mistake.
func TestShownSetting(t *testing.T) {
	// Made-up values are concatenated here so that scanners do not report this file.
	const word, key = "tr0ub4dor", "a8Kd9Lw2Qp4Zx7Vb" + "1Nm3Rt6Yc5Ue0Hs8" + "Gj2Fk4"
	for _, text := range []string{
		"https://me:" + word + "@models.example.com/v1",
		"https://" + word + "@models.example.com/v1",
		"postgres://app:p@" + word + "@db/x",
		"https://models.example.com/v1?api_key=" + word,
		"ghp_" + key[:36],
		"https://me:" + word[:4] + "/" + word + "@host/",
		"//me:" + word + "@host/",
		"ask --password " + word,
		"Authorization: Bearer " + word,
		"API_KEY=" + word,
		key[:11] + "/" + key[11:25] + "+x",
		key,
		strings.Repeat("0a1b2c3d"+"4e5f6071", 4), // a key of 32 bytes in hexadecimal
		`{"kty":"oct","k":"` + key + `"}`,
		`strconv.ParseInt: parsing "` + key + `": invalid syntax`,
	} {
		got := cli.ShownSetting(text)
		for _, secret := range []string{word, key[:11], "0a1b2c3d"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q is shown as %q", text, got)
			}
		}
	}
	for _, text := range []string{
		"/run/secrets/team-1.key", "sh classify.sh --model small", "https://models.example.com/v1",
		"8f14e45f-ceea-467f-a0e6-9b5c1d2e3f40", "constraint-form,unknown-member", "</CONVERSATION HISTORY>", "0.000001",
		"Planner-Agent@1.0.0", "openai.check.warnings-as-errors", "/home/Me/Projects2026/agents/keys/team", "[x]",
	} {
		if got := cli.ShownSetting(text); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}
