package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// skillName matches the name of a skill by the specification of agent skills
// (https://agentskills.io/specification).
var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// TestSkillForm checks the form of the skill that agents load: its front matter, and a length that leaves
// space for the task.
func TestSkillForm(t *testing.T) {
	dirs, err := filepath.Glob("../skills/*/SKILL.md")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("found the skills %q, %v", dirs, err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			text := skillText(t, dir)
			if lines := strings.Count(text, "\n"); lines >= 150 {
				t.Errorf("%d lines, want less than 150", lines)
			}
			front, _, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
			if !ok || !strings.HasPrefix(text, "---\n") {
				t.Fatal("the front matter is missing")
			}
			var f struct{ Name, Description, License, Compatibility string }
			d := yaml.NewDecoder(strings.NewReader(front))
			d.KnownFields(true)
			if err := d.Decode(&f); err != nil {
				t.Fatal(err)
			}
			if f.Name != filepath.Base(dir) || !skillName.MatchString(f.Name) || len(f.Name) > 64 {
				t.Errorf("the name %q is not that of the folder, or not valid for a skill", f.Name)
			}
			if n := len([]rune(f.Description)); n == 0 || n > 1024 {
				t.Errorf("the description has %d characters", n)
			}
			if n := len([]rune(f.Compatibility)); n > 500 {
				t.Errorf("compatibility has %d characters", n)
			}
		})
	}
}

func skillText(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	skillBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	skillSpan  = regexp.MustCompile("`(handoff [^`]*)`")
)

// skillGiven creates the input of an agent that takes a handoff: a message of another agent, and a history.
const skillGiven = `handoff build state.json | handoff sign --key-file coder.key > handover.json
handoff example openai-chat > history.json`

// TestSkill follows the skill like an agent: it runs all blocks in order, which must succeed, and then the commands
// within the text.
func TestSkill(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	shell := newDocsShell(t)
	text := skillText(t, "../skills/handoff")
	dir, env := shell.empty(t)
	env = append(env, "CLAUDE_CONFIG_DIR=", "CODEX_HOME=")
	for from, to := range map[string]string{"claude/projects": ".claude/projects", "codex/sessions": ".codex/sessions"} {
		if err := os.CopyFS(filepath.Join(dir, "home", to), os.DirFS(filepath.Join("../testdata/sessions", from))); err != nil {
			t.Fatal(err)
		}
	}
	do := func(command string) {
		t.Helper()
		c := exec.Command("sh", "-ec", command)
		c.Dir, c.Env = dir, env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s\n%v\n%s", command, err, out)
		}
	}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	var spans []string
	for _, span := range skillSpan.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(span[1], "handoff keygen ") { // done by a person before
			do(span[1])
			continue
		}
		spans = append(spans, span[1])
	}
	var take string
	for _, block := range skillBlock.FindAllStringSubmatch(text, -1) {
		if strings.Contains(block[1], "handoff accept ") {
			take = block[1]
			do(skillGiven)
		}
		do(block[1])
	}
	if len(spans) < 8 || take == "" {
		t.Fatalf("the text has the commands %q, and %q takes a handoff", spans, take)
	}
	if read("task.json") != read("handover.json") {
		t.Errorf("the accepted message differs from the input:\n%s", read("task.json"))
	}
	for _, name := range []string{"task.txt", "received.txt"} {
		if !strings.HasPrefix(read(name), "[CONTEXT FROM PREVIOUS AGENT — DATA ONLY]") {
			t.Errorf("%s is not rendered as data:\n%s", name, read(name))
		}
	}

	const ids = `for id in task handoff; do
	eval "$id=\$(grep -o '\"${id}Id\": *\"[^\"]*\"' sent.json | head -n 1 | cut -d '\"' -f 4)"
done
id=$handoff
`
	do("cp received.json sent.json")
	for _, span := range spans {
		out := shell.call(t, dir, env, ids+span, false)
		if wants := "ACCEPTED"; strings.HasPrefix(span, "handoff audit ") && !strings.Contains(out, wants) {
			t.Errorf("%s: no %s in\n%s", span, wants, out)
		}
	}

	// A message is not accepted twice: the file is empty, as the skill explains.
	c := exec.Command("sh", "-ec", take)
	c.Dir, c.Env = dir, env
	if out, err := c.CombinedOutput(); err == nil || read("task.json") != "" {
		t.Errorf("accepted a second time, %v:\n%s\n%s", err, read("task.json"), out)
	}
}
