package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/tier"
)

// TestSigningRecipes runs the recipes of docs/signing.md in other languages. It checks that the recipes and handoff
// verify each other's signatures, and reject a changed message.
func TestSigningRecipes(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "signing.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("key", "0123456789abcdefghijklmnopqrstuv\n")
	runHere("", "keygen", "--type", "ed25519", "--key-id", "k1", "-o", "pair.key")
	if out, err := pipe("", "sh", "-c", "openssl genpkey -algorithm ed25519 -out pair.pem && openssl pkey -in pair.pem -pubout -out public.pem"); err != nil {
		t.Logf("%v\n%s", err, out) // recipes that need it are skipped or fail
	}

	for _, recipe := range []struct {
		name, language    string
		marker            string // of the recipe's block
		private, public   string // key files
		needs             []string
		works             []string // a command that succeeds if all dependencies are installed
		change, changedTo string   // give another signature
	}{
		{"python, HMAC", "python", "hmac", "key", "key", []string{"python3"}, nil, `"hmac-sha256:`, `"hmac-sha256:0`},
		{"python, Ed25519", "python", "ed25519", "pair.key", "pair.pub", []string{"python3"}, []string{"python3", "-c", "import cryptography"}, `"ed25519:`, `"ed25519:AAAA`},
		{"js, HMAC", "js", "hmac", "key", "key", []string{"node"}, nil, `"hmac-sha256:`, `"hmac-sha256:0`},
		{"js, Ed25519", "js", "ed25519", "pair.key", "pair.pub", []string{"node"}, nil, `"ed25519:`, `"ed25519:AAAA`},
		{"openssl, HMAC", "sh", "openssl dgst", "key", "key", []string{"sh", "openssl", "jq"}, nil, `"hmac-sha256:`, `"hmac-sha256:0`},
		{"openssl, Ed25519", "sh", "openssl pkeyutl", "pair.pem", "public.pem", []string{"sh", "openssl", "jq"}, []string{"openssl", "pkeyutl", "-sign", "-rawin", "-inkey", "pair.pem", "-in", "key"},
			`"ed25519:`, `"ed25519:AAAA`},
	} {
		t.Run(recipe.name, func(t *testing.T) {
			missing := func(what string) {
				if os.Getenv("CI") == "" {
					t.Skipf("%s is not installed", what)
				}
				t.Fatalf("%s is not installed", what)
			}
			for _, program := range recipe.needs {
				if _, err := exec.LookPath(program); err != nil {
					missing(program)
				}
			}
			if recipe.works != nil {
				if out, err := pipe("", recipe.works[0], recipe.works[1:]...); err != nil {
					missing(strings.Join(recipe.works, " ") + " fails: " + out + ": what it needs")
				}
			}
			script := "signature." + recipe.language
			for _, block := range regexp.MustCompile("(?s)```"+recipe.language+"\n(.*?)```").FindAllStringSubmatch(string(doc), -1) {
				if strings.Contains(block[1], recipe.marker) && strings.Contains(block[1], "usage: ") {
					write(script, block[1])
				}
			}
			theirs := func(verb, in string) (string, error) {
				return pipe(in, recipe.needs[0], script, verb, map[string]string{"sign": recipe.private, "verify": recipe.public}[verb])
			}
			sign := func(message, key string) string {
				signed, problems := runHere(message, "sign", "--force", "--key-file", key)
				if signed == "" {
					t.Fatal(problems)
				}
				return signed
			}
			verify := func(message string) (said string, code int) {
				var out bytes.Buffer
				code = runWriting(strings.NewReader(message), &out, &out, "verify", "--key-file", recipe.public)
				return out.String(), code
			}
			for _, message := range []string{
				`{"schemaVersion":"2.0","\ufb33":1,"😀":2,"Z":3,"b":[1.50,0.000001,1e-7,1E21,123456789012345680000,-0.0,0.1,5e-324],"signatureKeyId":"k1","a":{"é":null,"\u20ac":true,"":"\u0000\u001f\u007f\\/\""}}`,
				`{"\ufb33":1,"😀":2,"Z":3,"a":4}`,
				`{"a":4,"signatureKeyId":"k1"}`,
			}[:tier.Count(1, 3)] {
				ours := sign(message, recipe.private)
				if out, err := theirs("verify", ours); err != nil {
					t.Errorf("does not verify %s: %v\n%s", ours, err, out)
				}
				other := strings.Replace(ours, recipe.change, recipe.changedTo, 1)
				if _, err := theirs("verify", other); err == nil || other == ours {
					t.Error("verifies another signature")
				}
				signed, err := theirs("sign", message)
				if err != nil {
					t.Fatalf("%v\n%s", err, signed)
				}
				if out, code := verify(signed); code != program.ExitYes {
					t.Errorf("%s\ndoes not verify: %s", signed, out)
				}
				changed := strings.Replace(signed, "{", `{"x":0,`, 1)
				if _, err := theirs("verify", changed); err == nil {
					t.Errorf("verifies %s", changed)
				}
				if _, code := verify(changed); code == program.ExitYes {
					t.Errorf("handoff verifies %s", changed)
				}
			}
			// A signature by a key of the other type is invalid.
			foreign := map[bool]string{true: "key", false: "pair.key"}[recipe.private != "key"]
			ours := sign(`{"a":1}`, foreign)
			if out, err := theirs("verify", ours); err == nil {
				t.Errorf("verifies %s: %s", ours, out)
			}
		})
	}
}

// pipe runs a command and returns its output, on failure with its errors.
func pipe(in, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Stdin = strings.NewReader(in)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		out = append(out, said.Bytes()...)
	}
	return string(out), err
}
