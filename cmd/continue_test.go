package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/sessiontest"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/session"
)

// TestContinueThereAndBack continues made-up sessions in every other agent, and the continued ones again in the first:
// texts, calls, results, the folder and the branch are as before.
func TestContinueThereAndBack(t *testing.T) {
	for _, from := range session.Agents() {
		for _, to := range session.Agents() {
			if from == to {
				continue
			}
			t.Run(fmt.Sprintf("%s and %s", from, to), func(t *testing.T) {
				count := 0
				for seed := range tier.Count(2, 50) {
					text := sessiontest.Make(from, seed)
					stored := storedSession(t, from, text)
					before := contentOf(t, stored)
					if len(before) == 0 {
						continue // no conversation
					}
					after := contentOf(t, continued(t, continued(t, stored, to), from))
					if d := firstDifference(before, after); d != "" {
						t.Errorf("session %d: %s", seed, d)
					}
					count++
				}
				if count == 0 {
					t.Error("no session has a conversation")
				}
			})
		}
	}
}

// storedSession writes a session into a new store of an agent, and returns its path.
func storedSession(t *testing.T, agent session.Agent, text string) string {
	t.Helper()
	dir := newStores(t)
	path := filepath.Join(dir, "session.jsonl")
	if agent == session.GeminiCLI {
		path = filepath.Join(dir, ".gemini", "tmp", "work", "chats", "session-2026-06-14T11-00-aaaaaaaa.jsonl")
		writeFile(t, filepath.Join(dir, ".gemini", "tmp", "work", ".project_root"), "/work")
	}
	writeFile(t, path, text)
	return path
}

// newStores makes empty folders for the sessions of all agents and for the current folder.
func newStores(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, dir)
	}
	t.Chdir(dir)
	return dir
}

// continued continues the session in a file in a new store of an agent, and returns its path there.
func continued(t *testing.T, path string, agent session.Agent) string {
	t.Helper()
	newStores(t)
	var out, errs bytes.Buffer
	if code := runWriting(strings.NewReader(""), &out, &errs, "session", "continue", path, "--in", string(agent)); code != 0 {
		t.Fatalf("%s: exit code %d\n%s", path, code, &errs)
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	return first
}

// contentOf returns the content of a session: the folder and the branch, the requests, the lines of the answers, the
// calls and the results, each in order. The agents divide answers in different ways.
func contentOf(t *testing.T, path string) (all []string) {
	t.Helper()
	text := readFile(t, path)
	s, err := session.Read(strings.NewReader(text), int64(len(text)), session.Options{TailBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	var answers, calls, results []string
	for _, turn := range s.Turns {
		switch turn.Role {
		case "user":
			all = append(all, "request: "+turn.Text)
		case "tool":
			results = append(results, fmt.Sprintf("result of %s: %s", turn.CallID, turn.Text))
		default:
			for line := range strings.Lines(turn.Text) {
				if line = strings.TrimSpace(line); line != "" {
					answers = append(answers, "answer: "+line)
				}
			}
		}
		for _, call := range turn.Calls {
			calls = append(calls, fmt.Sprintf("call %s of %s: %s", call.ID, call.Tool, call.Input))
		}
	}
	if all = slices.Concat(all, answers, calls, results); len(all) == 0 {
		return nil
	}
	if s.Agent == session.GeminiCLI {
		s.Folder = readFile(t, filepath.Join(filepath.Dir(filepath.Dir(path)), ".project_root"))
	}
	return append(all, "folder: "+s.Folder, "branch: "+s.Branch)
}

// firstDifference describes the first difference between two lists, "" if they are equal.
func firstDifference(before, after []string) string {
	if slices.Equal(before, after) {
		return ""
	}
	for i := range before {
		if i >= len(after) || before[i] != after[i] {
			return fmt.Sprintf("before:\n%.600q\nafter:\n%.600q", before[i:min(i+4, len(before))], after[min(i, len(after)):min(i+4, len(after))])
		}
	}
	return fmt.Sprintf("added:\n%.600q", after[len(before):])
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
