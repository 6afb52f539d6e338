package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSigningRecipes runs the recipes of docs/signing.md, in other languages,
// against handoff: each verifies what the other signs, and neither verifies what
// was changed.
func TestSigningRecipes(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "signing.md"))
	if err != nil {
		t.Fatal(err)
	}
	handoff, err := os.Executable() // this test binary is the command, by the name of handoff
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(handoff, filepath.Join(dir, "handoff")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("HANDOFF_KEY_FILE", "key")
	t.Chdir(dir)
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("key", "0123456789abcdefghijklmnopqrstuv\n")

	for _, recipe := range []struct {
		language string
		needs    []string
	}{
		{"python", []string{"python3"}},
		{"js", []string{"node"}},
		{"sh", []string{"sh", "openssl", "jq"}},
	} {
		t.Run(recipe.language, func(t *testing.T) {
			for _, program := range recipe.needs {
				if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") == "" {
					t.Skipf("%s is not installed", program)
				} else if err != nil {
					t.Fatalf("%s is not installed", program)
				}
			}
			blocks := regexp.MustCompile("(?s)```"+recipe.language+"\n(.*?)```").FindAllSubmatch(doc, -1)
			if blocks == nil {
				t.Fatal("docs/signing.md has no recipe")
			}
			script := "signature." + recipe.language
			write(script, string(blocks[len(blocks)-1][1]))
			theirs := func(verb, in string) (string, error) { return pipe(in, recipe.needs[0], script, verb, "key") }
			for _, message := range []string{
				`{"schemaVersion":"2.0","b":[1.50,0.000001,1e-7,1E21,123456789012345680000,-0.0,0.1,5e-324],"a":{"é":null,"\u20ac":true,"":"\u0000\u001f\u007f\\/\""}}`,
				`{"\ufb33":1,"😀":2,"Z":3,"a":4,"signatureKeyId":"k1"}`,
			} {
				ours, err := pipe(message, "handoff", "sign", "--force")
				if err != nil {
					t.Fatalf("%v\n%s", err, ours)
				}
				if out, err := theirs("verify", ours); err != nil {
					t.Errorf("does not verify %s: %v\n%s", ours, err, out)
				}
				if _, err := theirs("verify", strings.Replace(ours, "signature\":\"hmac-sha256:", "signature\":\"hmac-sha256:0", 1)); err == nil {
					t.Error("verifies another signature")
				}
				signed, err := theirs("sign", message)
				if err != nil {
					t.Fatalf("%v\n%s", err, signed)
				}
				if out, err := pipe(signed, "handoff", "verify"); err != nil {
					t.Errorf("%s\ndoes not verify: %v\n%s", signed, err, out)
				}
				changed := strings.Replace(signed, "{", `{"x":0,`, 1)
				if _, err := theirs("verify", changed); err == nil {
					t.Errorf("verifies %s", changed)
				}
				if _, err := pipe(changed, "handoff", "verify"); err == nil {
					t.Errorf("handoff verifies %s", changed)
				}
			}
		})
	}
}

// pipe runs a command and returns what it prints, and on failure also what it
// says.
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
