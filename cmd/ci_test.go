package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"go.yaml.in/yaml/v3"
)

// The files for CI systems (docs/ci.md), run as these systems run them.

// readYAML reads the documents of a file into values.
func readYAML(t *testing.T, path string, values ...any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	for _, v := range values {
		if err := d.Decode(v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// ciFolder makes a folder with fixtures, one of them invalid, and returns it with the path of handoff.
func ciFolder(t *testing.T) (dir, bin string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	bin = filepath.Dir(newDocsShell(t).real)
	dir = t.TempDir()
	for name, text := range map[string]string{
		"fixtures/valid/one.json": capture(t, bin, "example"), "fixtures/invalid/SCHEMA_INVALID/a b.json": "{}", "package.json": "{}",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir, bin
}

func capture(t *testing.T, bin string, args ...string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, "handoff"), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// ciRun runs a command, and returns its exit code and output.
func ciRun(t *testing.T, dir string, env []string, command ...string) (int, string) {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

type ciStep struct {
	ID   string
	Uses string
	Run  string
	Env  map[string]string
}

var ciInput = regexp.MustCompile(`\$\{\{ inputs\.([\w-]+) \}\}`)

func TestAction(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []ciStep }
	}
	readYAML(t, "../action.yml", &action)
	for name, tt := range map[string]struct {
		inputs     map[string]string
		code       int
		wants      string
		withoutLog bool
		page       string
	}{
		"invalid":    {code: 1, wants: "::error file=fixtures/invalid/SCHEMA_INVALID/a b.json,line=1"},
		"no failure": {inputs: map[string]string{"fail": "false"}, wants: "::error file="},
		"one file":   {inputs: map[string]string{"paths": "fixtures/valid/one.json\n"}, wants: "1 message: 1 valid"},
		"arguments":  {inputs: map[string]string{"args": "--expect=auto\n--all"}, wants: "0 not as expected"},
		"page":       {inputs: map[string]string{"report": "a page.html\n"}, code: 1, wants: "::error file=", page: "a page.html"},
		"valid page": {inputs: map[string]string{"paths": "fixtures/valid", "report": "page.html"}, wants: "1 message: 1 valid", page: "page.html"},
		"arguments of the page": {
			inputs: map[string]string{"paths": "fixtures/valid", "args": "--all", "report": "page.html", "report-args": "--title=Fixtures <b>\n--verbose\n"},
			code:   2, wants: "handoff report has no flag --verbose",
		},
		"title":      {inputs: map[string]string{"paths": "fixtures/valid", "report": "page.html", "report-args": "\n--title=Our $(touch pwned)\n--max-visits=3"}, wants: "1 message: 1 valid", page: "page.html"},
		"no folder":  {inputs: map[string]string{"fail": "false", "report": "none/page.html"}, code: 2, wants: "none/page.html: cannot be written"},
		"unreadable": {inputs: map[string]string{"paths": "none.json", "fail": "false", "report": "page.html"}, code: 2, wants: "none.json", withoutLog: true, page: "page.html"},
		"commands": {
			inputs: map[string]string{"paths": "$(touch pwned)\n; touch pwned", "args": "`touch pwned`", "version": "x; touch pwned", "report": "$(touch pwned)\nsarif=pwned"},
			code:   2, withoutLog: true, page: "$(touch pwned)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, bin := ciFolder(t)
			temp := t.TempDir()
			// A replacement for the Go toolchain, which would build for a minute.
			program := "#!/bin/sh\n[ \"$1\" = install ] && mkdir -p \"$GOBIN\" && ln -s '" + filepath.Join(bin, "handoff") + "' \"$GOBIN/handoff\"\n"
			if err := os.WriteFile(filepath.Join(temp, "go"), []byte(program), 0o700); err != nil {
				t.Fatal(err)
			}
			checkout, err := filepath.Abs("..")
			if err != nil {
				t.Fatal(err)
			}
			outputs := filepath.Join(temp, "output")
			path := filepath.Join(temp, "path")
			code, log := 0, ""
			for _, step := range action.Runs.Steps {
				if step.Run == "" || code != 0 {
					continue
				}
				if strings.Contains(step.Run, "${{") {
					t.Errorf("a command contains an expression: %s", step.Run)
				}
				added, _ := os.ReadFile(path)
				env := []string{
					"GITHUB_ACTION_PATH=" + checkout, "GITHUB_OUTPUT=" + outputs, "GITHUB_PATH=" + path, "RUNNER_TEMP=" + temp,
					"PATH=" + strings.TrimSpace(string(added)) + ":" + temp + ":" + os.Getenv("PATH"),
				}
				for variable, value := range step.Env {
					env = append(env, variable+"="+ciInput.ReplaceAllStringFunc(value, func(expression string) string {
						input := ciInput.FindStringSubmatch(expression)[1]
						if given, ok := tt.inputs[input]; ok {
							return given
						}
						return action.Inputs[input].Default
					}))
				}
				var out string
				code, out = ciRun(t, dir, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
				log += out
			}
			if code != tt.code || !strings.Contains(log, tt.wants) {
				t.Errorf("exit code %d, want %d and %q in\n%s", code, tt.code, tt.wants, log)
			}
			if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
				t.Error("an input was executed")
			}
			sarif := filepath.Join(temp, "handoff.sarif")
			want := ""
			if !tt.withoutLog {
				want = "sarif=" + sarif + "\n"
			}
			if tt.page != "" {
				want += "report=" + tt.page + "\n"
				if text, err := os.ReadFile(filepath.Join(dir, tt.page)); err != nil || !bytes.HasPrefix(text, []byte("<!doctype html>")) {
					t.Errorf("the page is %.100s, %v", text, err)
				}
			}
			if got, _ := os.ReadFile(outputs); string(got) != want {
				t.Errorf("the outputs are %q, want %q", got, want)
			}
			if text, err := os.ReadFile(sarif); !tt.withoutLog && (err != nil || !json.Valid(text)) {
				t.Errorf("the log is %s, %v", text, err)
			}
		})
	}
}

func TestGitLabTemplate(t *testing.T) {
	var header struct {
		Spec struct {
			Inputs map[string]struct{ Default string }
		}
	}
	var body struct {
		Handoff struct {
			Script    []string
			Variables map[string]string
			Artifacts struct{ Reports struct{ JUnit string } }
		}
	}
	readYAML(t, "../templates/handoff.yml", &header, &body)
	job := body.Handoff
	dir, bin := ciFolder(t)
	for paths, want := range map[string]int{"": 1, "fixtures/valid": 0, "none.json": 2, "; touch pwned": 2, "$(touch pwned)": 2} {
		env := []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
		for name, value := range job.Variables {
			input := strings.TrimSuffix(strings.TrimPrefix(value, "$[[ inputs."), " ]]")
			value = header.Spec.Inputs[input].Default
			if input == "paths" && paths != "" {
				value = paths
			}
			env = append(env, name+"="+value)
		}
		code, log := ciRun(t, dir, env, "sh", "-ec", strings.Join(job.Script, "\n"))
		if code != want {
			t.Errorf("%q: exit code %d, want %d\n%s", paths, code, want, log)
		}
		text, err := os.ReadFile(filepath.Join(dir, job.Artifacts.Reports.JUnit))
		if want < 2 && (err != nil || !bytes.Contains(text, []byte("<testsuites name="))) {
			t.Errorf("%q: the report is %s, %v", paths, text, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("an input was executed")
	}
}

// TestPreCommitHooks lets pre-commit run the hooks, on the files that it selects; only the build of handoff is
// skipped.
func TestPreCommitHooks(t *testing.T) {
	for _, program := range []string{"pre-commit", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("%s is not installed", program)
		}
	}
	var hooks []map[string]any
	readYAML(t, "../.pre-commit-hooks.yaml", &hooks)
	dir, bin := ciFolder(t)
	manifest, err := filepath.Abs("../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PRE_COMMIT_HOME=" + t.TempDir(), "XDG_CONFIG_HOME=", "GIT_CONFIG_GLOBAL=/dev/null"}
	call := func(command ...string) (int, string) { return ciRun(t, dir, env, command...) }
	if code, out := call("pre-commit", "validate-manifest", manifest); code != 0 {
		t.Fatal(out)
	}
	for _, hook := range hooks {
		hook["language"] = "system"
	}
	config, err := yaml.Marshal(map[string]any{"repos": []any{map[string]any{"repo": "local", "hooks": hooks}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".pre-commit-config.yaml"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	call("git", "init", "-q", ".")
	call("git", "add", ".")
	if code, out := call("pre-commit", "run", "--all-files", "--verbose"); code != 0 || !strings.Contains(out, "2 messages: 1 valid, 1 invalid (1 SCHEMA_INVALID); 0 not as expected") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "fixtures", "valid", "two.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	call("git", "add", ".")
	if code, out := call("pre-commit", "run", "handoff-validate", "--all-files"); code != 1 || !strings.Contains(out, "two.json") || strings.Contains(out, "package.json") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestCIFilesBySchema validates the files against the schemas of the CI systems. The schemas may not be
// distributed: the test uses the copies next to the checkout.
func TestCIFilesBySchema(t *testing.T) {
	for file, name := range map[string]string{
		"action.yml": "github-action.json", ".pre-commit-hooks.yaml": "pre-commit-hooks.json", "templates/handoff.yml": "gitlab-ci.json",
	} {
		t.Run(file, func(t *testing.T) {
			path := filepath.Join("..", "..", "shared", "ci", name)
			if _, err := os.Stat(path); err != nil {
				t.Skip(err)
			}
			schema, err := jsonschema.Compile(path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join("..", file))
			if err != nil {
				t.Fatal(err)
			}
			d := yaml.NewDecoder(bytes.NewReader(text))
			for {
				var document any
				if err := d.Decode(&document); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if err := schema.Validate(document); err != nil {
					t.Errorf("%#v", err)
				}
			}
		})
	}
}
