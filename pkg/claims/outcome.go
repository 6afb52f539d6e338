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
	if code := printedExit(text); code != "" {
		return ofExit(code)
	}
	if content := result.Get("content"); result.Get("type").Text() == "tool_result" && content.Exists() { // Anthropic: failures are marked
		return succeeded
	}
	return unknown
}

// printedExit returns the exit status that an agent's program puts before the output of a command or after it, ""
// if there is none. A status in the middle is output.
func printedExit(text string) string {
	e := outputExpressions()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range lines[:min(len(lines), 5)] {
		if m := e.exit.FindStringSubmatchIndex(line); m != nil && len(strings.Fields(line[:m[0]])) <= 1 { // "Process exited with"
			return line[m[2]:m[3]]
		}
	}
	if found := e.exit.FindAllStringSubmatch(strings.Join(lines[max(0, len(lines)-4):], "\n"), -1); found != nil {
		return found[len(found)-1][1]
	}
	return ""
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
type outputs struct {
	exit, log *regexp.Regexp
	bad, good *regexp.Regexp // the summaries of test programs
	crashed   *regexp.Regexp // the test program itself, unless a summary says otherwise
	none      *regexp.Regexp // no failure
	fine      *regexp.Regexp // the last lines of builds and linters
}

var outputExpressions = sync.OnceValue(func() outputs {
	return outputs{
		exit: regexp.MustCompile(`(?i)\b(?:exit(?:ed)?(?: with)?(?: code| status| value)?|exit_code|"exit_code"|exitCode|return ?code|returncode)\b["']?\s*[:=]?\s*(-?\d+)\b`),
		log:  regexp.MustCompile(`(?m)^(?:\[?\d{4}[-/]\d\d[-/]\d\d|time=|\[?(?:DEBUG|INFO|WARN|WARNING|ERROR)\]?[ :\t]+\S+ .*=).*$`),
		bad: regexp.MustCompile(`(?m)^\s*(?:--- FAIL|FAIL\b|FAILED\b|not ok \d)|\b[1-9]\d* (?:tests? )?(?:failed|failures?|failing)\b|\b(?i:failures|failed)\s*[:=]\s*[1-9]|` +
			`\bTests? (?:run )?failed\b|BUILD FAIL|test result: FAILED|FAILED \(`),
		crashed: regexp.MustCompile(`\b[1-9]\d* errors?\b|\b[Ee]rrors\s*[:=]\s*[1-9]|npm ERR!|\bpanic: |Traceback \(most recent call last\)|command not found|No such file or directory`),
		good: regexp.MustCompile(`(?m)^(?:ok\s|PASS\b|OK\b|Passed! )|\b[1-9]\d* (?:tests? )?(?:passed|passing)\b|test result: ok|BUILD SUCCESS|\bAll \d* ?tests? passed\b|` +
			`\b100% tests passed|# fail 0\b|\b[1-9]\d* examples?, 0 failures\b`),
		none: regexp.MustCompile(`\b0 (?:failed|failures?|errors?)\b`),
		fine: regexp.MustCompile(`(?m)\b0 (?:issues|errors)\b|\bno issues found\b|^All (?:checks passed|matched files use)|BUILD SUCCESS|\b[Cc]ompiled successfully\b|^\s*Finished .* target\(s\)|✓ built in `),
	}
})

// refined returns the outcome of a command of a kind, by the outcome of its call and its output. The status of
// a call may be that of a later command, such as tail, so that the summary of failed tests counts more.
func refined(kind Kind, whole outcome, text string) outcome {
	e := outputExpressions()
	switch kind {
	case Tests:
		text = e.log.ReplaceAllString(text, "")
		isGood := e.good.MatchString(text)
		text = e.none.ReplaceAllString(text, "")
		if e.bad.MatchString(text) || !isGood && e.crashed.MatchString(text) {
			return failed
		}
		if whole == unknown && isGood {
			return succeeded
		}
	case Build, Lint:
		if whole == unknown && e.fine.MatchString(text) {
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
	case Deployment, Files:
	}
	return whole
}
