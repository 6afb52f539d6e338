package viewer

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/eaapl/handoff/internal/view"
)

// TestUnseen compares the characters that the page shows by code point with ours: invisible
// characters and those that change the direction of writing, except those that scripts and emoji
// need.
func TestUnseen(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("node is not on PATH: the characters of the page are not compared with ours")
	}
	const program = `
const unseen = new Function(require('node:fs').readFileSync(process.argv[1], 'utf8') + '; return unseen')();
for (let code = 0; code <= 0x10FFFF; code++) {
  if ((code < 0xD800 || code > 0xDFFF) && String.fromCodePoint(code).search(unseen) === 0) console.log(code);
}`
	out, err := exec.Command("node", "-e", program, filepath.Join("assets", "text.js")).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := map[rune]bool{}
	for line := range strings.Lines(string(out)) {
		code, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		got[rune(code)] = true
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		needed := strings.ContainsRune("\t\n\r\u180b\u180c\u180d\u180f\u200c\u200d", r) || 0xFE00 <= r && r <= 0xFE0F
		want := !needed && (view.Ignorable(r) || unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) || r == '\u2800' || 0xFFF9 <= r && r <= 0xFFFB)
		if got[r] != want {
			t.Errorf("U+%04X: %v, want %v", r, got[r], want)
		}
	}
}
