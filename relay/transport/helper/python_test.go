package helper

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

// TestPython checks that the program in docs/transport-helpers.md is a transport.
func TestPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil || runtime.GOOS == "windows" {
		t.Skipf("the example is a script for python3 on a POSIX system: %v", err)
	}
	folder, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	transporttest.Run(t, func(t *testing.T) transporttest.Place {
		root := t.TempDir()
		place := (&url.URL{Scheme: "folder", Path: filepath.Join(root, "a place")}).String()
		return transporttest.Place{
			Publisher: func(t *testing.T) transport.Publisher { return open(t, Publish, place) },
			Consumer:  func(t *testing.T) transport.Consumer { return open(t, Consume, place) },
			Withholding: func(t *testing.T) transport.Consumer {
				c, err := Consume(t.Context(), parse(t, place), transport.Options{Withhold: true})
				if err != nil {
					t.Fatal(err)
				}
				return c
			},
			DeadLetters: func(t *testing.T) (bodies [][]byte) {
				files, err := filepath.Glob(filepath.Join(root, "a place", "dead-letters", "*"))
				if err != nil {
					t.Fatal(err)
				}
				for _, file := range files {
					text, err := os.ReadFile(file)
					m := new(message)
					if err == nil {
						err = decode(text, m)
					}
					if err != nil {
						t.Fatal(err)
					}
					bodies = append(bodies, m.Body)
				}
				return bodies
			},
		}
	})
}

const page = "../../../docs/transport-helpers.md"

// TestPage checks that the page contains the example program, and lines of the actual protocol.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("testdata/handoff-transport-folder")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "```python\n"+string(example)+"```\n") {
		t.Errorf("%s has not the program of testdata", page)
	}
	for _, do := range []string{doHello, doPublish, doAsk, doAnswers, doNext, doAnswer, doAck, doReturn, doDeadLetter, doReply, doClose, doCancel} {
		if !strings.Contains(string(text), fmt.Sprintf(`"do":%q`, do)) {
			t.Errorf("%s has no example of %s", page, do)
		}
	}
	_, lines, _ := strings.Cut(string(text), "## The lines")
	lines, _, _ = strings.Cut(lines, "\n## ")
	n := 0
	for line := range strings.Lines(lines) {
		sent, isRequest := strings.CutPrefix(line, "    > ")
		got, isResponse := strings.CutPrefix(line, "    < ")
		switch {
		case isRequest:
			err = decodeKnown(sent, new(request))
		case isResponse:
			err = decodeKnown(got, new(response))
		default:
			continue
		}
		n++
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if n < 20 {
		t.Errorf("%d lines", n)
	}
}
