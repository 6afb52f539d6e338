package claims

import (
	"regexp"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An outcome is the result of a command.
type outcome int

const (
	unknown outcome = iota
	succeeded
	failed
)

// exitMembers are the names of members with the exit status of a command.
var exitMembers = []string{"exit_code", "exitCode", "exit_status", "exitStatus", "returncode", "return_code", "returnCode"}

// outcomeOf returns the outcome of a call by the structure of its result, or by an exit status in its text.
func outcomeOf(result jsonstream.Value, text string) outcome {
	if is := isError(result); is != unknown {
		return is
	}
	for v := range result.All() {
		for _, name := range exitMembers {
			if code := v.Get(name); code.Kind() == jsonstream.Number {
				return ofExit(string(code.Raw()))
			}
		}
	}
	if code := result.Parent().At("/metadata/exit"); code.Kind() == jsonstream.Number { // OpenCode
		return ofExit(string(code.Raw()))
	}
	e := outputExpressions()
	if found := e.exit.FindAllStringSubmatch(text, -1); found != nil {
		return ofExit(found[len(found)-1][1])
	}
	if content := result.Get("content"); result.Get("type").Text() == "tool_result" && content.Exists() { // Anthropic: failures are marked
		return succeeded
	}
	return unknown
}

func ofExit(code string) outcome {
	if code == "0" {
		return succeeded
	}
	return failed
}

// isError returns failed if the structure of a result marks an error.
func isError(result jsonstream.Value) outcome {
	switch status := result.Parent().Get("status").Text(); { // the Gemini CLI, OpenCode
	case result.Name() == "result" && (status == "error" || status == "cancelled"), result.Name() == "error" && status == "error":
		return failed
	}
	for _, v := range [...]jsonstream.Value{result, result.Get("toolResult"), result.Get("output")} {
		kind, status := v.Get("type").Text(), v.Get("status").Text()
		if v.Get("is_error").Kind() == jsonstream.True || v.Get("isError").Kind() == jsonstream.True || status == "error" || status == "failed" || status == "incomplete" ||
			strings.HasPrefix(kind, "error") || kind == "execution-denied" || v.Get("success").Kind() == jsonstream.False {
			return failed
		}
	}
	return unknown
}

// resultText returns all text of a result.
func resultText(result jsonstream.Value) string {
	var all []string
	for v := range result.All() {
		if v.Kind() == jsonstream.String && v.Name() != "type" && v.Name() != "id" {
			all = append(all, v.Text())
		}
	}
	return strings.Join(all, "\n")
}

// outputs are the expressions for the output of commands.
type outputs struct{ exit, bad, good, none *regexp.Regexp }

var outputExpressions = sync.OnceValue(func() outputs {
	return outputs{
		exit: regexp.MustCompile(`(?i)\b(?:exit(?:ed)?(?: with)?(?: code| status| value)?|exit_code|"exit_code"|exitCode|return ?code|returncode)\b["']?\s*[:=]?\s*(-?\d+)\b`),
		// The summaries of test programs.
		bad: regexp.MustCompile(`(?m)^\s*(?:--- FAIL|FAIL\b|FAILED\b|not ok \d)|\b[1-9]\d* (?:tests? )?(?:failed|failures?|failing|errors?)\b|\b(?:failures|errors|failed)\s*[:=]\s*[1-9]|` +
			`\bTests? (?:run )?failed\b|BUILD FAIL|npm ERR!|\bpanic: |test result: FAILED|FAILED \(|Traceback \(most recent call last\)|command not found|No such file or directory`),
		good: regexp.MustCompile(`(?m)^(?:ok\s|PASS\b|OK\b)|\b[1-9]\d* (?:tests? )?(?:passed|passing)\b|test result: ok|BUILD SUCCESS|\bAll \d* ?tests? passed\b|\b100% tests passed|# fail 0\b`),
		none: regexp.MustCompile(`\b0 (?:failed|failures?|errors?)\b`),
	}
})

// refined returns the outcome of a command of a kind, by the outcome of its call and its output. The status of
// a call may be that of a later command, such as tail, so that the summary of failed tests counts more.
func refined(kind Kind, whole outcome, text string) outcome {
	e := outputExpressions()
	switch kind {
	case Tests:
		text = e.none.ReplaceAllString(text, "")
		if e.bad.MatchString(text) {
			return failed
		}
		if whole == unknown && e.good.MatchString(text) {
			return succeeded
		}
	case Commit:
		if strings.Contains(text, "nothing to commit") || strings.Contains(text, "no changes added to commit") {
			return failed
		}
		if whole == unknown && strings.Contains(text, "changed,") {
			return succeeded
		}
	case PullRequest:
		if whole == unknown && (strings.Contains(text, "/pull/") || strings.Contains(text, "/merge_requests/")) {
			return succeeded
		}
	case Build, Lint, Deployment, Files:
	}
	return whole
}
