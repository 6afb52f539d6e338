package safety

import (
	"encoding/base64"
	"strings"
	"testing"
)

// Fake credentials are put together from parts, so that no scanner reports this file.
func TestSecrets(t *testing.T) {
	const tail = "Zq7Wm2Lk9" + "Xc4Vb8Nh1" + "Rt6Yp3Sd5" + "Gf0JwAe2k"
	longHeader := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"` + tail + tail + tail + `"}`))
	tests := []struct{ name, text, value, rule string }{
		{name: "none", text: "The token is in the vault."},
		{name: "github", text: "GITHUB_TOKEN=ghp_" + tail + "\n", value: "ghp_" + tail, rule: "github-token"},
		{name: "password only", text: `redis_url: "postgres://app:` + tail[:9] + `@db/x"`, value: tail[:9], rule: "connection-string"},
		{name: "no user", text: "rediss://:" + tail[:16] + "@cache.example.org:6379", value: tail[:16], rule: "connection-string"},
		{name: "key in nested JSON", text: `{"k":"-----BEGIN RSA ` + `PRIVATE KEY-----\n` + tail + tail + tail + `\n"`,
			value: `-----BEGIN RSA ` + `PRIVATE KEY-----\n` + tail + tail + tail + `\n`, rule: "private-key"},
		{name: "openai project", text: "key: sk-proj-" + tail + tail + "T3Blbk" + "FJ" + tail + tail,
			value: "sk-proj-" + tail + tail + "T3Blbk" + "FJ" + tail + tail, rule: "openai-key"},
		{name: "token with long header", text: "Bearer " + longHeader + ".eyJzdWIiOiJvcHMtdGVhbSJ9." + tail,
			value: longHeader + ".eyJzdWIiOiJvcHMtdGVhbSJ9." + tail, rule: "json-web-token"},
		{name: "documented AWS key", text: "AKIAIOSFODNN7EXAMPLE"},
		{name: "too short", text: "ghp_" + tail[:20]},
		{name: "masked", text: "ghp_" + strings.Repeat("*", 36)},
		{name: "filled with x", text: "ghp_" + strings.Repeat("x", 36)},
		{name: "counted out", text: "ghp_" + "0123456789" + tail[:26]},
		{name: "variable", text: "postgres://app:${DB_PASSWORD}@db.example.org/main"},
		{name: "template", text: "amqp://{{user}}:{{password}}@mq"},
		{name: "slot", text: "mysql://root:<password>@localhost"},
		{name: "same as user", text: "postgres://handoff:handoff@localhost/test"},
		{name: "tutorial password", text: "mongodb://admin:secret123@mongo:27017"},
		{name: "port", text: "see http://localhost:8080/@scope/package"},
		{name: "test key of Stripe", text: "sk_test_" + tail[:24]},
		{name: "sample token of jwt.io", text: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0." + tail},
		{name: "public key", text: "-----BEGIN PUBLIC KEY-----\n" + tail + tail + tail},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := Secrets(tt.text)
			if ids(found) != tt.rule {
				t.Fatalf("got %+v, want [%s]", found, tt.rule)
			}
			if tt.rule == "" {
				return
			}
			if got := tt.text[found[0].Offset:][:found[0].Length]; got != tt.value {
				t.Errorf("covers %q, want %q", got, tt.value)
			}
			if strings.Contains(found[0].Message, tt.value[:8]) {
				t.Errorf("quotes the value: %s", found[0].Message)
			}
		})
	}
}

func TestSecretsFindsEach(t *testing.T) {
	const key = "Zq7Wm2Lk9" + "Xc4Vb8Nh1" + "Rt6Yp3Sd5" + "Gf0JwAe2k"
	text := strings.Repeat("ghp_"+key+" then glpat-"+key[:20]+"\n", 50)
	if got := len(Secrets(text)); got != 100 {
		t.Errorf("found %d of 100", got)
	}
}
