package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/term"
)

// hostile has characters that must not be printed unchanged: line ends, escape sequences,
// direction overrides, zero-width spaces, bytes that are not UTF-8.
const hostile = "a\n::error::b\r\x1b[31m\u009b\u202e\u200b\x7f\xff"

// hostileNames are file names.
var hostileNames = []string{
	"line\n::error::.json", "esc\x1b[31m.json", "csi\u009b31m.json", "bidi\u202egnp.json", "zero\u200b.json",
	"byte\xff.json", "-leading.json", "::error::name.json", " ::error::space.json", "%0A::error::.json",
	strings.Repeat("l", 250) + ".json",
}

// hostileFolder makes a folder of messages with such names the working directory, and returns
// their number.
func hostileFolder(t *testing.T) int {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("this system does not allow such file names")
	}
	valid, _ := runHere("", "example")
	const text = "\u202e\u009b\u200b\u2066\\n::error::\\u001b[31m"
	message := strings.Replace(valid, `"currentState": {`, `"currentState": {"`+text+`": "`+text+`",`, 1)
	if message == valid {
		t.Fatal("the example has no currentState")
	}
	for _, member := range []string{"taskDescription", "conversationHistorySummary", "content", "agentId", "description", "taskId"} {
		message = strings.Replace(message, `"`+member+`": "`, `"`+member+`": "`+text+` `, 1)
	}
	contents := []string{message, `{"` + text + `": "` + text + `"}`, "{\"a\x1b\u202e\xff\n::error::"}
	for i, name := range hostileNames {
		if err := os.WriteFile(name, []byte(contents[i%len(contents)]), 0o600); err != nil {
			t.Skipf("this system does not allow such file names: %v", err)
		}
	}
	return len(hostileNames)
}

// checkShown fails the test if a text has characters that must not be printed unchanged. A line
// may begin like a workflow command of GitHub only if commands is set.
func checkShown(t *testing.T, what, text string, commands bool) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !utf8.ValidString(line) || strings.IndexFunc(line, term.IsHidden) >= 0:
			t.Errorf("%s: raw: %.300q", what, line)
		case strings.HasPrefix(strings.TrimSpace(line), "::") && !commands:
			t.Errorf("%s: printed a workflow command: %.300q", what, line)
		default:
			continue
		}
		return
	}
}

type hostileRun struct {
	command  string
	flags    string
	messages bool
}

// hostileRuns are the commands that read messages, with the required flags. Commands that
// output messages or a key are marked: their output has the content of the input.
var hostileRuns = []hostileRun{
	{command: "validate"},
	{command: "validate", flags: "-f text"},
	{command: "validate", flags: "-f sarif"},
	{command: "validate", flags: "-f junit"},
	{command: "validate", flags: "-f github"},
	{command: "validate", flags: "-f junit --expect valid"},
	{command: "scan"},
	{command: "scan", flags: "-f text"},
	{command: "scan", flags: "--text"},
	{command: "count"},
	{command: "count", flags: "-f text"},
	{command: "inspect"},
	{command: "inspect", flags: "-f text"},
	{command: "inspect", flags: "-f text --tokens"},
	{command: "verify", flags: "--key-file key"},
	{command: "verify", flags: "-f text --diagnose --key-file key"},
	{command: "report"},
	{command: "chain"},
	{command: "chain", flags: "-f text"},
	{command: "chain", flags: "-f sarif"},
	{command: "chain", flags: "-f junit"},
	{command: "chain", flags: "-f github"},
	{command: "chain", flags: "-f mermaid"},
	{command: "chain", flags: "-f dot"},
	{command: "macp check"},
	{command: "macp check", flags: "-f text"},
	{command: "macp check", flags: "-f sarif"},
	{command: "macp check", flags: "-f junit"},
	{command: "macp check", flags: "-f github"},
	{command: "macp show"},
	{command: "macp show", flags: "-f text"},
	{command: "macp freeze"},
	{command: "openai check"},
	{command: "openai check", flags: "-f text"},
	{command: "openai check", flags: "-f sarif"},
	{command: "openai check", flags: "-f junit"},
	{command: "openai check", flags: "-f github"},
	{command: "openai check", flags: "--agents definitions -f text"},
	{command: "openai agents check"},
	{command: "openai agents check", flags: "-f text"},
	{command: "openai agents check", flags: "-f sarif"},
	{command: "openai agents check", flags: "-f junit"},
	{command: "openai agents check", flags: "-f github"},
	{command: "openai paths", flags: "--agents definitions"},
	{command: "openai paths", flags: "--agents definitions -f text"},
	{command: "a2a card check"},
	{command: "a2a card check", flags: "-f text"},
	{command: "a2a card check", flags: "-f sarif"},
	{command: "a2a card verify", flags: "--key-file pair -f text"},
	{command: "a2a card verify", flags: "--key-file pair -f json"},
	{command: "sw4rm status"},
	{command: "sw4rm status", flags: "-f text"},
	{command: "build", messages: true},
	{command: "new", messages: true},
	{command: "canonicalize", messages: true},
	{command: "sign", flags: "--key-file key", messages: true},
	{command: "trim", flags: "--max-tokens 10 -f json", messages: true},
	{command: "trim", flags: "--max-tokens 10 -f text", messages: true},
	{command: "trim", flags: "--max-tokens 10 --archive archive -f json", messages: true},
	{command: "convert", flags: "--format-out sw4rm-context", messages: true},
	{command: "convert", flags: "--format-out openai --mapping -f text", messages: true},
	{command: "convert", flags: "--format-out openai --mapping -f json", messages: true},
	{command: "openai filter", messages: true},
	{command: "openai nest", messages: true},
	{command: "openai unnest", messages: true},
	{command: "sw4rm respond", flags: "--agent-record agent", messages: true},
	{command: "sw4rm route", flags: "--registry registry", messages: true},
	{command: "sw4rm receive", messages: true},
	{command: "sw4rm prepare", messages: true},
	{command: "macp encode", messages: true},
	{command: "schema show", messages: true},
	{command: "schema bundle", messages: true},
	{command: "a2a wrap", messages: true},
	{command: "a2a unwrap", flags: "--all", messages: true},
	{command: "macp decode", messages: true},
	{command: "compress", messages: true},
	{command: "compress", flags: "--per-message --index index -o packed", messages: true},
	{command: "decompress", messages: true},
	{command: "keygen", messages: true},
}

// runsPrograms are flags whose values are executed.
var runsPrograms = []string{"classifier-cmd", "summarizer-cmd"}

// ends has flags that make long-running commands end: no program can listen at an address reserved for
// documentation.
var ends = map[string][]string{"serve": {"--listen", "203.0.113.1:1"}}

// TestHostileFlags gives every flag of every command hostile values: as a text, and as the name
// of a hostile file.
func TestHostileFlags(t *testing.T) {
	hostileFolder(t)
	escaped := `{"a\n::error::b\u001b[31m\u202e\u200b": ["\n::error::c\u001b[31m\u202e"]}`
	for name, text := range map[string]string{"escaped": escaped, "raw": hostile} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	message, _ := runHere("", "example")
	var visit func(c *cobra.Command, path []string)
	visit = func(c *cobra.Command, path []string) {
		for _, sub := range c.Commands() {
			visit(sub, append(slices.Clip(path), sub.Name()))
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" || slices.Contains(runsPrograms, f.Name) {
				return
			}
			for _, value := range []string{hostile + "=" + hostile, "escaped", "raw"} {
				stdout, stderr := runHere(message, slices.Concat(path, ends[strings.Join(path, " ")], []string{"--" + f.Name + "=" + value})...)
				what := strings.Join(path, " ") + " --" + f.Name + " " + value[:1]
				checkShown(t, what+": stderr", stderr, false)
				if !slices.ContainsFunc(hostileRuns, func(r hostileRun) bool { return r.messages && r.command == strings.Join(path, " ") }) {
					checkShown(t, what+": stdout", stdout, false)
				}
			}
		})
		_, stderr := runHere(message, append(slices.Clip(path), hostile)...)
		checkShown(t, strings.Join(path, " "), stderr, false)
	}
	visit(newRoot(), nil)
}

// TestHostileNames runs every command that reads messages over files whose names and content
// would control a terminal or a workflow.
func TestHostileNames(t *testing.T) {
	files := hostileFolder(t)
	key, _ := runHere("", "keygen")
	pair, _ := runHere("", "keygen", "--type", "p256")
	definitions, _ := runHere("", "example", "openai-agents")
	for name, text := range map[string]string{"key": key, "pair": pair, "agent": `{"agent_id":"a","name":"a","status":"RUNNABLE","capabilities":[]}`, "registry": "[]", "definitions": definitions} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	named := slices.Concat([]string{"--"}, hostileNames)
	for _, r := range hostileRuns {
		args := slices.Concat(strings.Fields(r.command), strings.Fields(r.flags))
		command, _, err := newRoot().Find(strings.Fields(r.command))
		if err != nil {
			t.Fatal(err)
		}
		inJSON := !strings.Contains(r.flags, "-f ") && command.Flags().Lookup("format") != nil && !r.messages
		if inJSON {
			args = append(args, "-f", "json")
		}
		for _, input := range [][]string{{"."}, named} {
			stdout, stderr := runHere("", append(args, input...)...)
			what := r.command + " " + r.flags + " " + input[0]
			checkShown(t, what+": stderr", stderr, false)
			if r.messages {
				continue
			}
			checkShown(t, what+": stdout", stdout, strings.Contains(r.flags, "github"))
			if !inJSON {
				continue
			}
			reported := map[string]bool{}
			for line := range strings.Lines(stdout) {
				var record struct{ Source string }
				if err := json.Unmarshal([]byte(line), &record); err != nil {
					t.Errorf("%s: %v: %.300q", what, err, line)
				}
				reported[record.Source] = true
			}
			if r.command == "validate" && len(reported) != files {
				t.Errorf("%s: reported on %d files, want %d: %v", what, len(reported), files, reported)
			}
		}
	}
}

// TestHostileSeen verifies a message in a file with such a name: its verdict must be reported, because the message
// is rejected afterwards.
func TestHostileSeen(t *testing.T) {
	hostileFolder(t)
	runHere("", "keygen", "-o", "key")
	message, _ := runHere("", "example")
	signed, stderr := runHere(message, "sign", "--key-file", "key")
	if err := os.WriteFile("byte\xff.json", []byte(signed), 0o600); err != nil || signed == "" {
		t.Fatal(err, stderr)
	}
	stdout, stderr := runHere("", "verify", "-f", "json", "--key-file", "key", "--seen", "ids", "byte\xff.json")
	if !strings.Contains(stdout, `{"source":"byte\\xff.json","index":0,"handoffId":"6e7f936b-cafd-4624-8754-0bafc4e8acb3","valid":true`) {
		t.Errorf("got %q, %q", stdout, stderr)
	}
}

// TestHostileDiff compares files with such names.
func TestHostileDiff(t *testing.T) {
	hostileFolder(t)
	if err := os.Mkdir("other", 0o700); err != nil {
		t.Fatal(err)
	}
	for i, name := range hostileNames[1:] {
		content, err := os.ReadFile(hostileNames[i%3])
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.ReplaceAll(content, []byte("\u202e"), []byte("\u202d"))
		if err := os.WriteFile("other/"+name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("patch", []byte(`[{"op":"replace","path":"/\u202e\n::error::","value":"\u202e"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{"", "-f json", "--stat", "--side-by-side", "--full", "-f jsonpatch", "-f mergepatch", "--only /currentState", "--by-order"} {
		pairs := [][]string{{".", "other"}}
		for _, name := range hostileNames {
			pairs = append(pairs, []string{name, "other/" + name}, []string{"other/" + name, name}, []string{name, "esc\x1b[31m.json"})
		}
		for _, pair := range pairs {
			args := slices.Concat([]string{"diff"}, strings.Fields(flags), []string{"--"}, pair)
			stdout, stderr := runHere("", args...)
			checkShown(t, "diff "+flags+": stderr", stderr, false)
			if !strings.Contains(flags, "patch") {
				checkShown(t, "diff "+flags+": stdout", stdout, false)
			}
		}
	}
	for i, name := range hostileNames {
		_, stderr := runHere("", "patch", "--", name, "patch")
		checkShown(t, "patch", stderr, false)
		stdout, stderr := runHere("", "diff", "--git", "--", hostile, name, hostile, "100644", hostileNames[(i+1)%3], hostile, "100644", hostile, hostile)
		checkShown(t, "diff --git: stdout", stdout, false)
		checkShown(t, "diff --git: stderr", stderr, false)
	}
}
