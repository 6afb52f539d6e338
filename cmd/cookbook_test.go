package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// cookbookTask matches the commands of a task, and their output.
var cookbookTask = regexp.MustCompile("(?s)\n## ([^\n]*)\n[^`]*\n```sh\n(.*?)```\n\n```text\n(.*?)```\n")

// byChance matches output that differs between runs: times, durations and hashes.
var byChance = regexp.MustCompile(`2\d{3}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+Z)?)?|root \S+`)

// TestCookbook runs the tasks of docs/cookbook.md, each in an empty folder as if pasted into a shell, and
// compares their output. With -update it writes the output to the page.
func TestCookbook(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tasks are scripts of a POSIX shell")
	}
	path := filepath.Join("..", "docs", "cookbook.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	tasks := cookbookTask.FindAllStringSubmatch(page, -1)
	if titles := strings.Count(page, "\n## "); len(tasks) != 12 || titles != 12 {
		t.Fatalf("%d titles, and %d tasks with commands and output", titles, len(tasks))
	}
	shell := newDocsShell(t)
	for _, task := range tasks {
		t.Run(task[1], func(t *testing.T) {
			dir, env := shell.empty(t)
			want := task[3]
			got := shell.call(t, dir, append(env, "COLUMNS=", "TZ=UTC", "LC_ALL=C.UTF-8"), task[2], false)
			switch {
			case byChance.ReplaceAllString(got, "…") == byChance.ReplaceAllString(want, "…"):
			case *update:
				page = strings.Replace(page, task[2]+"```\n\n```text\n"+want, task[2]+"```\n\n```text\n"+got, 1)
			default:
				t.Errorf("output:\n%s\nin the cookbook:\n%s", got, want)
			}
		})
	}
	if page != string(text) {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
