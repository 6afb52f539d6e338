package merkle

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page is the document that specifies the formats byte by byte.
var page = filepath.Join("..", "..", "docs", "proving.md")

// blocks returns the code blocks of a language on the page.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, block := range regexp.MustCompile("(?sm)^```([a-z]*)\n(.*?)^```$").FindAllSubmatch(text, -1) {
		if string(block[1]) == language {
			found = append(found, string(block[2]))
		}
	}
	return found
}

// TestDocumentedExample checks that this package produces the example on the page.
func TestDocumentedExample(t *testing.T) {
	key, public := testKey()
	vkey, err := VerifierKey(keyName, public)
	if err != nil {
		t.Fatal(err)
	}
	p := prove(t, newMemory(t, 5), 5, 2)
	text, err := FormatProof(p)
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Join(blocks(t, ""), "\n---\n")
	for _, want := range []string{string(p.Checkpoint), vkey + "\n", string(text)} {
		if !strings.Contains(examples, want) {
			t.Errorf("not on the page, with the key %x:\n%s", key.Seed(), want)
		}
	}
}

// TestShellRecipe checks that the script on the page, with only openssl and sha256sum, accepts exactly the
// proofs that VerifyProof accepts.
func TestShellRecipe(t *testing.T) {
	for _, program := range []string{"sh", "openssl", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	if version, err := exec.Command("openssl", "version").Output(); err != nil || !regexp.MustCompile(`^OpenSSL ([3-9]|\d\d)`).Match(version) {
		t.Skipf("openssl is not of version 3 or later: %s, %v", version, err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	scripts := blocks(t, "sh")
	if len(scripts) != 2 {
		t.Fatalf("%s has %d recipes", page, len(scripts))
	}
	write("verify-record.sh", scripts[0])
	write("verifier-key-to-pem.sh", scripts[1])
	run := func(arguments ...string) (string, error) {
		c := exec.Command("sh", arguments...)
		c.Dir = dir
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		err := c.Run()
		if err != nil {
			return stderr.String(), err
		}
		return stdout.String() + stderr.String(), err
	}

	_, public := testKey()
	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]ed25519.PublicKey{"public.pem": public, "other.pem": other.Public().(ed25519.PublicKey)} {
		vkey, err := VerifierKey(keyName, key)
		if err != nil {
			t.Fatal(err)
		}
		pem, err := run("verifier-key-to-pem.sh", vkey)
		if err != nil {
			t.Fatalf("%v: %s", err, pem)
		}
		write(name, pem)
	}

	m := newMemory(t, 300)
	for _, at := range []struct{ size, index int64 }{{1, 0}, {2, 1}, {7, 6}, {13, 9}, {257, 256}} {
		p := prove(t, m, at.size, at.index)
		text, err := FormatProof(p)
		if err != nil {
			t.Fatal(err)
		}
		write("record.json", string(recordText(at.index)))
		write("record.tlog-proof", string(text))
		out, err := run("verify-record.sh", "record.json", "record.tlog-proof", "public.pem")
		want := fmt.Sprintf("record %d of %d in %s: %x\n", at.index, at.size, keyName, sha256.Sum256(recordText(at.index)))
		if err != nil || out != want {
			t.Fatalf("%v: got %q, want %q", err, out, want)
		}
	}

	p := prove(t, m, 5, 2)
	p.Extra = []byte("x")
	p.Checkpoint = append(p.Checkpoint, "— witness.example AAAAAAAAAAAA\n"...)
	text, err := FormatProof(p)
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	hash := strings.Split(good, "\n")[3] + "\n"
	for _, tt := range []struct{ what, record, key, old, new, want string }{
		{what: "extra data and a witness"},
		{what: "another record", record: "1", want: "the path does not lead to the root"},
		{what: "a newline after the record", record: "2\n", want: "the path does not lead to the root"},
		{what: "another key", key: "other.pem", want: "the key has not signed"},
		{what: "another index", old: "index 2", new: "index 1", want: "the path does not lead"},
		{what: "an index outside", old: "index 2", new: "index 5", want: "record 5 is not one of 5 records"},
		{what: "no index", old: "index 2\n", new: "", want: "not a number"},
		{what: "a command for an index", old: "index 2", new: "index a[$(touch broken)]", want: "not a number"},
		{what: "an index beyond the shell's numbers", old: "index 2", new: "index 18446744073709552216", want: "not a number"},
		{what: "a hash missing", old: hash, new: "", want: "the path does not lead"},
		{what: "a hash twice", old: hash, new: hash + hash, want: "the path"},
		{what: "another size", old: "\n5\n", new: "\n6\n", want: "the key has not signed"},
		{what: "another origin", old: "\nexample.com", new: "\nexample.org", want: "the key has not signed"},
		{what: "a line more", old: "\n5\n", new: "\n5\n5\n", want: "no valid checkpoint"},
		{what: "another format", old: "@v1", new: "@v2", want: "the format is not"},
		{what: "no checkpoint", old: good[strings.Index(good, "\n\n")+1:], new: "", want: "no valid checkpoint"},
		{what: "no signature", old: good[strings.Index(good, "\n— ")+1:], new: "", want: "the key has not signed"},
	} {
		if tt.record == "" {
			tt.record = "2"
		}
		if tt.key == "" {
			tt.key = "public.pem"
		}
		if !strings.Contains(good, tt.old) {
			t.Fatalf("%s: %q is not in the proof", tt.what, tt.old)
		}
		write("record.json", strings.Replace(`{"sequence":`+tt.record+"}", "\n}", "}\n", 1))
		write("record.tlog-proof", strings.Replace(good, tt.old, tt.new, 1))
		out, err := run("verify-record.sh", "record.json", "record.tlog-proof", tt.key)
		if (err != nil) != (tt.want != "") || !strings.Contains(out, tt.want) {
			t.Errorf("%s: %v, %q, want %q", tt.what, err, out, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "broken")); err == nil {
		t.Error("what a proof says was run as a command")
	}
}
