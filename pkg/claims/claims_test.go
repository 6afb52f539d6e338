package claims_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t *testing.T, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func check(t *testing.T, text string) []claims.Claim {
	t.Helper()
	h, err := history.Of(parse(t, text), "", jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return claims.Check(h)
}

// session returns a history of Anthropic's Messages API: each call is "tool input => result", where a result
// that begins with ! is an error.
func session(end string, calls ...string) string {
	turns := []string{`{"role": "user", "content": "Go."}`}
	quote := func(text string) string {
		quoted, _ := json.Marshal(text)
		return string(quoted)
	}
	for i, one := range calls {
		call, result, _ := strings.Cut(one, " => ")
		tool, in, _ := strings.Cut(call, " ")
		if !strings.HasPrefix(in, "{") {
			in = `{"command": ` + quote(in) + `}`
		}
		result, failed := strings.CutPrefix(result, "!")
		turns = append(turns,
			fmt.Sprintf(`{"role": "assistant", "content": [{"type": "tool_use", "id": "c%d", "name": %q, "input": %s}]}`, i, tool, in),
			fmt.Sprintf(`{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c%d", "is_error": %t, "content": %s}]}`, i, failed, quote(result)))
	}
	turns = append(turns, fmt.Sprintf(`{"role": "assistant", "content": [{"type": "text", "text": %s}]}`, quote(end)))
	return `{"messages": [` + strings.Join(turns, ", ") + `]}`
}

// TestVerdicts checks the verdict of the only claim at the end of a session.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		claim string
		calls []string
		want  claims.Verdict
	}{
		"tests passed":                          {"All tests pass.", []string{"Bash go test ./... => ok  \tx\t0.1s"}, claims.Shown},
		"tests failed":                          {"All tests pass now.", []string{"Bash go test ./... => !Exit code 1\n--- FAIL: TestX"}, claims.Contradicted},
		"tests failed before they passed":       {"All 3 tests pass.", []string{"Bash pytest => !Exit code 1\n1 failed", "Bash pytest => 3 passed in 0.1s"}, claims.Shown},
		"tests passed before they failed":       {"The test suite is green.", []string{"Bash npm test => 3 passing", "Bash npm run test:unit => !Exit code 1"}, claims.Contradicted},
		"the status of a pipe hides a failure":  {"All tests pass.", []string{"Bash go test ./... 2>&1 | tail -3 => FAIL\tx\t0.1s"}, claims.Contradicted},
		"a change after the failure":            {"All tests pass.", []string{"Bash pytest => !Exit code 1\n1 failed", `Edit {"file_path": "a.py"} => ok`}, claims.NotShown},
		"a look after the failure":              {"All tests pass.", []string{"Bash pytest => !Exit code 1\n1 failed", "Bash git diff | head -5 => +1"}, claims.Contradicted},
		"a failure is forgiven":                 {"Tests pass.", []string{"Bash pytest || true => 2 failed, 1 passed"}, claims.Contradicted},
		"no failure is no failure":              {"Tests pass with 0 failures.", []string{"Bash cargo test => test result: ok. 5 passed; 0 failed"}, claims.Shown},
		"no tests were run":                     {"All tests pass.", []string{"Bash ls => a.go"}, claims.NotShown},
		"behind cd, variables and a time limit": {"The tests pass.", []string{"Bash cd src && CI=1 timeout 60 npx jest => !Exit code 1"}, claims.Contradicted},
		"a file of tests":                       {"The tests pass.", []string{"Bash python tests/test_sum.py => !Exit code 1\nTraceback (most recent call last)"}, claims.Contradicted},
		"the text of a file is no command":      {"All tests pass.", []string{"Bash cat > run.sh <<'EOF'\ngo test ./...\nEOF => "}, claims.NotShown},
		"build":                                 {"The build succeeds.", []string{"Bash go build ./... => !Exit code 1\nx.go:1: syntax error"}, claims.Contradicted},
		"code compiles":                         {"The code compiles.", []string{"Bash cargo check => Finished"}, claims.Shown},
		"lint":                                  {"The linter is clean.", []string{"Bash npx eslint . => !Exit code 1\n2 problems"}, claims.Contradicted},
		"type checks":                           {"Type checks pass.", []string{"Bash npx tsc --noEmit => "}, claims.Shown},
		"commit":                                {"I've committed the changes.", []string{"Bash git add . && git commit -m x => [main 1a2b3c4] x\n 1 file changed, 1 insertion(+)"}, claims.Shown},
		"nothing to commit":                     {"The changes are committed.", []string{"Bash git commit -m x => nothing to commit, working tree clean"}, claims.Contradicted},
		"no commit":                             {"Committed the fix.", nil, claims.NotShown},
		"pull request":                          {"I opened a pull request.", []string{"Bash gh pr create --fill => !Exit code 1\nnot logged in"}, claims.Contradicted},
		"deployment":                            {"Deployed the service to production.", []string{"Bash kubectl apply -f x.yaml => service/x configured"}, claims.Shown},
		"a file was edited":                     {"Fixed the sum in `calc.py`.", []string{`Edit {"file_path": "/home/u/calc.py", "old_string": "a", "new_string": "b"} => ok`}, claims.Shown},
		"the edit was refused":                  {"I updated `calc.py`.", []string{`Edit {"file_path": "/home/u/calc.py"} => !String to replace not found`}, claims.Contradicted},
		"another file was edited":               {"Created `src/report.py`.", []string{`Write {"file_path": "src/main.py"} => ok`}, claims.Contradicted},
		"no file was edited":                    {"Created `src/report.py`.", []string{"Bash ls src | head => main.py"}, claims.Contradicted},
		"a program may have written the file":   {"Created `src/report.py`.", []string{"Bash python generate.py => done"}, claims.NotShown},
		"a file was read":                       {"Updated `src/main.py`.", []string{`Read {"file_path": "src/main.py"} => x = 1`}, claims.NotShown},
		"redirection":                           {"Added `notes.md`.", []string{"Bash echo hi >> docs/notes.md => "}, claims.Shown},
		"sed in place":                          {"Changed `a/conf.toml`.", []string{"Bash sed -i s/a/b/ a/conf.toml => "}, claims.Shown},
		"git mv":                                {"Renamed `old.go` .", []string{"Bash git mv old.go new.go => "}, claims.Shown},
		"a patch":                               {"Edited `lib/x.rb`.", []string{`apply_patch {"input": "*** Begin Patch\n*** Update File: lib/x.rb\n*** End Patch"} => ok`}, claims.Shown},
		"a server's tool":                       {"I opened a pull request.", []string{`mcp__github__create_pull_request {"title": "x"} => {"url": "https://example.com/pull/1"}`}, claims.Shown},
		"a failure in the logs of tests that passed":   {"All tests pass.", []string{"Bash go test -v ./... => 2026/02/16 18:37:01 ERROR exec: x: command not found, 1 failed\nThe probe exited with code 1\n1\n2\n3\n--- PASS: TestX\nok  \tx\t0.1s"}, claims.Shown},
		"a crash without a summary":                    {"All tests pass.", []string{"Bash npx jest => sh: jest: command not found"}, claims.Contradicted},
		"another package failed":                       {"All 37 parser tests pass.", []string{"Bash go test ./... => !Exit code 1\nok  \tx/parser\t0.1s\n--- FAIL: TestX\nFAIL\tx/store\t0.1s"}, claims.NotShown},
		"the package of the claim failed":              {"All 37 parser tests pass.", []string{"Bash go test ./parser/... => !Exit code 1\n--- FAIL: TestX"}, claims.Contradicted},
		"tests failed after the build":                 {"The build succeeds.", []string{"Bash go build ./... && go test ./... => !Exit code 1\n--- FAIL: TestX"}, claims.NotShown},
		"a later program failed":                       {"The build succeeds.", []string{"Bash go build -o app . && ./app => !Exit code 3"}, claims.NotShown},
		"grep found nothing":                           {"All tests pass.", []string{`Bash go test ./... | grep -v ^ok => !Exit code 1`}, claims.NotShown},
		"a push failed after the commit":               {"Committed the fix.", []string{"Bash git commit -am x && git push => !Exit code 1\n[main 1a2b3c4] x\n 1 file changed, 1 insertion(+)\nfatal: no remote"}, claims.Shown},
		"a quoted text of several lines is no command": {"Created `src/a.py`.", []string{"Bash awk '\n{ print }\n' x # don't => 1"}, claims.Contradicted},
		"an apostrophe in a here document":             {"Created `src/a.py`.", []string{"Bash cat > b.md <<'EOF'\nit's\nEOF\ntouch src/a.py # isn't it => "}, claims.Shown},
		"a here document in quotes":                    {"Created `src/a.py`.", []string{"Bash git commit -m \"$(cat <<'EOF'\nIt isn't 1 << 2\nEOF\n)\"\ntouch src/a.py => "}, claims.Shown},
		"a shift is no here document":                  {"Created `src/a.py`.", []string{"Bash echo $((1<<2))\ntouch src/a.py => "}, claims.Shown},
		"commands that only read":                      {"Created `src/a.py`.", []string{"Bash gh pr view 3; git -C x merge-base a b; node --version; gofmt -l . => "}, claims.Contradicted},
		"a package manager writes its own files":       {"Created `src/a.py`.", []string{"Bash npm install left-pad => added 1 package"}, claims.Contradicted},
		"a download may write the file":                {"Created `src/a.py`.", []string{"Bash curl -o x https://example.com => "}, claims.NotShown},
		"an edit of an unknown file":                   {"Created `src/a.py`.", []string{`Edit {"old": "a"} => ok`}, claims.NotShown},
		"a log without calls":                          {"Created `src/a.py`.", nil, claims.NotShown},
	} {
		t.Run(name, func(t *testing.T) {
			found := check(t, session(c.claim, c.calls...))
			if len(found) != 1 || found[0].Verdict != c.want {
				t.Errorf("got %d claims %+v, want one %s", len(found), found, c.want)
			}
		})
	}
}

// TestNoClaim checks that a plan, a wish, a condition, a question, a negation or a quotation is no claim.
func TestNoClaim(t *testing.T) {
	for _, text := range []string{
		"I will make sure all tests pass.", "Once the tests pass, I commit.", "Do all tests pass?", "The tests do not pass yet.", "All but two tests pass.", "Some tests pass.",
		"Next: create `src/a.go`.", "You should update `src/a.go`.", "If the build succeeds, deploy it.", "> All tests pass.", "```\nAll tests pass.\n```",
		"The tests passed before my change.", "Let me run the tests and see that they pass.", "Created a Node.js server.", "I've committed myself to quality.", "Committing means that tests pass, however.",
	} {
		if found := check(t, session(text)); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

// TestClaims checks natural forms of claims, and the paths that a sentence about changes claims.
func TestClaims(t *testing.T) {
	for text, want := range map[string]string{
		"✅ **Tests**: all passing":                                "tests",
		"I ran the test suite, and all of it passes.":             "tests",
		"There are no failing tests.":                             "tests",
		"All existing tests still pass.":                          "tests",
		"ESLint reports no errors.":                               "lint",
		"- Build: passing":                                        "build",
		"- Builds the index of all files":                         "",
		"Compiles cleanly.":                                       "build",
		"Done, and committed.":                                    "commit",
		"Created a commit with these changes.":                    "commit",
		"We are committed to quality.":                            "",
		"PR created.":                                             "pull-request",
		"The pull request is up: https://example.com/a/b/pull/17": "pull-request",
		"Published version 1.4.0 to npm.":                         "deployment",
		"The deployment was successful.":                          "deployment",
		"I've created `a.go` with all the helpers you asked for.": "files a.go",
		"The helper is in `a.go`, which I just created.":          "files a.go",
		"Fixed `a.go`, but `b.go` still needs work.":              "files a.go",
		"Added a reader that merges `a.json`.":                    "",
		"Deleted it — the one caller in `a.go` uses the builtin.": "",
		"The report has been written to `a.md`.":                  "files a.md",
		"Updated `a.go`?":                                         "",
	} {
		var got []string
		for _, c := range check(t, session(text)) {
			got = append(got, strings.TrimSpace(string(c.Kind)+" "+c.Path))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestOrder checks that a claim is compared only with calls before it.
func TestOrder(t *testing.T) {
	found := check(t, `{"messages": [{"role": "user", "content": "Go."},
		{"role": "assistant", "content": [{"type": "text", "text": "All tests pass."}, {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "go test ./..."}}]},
		{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "is_error": true, "content": "Exit code 1"}]},
		{"role": "assistant", "content": "All tests pass."}]}`)
	if len(found) != 2 || found[0].Verdict != claims.NotShown || found[1].Verdict != claims.Contradicted {
		t.Errorf("got %+v", found)
	}
}

// TestFormats checks the calls and exit codes of other formats.
func TestFormats(t *testing.T) {
	for name, text := range map[string]string{
		"OpenAI Chat": `[{"role": "user", "content": "Go."}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "shell", "arguments": "{\"command\": [\"bash\", \"-lc\", \"go test ./...\"]}"}}]},
			{"role": "tool", "tool_call_id": "c", "content": "{\"output\": \"FAIL\", \"metadata\": {\"exit_code\": 1}}"}, {"role": "assistant", "content": "All tests pass."}]`,
		"Responses": `{"input": [{"role": "user", "content": "Go."}, {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": "{\"cmd\": \"pytest\"}"},
			{"type": "function_call_output", "call_id": "c", "output": "Process exited with code 1\nOutput:\nx"}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "All tests pass."}]}]}`,
		"Responses, the shell of the API": `{"input": [{"role": "user", "content": "Go."}, {"type": "shell_call", "call_id": "c", "action": {"commands": ["cargo test"]}},
			{"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "", "stderr": "", "outcome": {"type": "exit", "exit_code": 101}}]}, {"role": "assistant", "content": "All tests pass."}]}`,
		"Gemini": `{"contents": [{"role": "user", "parts": [{"text": "Go."}]}, {"role": "model", "parts": [{"functionCall": {"name": "run_shell_command", "args": {"command": "npm test"}}}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "run_shell_command", "response": {"exitCode": 1}}}]}, {"role": "model", "parts": [{"text": "All tests pass."}]}]}`,
		"AI SDK": `[{"role": "user", "content": "Go."}, {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "bash", "input": {"command": "pnpm test"}}]},
			{"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "bash", "output": {"type": "error-text", "value": "no"}}]}, {"role": "assistant", "content": [{"type": "text", "text": "All tests pass."}]}]`,
		"Bedrock": `{"messages": [{"role": "user", "content": [{"text": "Go."}]}, {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "bash", "input": {"command": "make test"}}}]},
			{"role": "user", "content": [{"toolResult": {"toolUseId": "c", "status": "error", "content": [{"text": "no"}]}}]}, {"role": "assistant", "content": [{"text": "All tests pass."}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			if found := check(t, text); len(found) != 1 || found[0].Verdict != claims.Contradicted || len(found[0].Calls) != 2 {
				t.Errorf("got %+v", found)
			}
		})
	}
}

// TestMessage checks the claims in the members of a canonical message.
func TestMessage(t *testing.T) {
	found := check(t, `{"schemaVersion": "2.0.0", "handoffId": "x", "completedSubtasks": [{"subtaskId": "1", "description": "Fix the sum", "result": "Fixed, and all tests pass."}],
		"conversationHistorySummary": "The tests pass.", "currentState": {"files": [{"path": "src/sum.go", "changed": 1}, {"path": "src/read.go", "read": 2}]},
		"extensions": {"session": {"turnsLeftOut": 0, "compactions": 0}},
		"conversationHistoryVerbatim": [{"role": "user", "content": "Go."},
			{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "Bash", "arguments": "{\"command\": \"go test\"}"}}]},
			{"role": "tool", "tool_call_id": "c", "content": "Exit code 1"}]}`)
	var got []string
	for _, c := range found {
		got = append(got, fmt.Sprintf("%s %s %s", c.Value.Pointer(), c.Kind, c.Verdict))
	}
	want := "/completedSubtasks/0/result tests contradicted\n/conversationHistorySummary tests contradicted\n/currentState/files/0/path files contradicted"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// FuzzCheck checks that no conversation aborts the run, and that the evidence stands before its claim.
func FuzzCheck(f *testing.F) {
	f.Add(session("All tests pass. Created `a/b.go`.", "Bash go test ./... | tail => FAIL", `Write {"file_path": "a/b.go"} => ok`))
	f.Add(session("Committed.", "Bash cat <<EOF >x 2>&1 && \"\\ => '"))
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			return
		}
		h, err := history.Of(doc, "", jsonstream.Limits{})
		if err != nil {
			return
		}
		for _, c := range claims.Check(h) {
			if c.Verdict == "" || c.Reason == "" {
				t.Errorf("%+v has no verdict", c)
			}
			if c.Verdict == claims.Shown && len(c.Calls) == 0 {
				t.Errorf("%+v has no evidence", c)
			}
			c.Finding()
		}
	})
}

// message returns a canonical message with a run of the tests, its result, and an answer in a subtask.
func message(answer, result, subtask string) string {
	quoted, _ := json.Marshal(result)
	return fmt.Sprintf(`{"schemaVersion": "2.0", "handoffId": "x", "completedSubtasks": [{"subtaskId": "1", "description": "Fix the sum", "result": %q%s}],
		"conversationHistoryVerbatim": [{"role": "user", "content": "Go."},
			{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "Bash", "arguments": "{\"command\": \"go test\"}"}}]},
			{"role": "tool", "tool_call_id": "c", "content": %s}, {"role": "assistant", "content": "All tests pass."},
			{"role": "assistant", "content": null, "tool_calls": [{"id": "d", "type": "function", "function": {"name": "Bash", "arguments": "{\"command\": \"go test\"}"}}]},
			{"role": "tool", "tool_call_id": "d", "content": "Exit code 1"}]}`, answer, subtask, quoted)
}

// TestEvidence checks the evidence that a message gets: verdict, pointers, version.
func TestEvidence(t *testing.T) {
	const digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for name, c := range map[string]struct {
		text, version, want string
	}{
		"no claim":                             {message("Done.", "ok", ""), "2.0", ""},
		"the answer of a turn, before the end": {message("All tests pass.", "ok  x 0.1s", ""), "2.1", "tests shown /conversationHistoryVerbatim/1/tool_calls/0 /conversationHistoryVerbatim/2"},
		"an answer that was cut":               {message("All tests…", "ok  x 0.1s", ""), "2.0", ""},
		"another text, at the end":             {message("Fixed, and all tests pass.", "ok  x 0.1s", ""), "2.1", "tests contradicted /conversationHistoryVerbatim/4/tool_calls/0 /conversationHistoryVerbatim/5"},
		"evidence is kept": {message("All tests pass.", "ok", `, "evidence": [{"claim": "build", "verdict": "shown", "calls": [{"digest": "`+digest+`"}], "by": 1.50}]`), "2.1",
			"build shown "},
		"a pointer to another value is removed": {message("Done.", "ok", `, "evidence": [{"claim": "tests", "verdict": "shown", "calls": [{"pointer": "/conversationHistoryVerbatim/2", "digest": "`+digest+`"}]}]`), "2.1",
			"tests shown "},
		"a pointer outside the conversation is removed": {message("Done.", "ok", `, "evidence": [{"claim": "tests", "verdict": "shown", "calls": [{"pointer": "", "digest": "`+digest+`"}]}]`), "2.1",
			"tests shown "},
	} {
		t.Run(name, func(t *testing.T) {
			doc := parse(t, c.text)
			text, err := claims.AddEvidence(doc)
			if err != nil {
				t.Fatal(err)
			}
			root := parse(t, string(text)).Root()
			var got []string
			for _, e := range root.At("/completedSubtasks/0/evidence").Elements() {
				line := e.Get("claim").Text() + " " + e.Get("verdict").Text()
				for _, call := range e.Get("calls").Elements() {
					line += " " + call.Get("pointer").Text()
				}
				got = append(got, line)
			}
			if strings.Join(got, "\n") != c.want || root.Get("schemaVersion").Text() != c.version {
				t.Errorf("got version %s, %q", root.Get("schemaVersion").Text(), got)
			}
			for pointer := range claims.StalePointers(root) {
				t.Errorf("%s is stale: %s", pointer.Pointer(), pointer.Text())
			}
			for _, f := range claims.Stated(root) {
				if want := "according to the sender"; !strings.Contains(f.Message, want) || f.Pointer != "/completedSubtasks/0/result" || !strings.HasPrefix(f.Rule, "claims/") {
					t.Errorf("got %+v, want %q at the result", f, want)
				}
			}
			if again, err := claims.AddEvidence(parse(t, string(text))); err != nil || string(again) != string(text) {
				t.Errorf("the second call changed the message: %v\n%s\n%s", err, text, again)
			}
		})
	}
}
