package viewer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A value is the place and the text of a value, according to a reader.
type value struct {
	Pointer, Raw, Text string
}

// reader runs assets/json.js under Node: the input is an array of texts, the output the values of
// each, or null if the text is not JSON.
const reader = `
const {readFileSync} = require('node:fs');
const read = new Function(readFileSync(process.argv[1], 'utf8') + '; return process.argv[2] === "lines" ? readJSONLines : readJSON;')();
const answers = JSON.parse(readFileSync(0, 'utf8')).map((text) => {
	try {
		const d = read(text);
		return Array.from({length: d.length}, (_, row) => {
			if (d.length < 1000 && d.at(d.pointer(row)) !== row) throw new Error('another value is at ' + d.pointer(row));
			return {Pointer: d.pointer(row), Raw: d.raw(row), Text: d.kind[row] === 2 ? d.string(row) : ''};
		});
	} catch (error) {
		if (error.constructor.name !== 'JSONError') throw error;
		return null;
	}
});
process.stdout.write(JSON.stringify(answers));
`

// readByPage reads texts with the reader of the page.
func readByPage(t *testing.T, how string, texts []string) (answers [][]value) {
	t.Helper()
	runNode(t, reader, texts, &answers, assetFile(t, "json.js"), how)
	if len(answers) != len(texts) {
		t.Fatalf("%d answers to %d texts", len(answers), len(texts))
	}
	return answers
}

// assetFile returns the path of a temporary copy of an asset of the page.
func assetFile(t *testing.T, name string) string {
	t.Helper()
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runNode runs a program under Node with JSON on standard input, and decodes its output. The test
// is skipped without Node, unless CI is set.
func runNode(t *testing.T, program string, in, out any, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("node is not on PATH: the scripts of the page are not run")
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.Command("node", slices.Concat([]string{"-e", program}, args)...)
	node.Stdin, node.Stderr = bytes.NewReader(text), os.Stderr
	answer, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		t.Fatal(err)
	}
}

// TestReaderOfPage compares the reader of the page with package jsonstream, for all documents in
// the source tree.
func TestReaderOfPage(t *testing.T) {
	var names, texts []string
	for _, root := range []string{"schemas", "testdata"} {
		err := fs.WalkDir(os.DirFS(filepath.Join("..", "..")), root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
				return err
			}
			text, err := os.ReadFile(filepath.Join("..", "..", path))
			if len(text) < 200_000 {
				names, texts = append(names, path), append(texts, string(text))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{
		`{"z": 9007199254740993, "a": [1e400, 0.10, -0.0, 1E+2], "": {"~": 1, "/": [[], {}]}, "\u00e9\ud83d\ude00": "\u0000\"\\\/\b\f\n\r\t"}`,
		` "x" `, "0", "-1.5e-7", "null\n", "[true,false,null]", `{"__proto__":{"constructor":1},"constructor":2}`, `"` + strings.Repeat("long ", 50_000) + `"`,
		"", " ", "01", "1.", ".5", "+1", "1e", "-", "NaN", "nul", "tru", "'x'", `"x`, `"\x"`, `"\u12g4"`, "\"\x01\"", "\"a\nb\"", "[1,]", "[,1]", "[1 2]", "[1", "[1]]", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a" 1}`, `{"a":1]`, "1 2", "{}x", "\ufeff{}", "\u00a01",
	} {
		names, texts = append(names, text[:min(40, len(text))]), append(texts, text)
	}
	answers := readByPage(t, "one", texts)
	for i, text := range texts {
		document, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
		compare(t, names[i], answers[i], document, err)
	}
}

// TestReaderOfPageReadsLines does the same with the lines of sessions. The page accepts a value of
// several lines, which ours rejects: only accepted texts are compared.
func TestReaderOfPageReadsLines(t *testing.T) {
	texts := []string{"{\"a\":1}\n[2]\n\"x\"\n", "1\n\n2\r\n", " {} \n", "1\n]", "1\n,2"}
	answers := readByPage(t, "lines", texts)
	for i, text := range texts {
		document, err := jsonstream.ParseLines(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
		compare(t, fmt.Sprintf("%q", text), answers[i], document, err)
	}
}

// compare compares the values of the page's reader with a document of ours.
func compare(t *testing.T, name string, got []value, document *jsonstream.Document, err error) {
	t.Helper()
	if (err == nil) != (got != nil) {
		t.Errorf("%s: ours says %v, the page has %d values", name, err, len(got))
	}
	if err != nil || got == nil {
		return
	}
	var want []value
	for v := range document.Root().All() {
		one := value{Pointer: v.Pointer(), Raw: string(v.Raw())}
		if v.Kind() == jsonstream.String {
			one.Text = v.Text()
		}
		want = append(want, one)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// TestReaderKeepsWhatOursRefuses checks that documents whose only faults are duplicate names or
// lone surrogates are shown, and that no document is too deep.
func TestReaderKeepsWhatOursRefuses(t *testing.T) {
	const depth = 1000 // pointers are compared, so the work is its square
	deep := strings.Repeat(`[{"a":`, depth) + "1" + strings.Repeat("}]", depth)
	answers := readByPage(t, "one", []string{`"\ud800"`, deep, strings.Repeat("[", 1_000_000)})
	if len(answers[0]) != 1 || len(answers[1]) != 2*depth+1 || answers[2] != nil {
		t.Errorf("%d, %d and %d values", len(answers[0]), len(answers[1]), len(answers[2]))
	}
}
