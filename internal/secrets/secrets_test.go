package secrets

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Fake credentials are concatenated from parts, so that no scanner reports this file.
func TestFind(t *testing.T) {
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
		{name: "longer than a token of GitHub", text: "gho_" + strings.Repeat(tail[:16], 17)},
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
			found := Find(tt.text)
			if tt.rule == "" {
				if len(found) > 0 {
					t.Fatalf("got %v, want none", found)
				}
				return
			}
			if len(found) != 1 || found[0].Kind.ID != tt.rule {
				t.Fatalf("got %v, want one %s", found, tt.rule)
			}
			if got := tt.text[found[0].Offset:][:found[0].Length]; got != tt.value {
				t.Errorf("covers %q, want %q", got, tt.value)
			}
			if got := found[0].String(); strings.Contains(got, tt.value[:8]) {
				t.Errorf("quotes the value: %s", got)
			}
		})
	}
}

func TestFindsEach(t *testing.T) {
	const key = "Zq7Wm2Lk9" + "Xc4Vb8Nh1" + "Rt6Yp3Sd5" + "Gf0JwAe2k"
	text := strings.Repeat("ghp_"+key+" then glpat-"+key[:20]+"\n", 50)
	if got := len(Find(text)); got != 100 {
		t.Errorf("found %d of 100", got)
	}
}

// Every kind is found in its example, and in no similar text.
func TestKinds(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range Kinds() {
		if k.ID == "" || k.Summary == "" || k.Why == "" || seen[k.ID] {
			t.Errorf("incomplete or repeated: %+v", k)
		}
		seen[k.ID] = true
		if found := Find(k.Example); len(found) != 1 || found[0].Kind != k {
			t.Errorf("%s: got %v in its example", k.ID, found)
		}
		if found := Find(k.Similar); len(found) > 0 {
			t.Errorf("%s: got %v in %q", k.ID, found, k.Similar)
		}
	}
}

// Windows around literals miss nothing that an expression finds in the whole text.
func TestFindMissesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(patterns()).Draw(t, "kind")
		text := matching(kind).Draw(t, "text")
		want := matchedBy(text) != ""
		if got := len(Find(text)) > 0; got != want {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	})
}

func TestIsRandom(t *testing.T) {
	for word, want := range map[string]bool{
		"a8Kd9Lw2Qp4Zx7Vb1Nm3Rt6Yc5Ue": true,
		"a8Kd9Lw2Qp4/Zx7Vb1Nm3Rt6Yc+x": true,
		"aGVsbG8gd29ybGQgaGVsbG8gd29y": true,

		"8c41f0e2b7d94a1c8c41f0e2b7d94a1c8c41f0e2": false, // a hash
		"8f14e45f-ceea-467f-a0e6-9b5c1d2e3f40":     false,
		"testConvertsUtf8StringsToBytes":           false,
		"/home/Me/Projects2026/agents/keys/team":   false,
		"Report-2026-of-the-Berlin-Office":         false,
		"a8Kd9Lw2Qp4Zx7Vb1Nm3Rt6":                  false, // too short
	} {
		if got := IsRandom(word, 24); got != want {
			t.Errorf("%s: got %v, want %v", word, got, want)
		}
	}
}
