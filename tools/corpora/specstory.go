package main

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The maximum length of the log of a coding session.
const sessionLength = 500_000

var (
	specSpeaker = regexp.MustCompile(`^_\*\*(User|Agent|Assistant)\b.*\*\*_$`)
	specTool    = regexp.MustCompile(`^<tool-use data-tool-type="([^"]*)" data-tool-name="([^"]*)">`)
	specOldTool = regexp.MustCompile(`^Tool use: \*\*([^*]+)\*\*(.*)`)
	changedFile = regexp.MustCompile(`(?:The file|created successfully at:) (\S+)`)
	inBackticks = regexp.MustCompile("`([^`\n]+)`")
	specCommand = regexp.MustCompile("(?m)(?:^ *|\\*\\* *)`(.+)`(?:</summary>)?$")
	specRefused = regexp.MustCompile(`^\s*(?:<tool_use_error>|The user doesn't want to |Error: |File has )`)
	specAction  = regexp.MustCompile(`• [^:\n]*: (.+?)(?:</summary>)?\n`)
)

// specKinds are the kinds of tools in the older form, which does not name them.
var specKinds = map[string]string{
	"Bash": "shell", "exec_command": "shell", "run_terminal_cmd": "shell",
	"Edit": "write", "MultiEdit": "write", "Write": "write", "write": "write", "search_replace": "write", "apply_patch": "write",
}

// readSpecStory reads sessions with coding agents in either form of SpecStory's .specstory/history:
// the texts of the user and the agent, and the use of tools with the results. Facts are the files
// that were written, or used twice or more.
func readSpecStory(s *snapshot, emit func(*conversation)) error {
	files, err := s.files("", ".md")
	if err != nil {
		return err
	}
	for _, file := range files {
		if !strings.Contains(file, ".specstory/history/") || strings.Contains(file, "fixtures/") {
			continue
		}
		data, err := s.read(file)
		if err != nil {
			return err
		}
		if len(data) <= sessionLength {
			emit(specSession(file, string(data)))
		}
	}
	return nil
}

func specSession(id, text string) *conversation {
	c := &conversation{id: id}
	role := ""
	var said []string
	used := map[string]int{}
	flush := func() {
		if role != "" {
			c.say(role, strings.Join(said, "\n"))
		}
		said = nil
	}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if m := specSpeaker.FindStringSubmatch(line); m != nil {
			flush()
			if role = "assistant"; m[1] == "User" {
				role = "user"
			}
			continue
		}
		if m := specOldTool.FindStringSubmatch(line); m != nil {
			flush()
			from := i + 1
			for i+1 < len(lines) && !specSpeaker.MatchString(lines[i+1]) && !specOldTool.MatchString(lines[i+1]) {
				i++
			}
			c.specOldUse(m[1], m[2], lines[from:i+1], used)
			continue
		}
		m := specTool.FindStringSubmatch(line)
		if m == nil {
			if line != "---" && !strings.HasPrefix(line, "<!--") {
				said = append(said, line)
			}
			continue
		}
		flush()
		from := i + 1
		for i < len(lines) && !strings.Contains(lines[i], "</tool-use>") {
			i++
		}
		c.specUse(m[1], m[2], lines[from:min(i, len(lines))], used)
	}
	flush()
	return c
}

// specUse adds the use of a tool: its arguments are in backticks between the summary and a block
// with the result.
func (c *conversation) specUse(kind, tool string, lines []string, used map[string]int) {
	var head, result []string
	inResult := false
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "<summary>"), strings.HasPrefix(line, "</details>"):
		case strings.HasPrefix(line, "```"):
			inResult = true
		case inResult:
			result = append(result, line)
		default:
			head = append(head, line)
		}
	}
	var arguments []string
	for _, m := range inBackticks.FindAllStringSubmatch(strings.Join(head, "\n"), -1) {
		arguments = append(arguments, m[1])
	}
	c.useLogged(tool, map[string]any{"arguments": arguments}, strings.Join(result, "\n"), realUseOf(kind, lines))
	c.labelFiles(arguments, kind == "write", used)
}

// realUseOf returns the use of a tool for writing or a shell, nil for other kinds. In the lines of a log, the path or
// the command is in the summary or in backticks. Otherwise the command is the first of several blocks, and
// the path is in the result, the last block.
func realUseOf(kind string, lines []string) *realUse {
	parts := strings.Split("\n"+strings.Join(lines, "\n"), "\n```")
	head, blocks := parts[0]+"\n", parts[1:]
	for i, block := range blocks {
		_, blocks[i], _ = strings.Cut(block, "\n") // the language
	}
	blocks = slices.DeleteFunc(blocks, func(b string) bool { return strings.TrimSpace(strings.ReplaceAll(b, "</details>", "")) == "" })
	first := func(pattern *regexp.Regexp, text string) string {
		if m := pattern.FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return ""
	}
	named := cmp.Or(first(specAction, head), first(specCommand, head))
	switch kind {
	case "shell":
		if named == "" && len(blocks) > 0 {
			named, blocks = blocks[0], blocks[1:]
		}
		return &realUse{map[string]string{"command": named}, strings.Join(blocks, "\n")}
	case "write":
		result := ""
		if len(blocks) > 0 {
			result = blocks[len(blocks)-1]
		}
		named = cmp.Or(named, first(inBackticks, head), first(changedFile, result))
		if named == "" && specRefused.MatchString(result) {
			named = "refused" // the log does not name the file
		}
		if named == "" {
			return &realUse{map[string]string{}, result}
		}
		return &realUse{map[string]string{"file_path": named}, result}
	}
	return nil
}

// specOldUse adds the use of a tool in the older form, which has no end mark and often names the
// file only in its result.
func (c *conversation) specOldUse(tool, head string, lines []string, used map[string]int) {
	var arguments []string
	for _, m := range inBackticks.FindAllStringSubmatch(head, -1) {
		arguments = append(arguments, m[1])
	}
	result := strings.TrimSpace(strings.Join(lines, "\n"))
	c.useLogged(tool, map[string]any{"arguments": arguments}, result, realUseOf(specKinds[tool], append([]string{head}, lines...)))
	c.labelFiles(arguments, false, used)
	for _, m := range changedFile.FindAllStringSubmatch(result, -1) {
		c.labelFiles(m[1:], true, used)
	}
}

// labelFiles labels the names of files that were written, or used for the second time.
func (c *conversation) labelFiles(arguments []string, written bool, used map[string]int) {
	for _, a := range arguments {
		base := path.Base(a)
		if used[base]++; path.Ext(base) != "" && !strings.ContainsAny(base, " *?|<>\"'(){}$") && (written || used[base] == 2) {
			c.label("argument", base)
		}
	}
}
