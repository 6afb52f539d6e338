package claims

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// simpleCommands returns the words of the simple commands in shell commands, without variables, redirections
// of descriptors and the programs that only run another one. In a script of another language, the commands are
// in literals.
func simpleCommands(text string, isScript bool) (all [][]string) {
	var words []string
	end := func() {
		if words = withoutPrefix(words); len(words) > 0 {
			all = append(all, words)
		}
		words = nil
	}
	isRaw := isScript // each line break ends a command
	var until string  // the mark of the end of a here document
	for text = strings.ReplaceAll(text, "\\\n", " "); text != ""; {
		n := lineEnd(text)
		if !isRaw && until == "" {
			n, isRaw = commandEnd(text)
		}
		line := text[:n]
		text = text[n:]
		if until != "" {
			if strings.TrimSpace(line) == until {
				until = ""
			}
			continue
		}
		tokens := shellTokens(line, isScript)
		until = hereMark(tokens)
		for _, token := range tokens {
			switch token {
			case "&&", "||", ";", "|", "&", "(", ")", "{", "}", "do", "then":
				end()
			default:
				words = append(words, token)
			}
		}
		end()
	}
	return all
}

// lineEnd returns the end of the first line of a text, with its line break.
func lineEnd(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n + 1
	}
	return len(text)
}

// commandEnd is lineEnd for shell commands, where a quoted text may have several lines. If a quote stays open, it
// returns the end of the first line.
func commandEnd(text string) (n int, isOpen bool) {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;", text[i-1]) >= 0): // a comment
			return i + lineEnd(text[i:]), false
		case c == '\n':
			return i + 1, false
		}
	}
	if quote != 0 {
		return lineEnd(text), true
	}
	return len(text), false
}

// hereMark returns the mark that ends the here document of a line, "" if there is none.
func hereMark(tokens []string) string {
	for i, token := range tokens {
		before, mark, ok := strings.Cut(token, "<<")
		if !ok || strings.ContainsAny(before, " \t\n") || strings.HasPrefix(mark, "<") { // in quotes, a here string
			continue
		}
		if mark = strings.TrimPrefix(mark, "-"); mark == "" && i+1 < len(tokens) {
			mark = tokens[i+1]
		}
		if mark != "" && (mark[0] == '_' || 'A' <= mark[0]&^0x20 && mark[0]&^0x20 <= 'Z') { // not 1<<2
			return mark
		}
	}
	return ""
}

// shellTokens returns the words and operators of a line. In a script, quotes and parentheses end words.
func shellTokens(line string, isScript bool) (all []string) {
	var word strings.Builder
	quote := byte(0)
	end := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
			word.Reset()
		}
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '#' && word.Len() == 0 && !isScript: // a comment
			return all
		case isScript && strings.IndexByte("\"'`,[", c) >= 0:
			end()
			all = append(all, ";")
		case c == '\'' || c == '"':
			quote = c
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case c == '>' && i+1 < len(line) && line[i+1] == '&', c == '&' && i+1 < len(line) && line[i+1] == '>':
			i++ // 2>&1, &>
			word.Reset()
			for i+1 < len(line) && '0' <= line[i+1] && line[i+1] <= '9' {
				i++
			}
		case c == '>':
			if text := word.String(); len(text) == 1 && '0' <= text[0] && text[0] <= '9' { // 2>
				word.Reset()
			}
			end()
			if i+1 < len(line) && line[i+1] == '>' {
				i++
			}
			all = append(all, ">")
		case strings.IndexByte("|&;()", c) >= 0:
			end()
			if i+1 < len(line) && line[i+1] == c {
				i++
				all = append(all, string([]byte{c, c}))
			} else {
				all = append(all, string(c))
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			end()
		default:
			word.WriteByte(c)
		}
	}
	end()
	return all
}

// runners are programs that run the command after them.
var runners = []string{"sudo", "time", "timeout", "env", "npx", "pnpx", "bunx", "uvx", "exec", "nohup", "xvfb-run", "command", "nice", "stdbuf", "xargs", "!", "if", "while"}

// withoutPrefix returns the words of a command without variables and runners before it.
func withoutPrefix(words []string) []string {
	for len(words) > 0 {
		w := words[0]
		name, _, isVariable := strings.Cut(w, "=")
		switch {
		case isVariable && name != "" && !strings.ContainsAny(name, "/-."):
			words = words[1:]
		case slices.Contains(runners, w):
			words = words[1:]
			for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Trim(words[0], "0123456789.smh") == "") { // options, a duration
				words = words[1:]
			}
		case len(words) > 3 && w == "git" && (words[1] == "-C" || words[1] == "-c"):
			words = slices.Concat(words[:1], words[3:])
		case len(words) > 2 && words[1] == "run" && (w == "poetry" || w == "uv" || w == "pipenv" || w == "hatch" || w == "pdm"):
			words = words[2:]
		case len(words) > 2 && words[1] == "exec" && (w == "bundle" || w == "pnpm" || w == "npm" || w == "yarn"):
			words = words[2:]
		case len(words) > 2 && strings.HasPrefix(path.Base(w), "python") && words[1] == "-m":
			words = words[2:]
		default:
			return words
		}
	}
	return nil
}

var (
	testPrograms = []string{"pytest", "unittest", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest", "tox", "nox", "nose2", "ava", "karma", "gotestsum", "behave", "bats", "minitest", "trial"}
	lintPrograms = []string{"eslint", "ruff", "flake8", "pylint", "mypy", "pyright", "golangci-lint", "staticcheck", "rubocop", "shellcheck", "biome", "stylelint", "tslint", "ktlint", "black", "prettier", "isort", "actionlint"}
	// multiple are programs whose first argument selects their work, or for package managers the script.
	multiple = []string{
		"go", "cargo", "dotnet", "bun", "deno", "swift", "mix", "bazel", "flutter", "dart", "rails", "zig", "sbt", "lein", "stack", "cabal", "forge", "hardhat", "nx", "turbo", "just", "rake", "ng",
		"npm", "pnpm", "yarn", "composer", "make", "gmake", "gradle", "gradlew", "mvn", "mvnw", "ant", "task", "hatch",
	}
	compilers = []string{"tsc", "gcc", "g++", "clang", "clang++", "javac", "webpack", "rollup", "esbuild", "msbuild", "xcodebuild", "ninja", "rustc", "kotlinc", "cc"}
)

// kindOf returns the kind of claims that a command decides.
func kindOf(words []string) (Kind, bool) {
	program := strings.TrimSuffix(path.Base(words[0]), ".exe")
	args := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool { return strings.HasPrefix(w, "-") || w == "run" || w == "run-script" })
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(names, a) })
	}
	switch {
	case program == "git" && has("commit"):
		return Commit, true
	case program == "gh" && has("pr") && has("create"), program == "glab" && has("mr") && has("create"):
		return PullRequest, true
	case isDeployment(program, first, args):
		return Deployment, true
	case slices.Contains(testPrograms, program):
		return Tests, true
	case slices.Contains(lintPrograms, program):
		return Lint, true
	case slices.Contains(compilers, program):
		if program == "tsc" && hasFlag(words, "noEmit") {
			return Lint, true
		}
		return Build, true
	case program == "cmake" && hasFlag(words, "build"), program == "docker" && first == "build", program == "vite" && first == "build", program == "next" && first == "build",
		(program == "make" || program == "gmake") && first == "":
		return Build, true
	case strings.HasPrefix(program, "python") || program == "node" || program == "ruby" || program == "php" || program == "bash" || program == "sh":
		if slices.ContainsFunc(args, isTestFile) || has("test") && strings.HasSuffix(first, "manage.py") || program == "node" && hasFlag(words, "test") {
			return Tests, true
		}
	case strings.Contains(words[0], "/") && isTestFile(words[0]):
		return Tests, true
	case slices.Contains(multiple, program):
		return selected(program, args)
	}
	return "", false
}

// hasFlag reports whether a command has a flag.
func hasFlag(words []string, name string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") && strings.TrimLeft(w, "-") == name })
}

// selected returns the kind of the work that the arguments of a program select.
func selected(program string, args []string) (Kind, bool) {
	for _, a := range args {
		name, _, _ := strings.Cut(a, ":")
		switch name {
		case "test", "tests", "check", "t", "spec":
			if name == "check" && program == "cargo" {
				return Build, true
			}
			if name != "t" || program == "npm" || program == "cargo" {
				return Tests, true
			}
		case "lint", "clippy", "vet", "typecheck", "type-check", "fmt", "format", "analyze":
			return Lint, true
		case "build", "compile", "package", "assemble", "all", "install", "verify":
			if name == "install" && program != "mvn" && program != "mvnw" && program != "go" && program != "cargo" {
				return "", false
			}
			return Build, true
		}
	}
	return "", false
}

// isTestFile reports whether a path is that of a program of tests.
func isTestFile(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.HasPrefix(base, "test_") || strings.HasPrefix(base, "test.") || strings.HasPrefix(base, "run_test") || strings.HasPrefix(base, "run-test") || strings.HasPrefix(base, "runtest") ||
		strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.")
}

func isDeployment(program, first string, args []string) bool {
	switch program {
	case "kubectl", "terraform":
		return first == "apply"
	case "helm":
		return first == "upgrade" || first == "install"
	case "npm", "pnpm", "yarn", "cargo", "poetry":
		return first == "publish"
	case "docker":
		return first == "push"
	case "vercel":
		return true
	case "netlify", "fly", "flyctl", "gcloud", "wrangler", "firebase", "serverless", "railway", "cdk":
		return slices.Contains(args, "deploy") || first == "up"
	default:
		return program == "twine" && first == "upload"
	}
}

// harmless are programs that change no file, unless their output is redirected.
var harmless = []string{
	"ls", "cat", "head", "tail", "grep", "egrep", "rg", "ag", "find", "fd", "wc", "pwd", "echo", "printf", "which", "type", "file", "stat", "tree", "du", "df", "sort", "uniq", "cut", "diff", "cmp", "comm",
	"cd", "true", "false", ":", "test", "[", "[[", "sleep", "wait", "date", "whoami", "id", "ps", "pgrep", "kill", "lsof", "jq", "awk", "gawk", "tr", "nl", "less", "column", "rev", "seq", "od", "xxd", "strings",
	"shasum", "sha256sum", "md5", "md5sum", "open", "clear", "killall", "pkill", "nc", "ping", "basename", "dirname", "realpath", "readlink", "export", "unset", "local", "read", "set", "source", ".", "exit", "env", "hostname", "uname", "curl", "gofmt",
	"else", "fi", "done", "for", "break", "continue", "case", "esac",
}

// readOnly returns the commands of programs that change no file of the work.
var readOnly = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"git":    {"status", "diff", "log", "show", "add", "branch", "tag", "push", "fetch", "rev-parse", "rev-list", "remote", "blame", "config", "ls-files", "ls-tree", "ls-remote", "cat-file", "merge-base", "check-ignore", "describe", "grep", "reflog", "shortlog"},
		"go":     {"list", "env", "version", "doc"},
		"docker": {"ps", "logs", "images", "inspect", "pull", "stop", "rm", "start", "compose up", "compose down", "compose ps", "compose logs"},
		"gh":     {"pr view", "pr diff", "pr list", "pr status", "pr checks", "pr comment", "pr edit", "pr review", "pr ready", "issue view", "issue list", "issue create", "issue comment", "run view", "run list", "run watch", "repo view", "release view", "release list", "auth status"},
	}
})

// installs returns the commands of package managers, and manifests the files of the work that these change.
var (
	installs = sync.OnceValue(func() map[string][]string {
		return map[string][]string{
			"go": {"get", "mod"}, "cargo": {"add", "remove", "update"}, "pip": {"install", "uninstall", "list", "show"}, "pip3": {"install", "uninstall", "list", "show"}, "brew": {"install", "list", "info"}, "apt-get": {"install", "update"},
			"npm": {"install", "i", "ci", "uninstall", "update", "ls", "list", "view", "outdated", "audit"}, "pnpm": {"install", "i", "add", "remove", "update", "ls", "list"}, "yarn": {"install", "add", "remove", "list"}, "bun": {"install", "add", "remove"},
			"poetry": {"add", "remove", "install", "lock"}, "uv": {"add", "remove", "sync", "lock"},
		}
	})
	manifests = sync.OnceValue(func() map[string][]string {
		return map[string][]string{
			"go": {"go.mod", "go.sum"}, "cargo": {"Cargo.toml", "Cargo.lock"}, "npm": {"package.json", "package-lock.json"}, "pnpm": {"package.json", "pnpm-lock.yaml"}, "yarn": {"package.json", "yarn.lock"},
			"bun": {"package.json", "bun.lock"}, "poetry": {"pyproject.toml", "poetry.lock"}, "uv": {"pyproject.toml", "uv.lock"},
		}
	})
)

// writtenBy returns the files that a command writes or deletes. known is false if it may write others.
func writtenBy(words []string) (paths []string, known bool) {
	program := path.Base(words[0])
	var rest []string
	for i := 0; i < len(words); i++ {
		if words[i] == ">" {
			if i++; i < len(words) {
				paths = append(paths, words[i])
			}
		} else {
			rest = append(rest, words[i])
		}
	}
	args := slices.DeleteFunc(slices.Clone(rest[min(1, len(rest)):]), func(w string) bool { return strings.HasPrefix(w, "-") })
	switch {
	case program == "tee", program == "touch", program == "rm", program == "cp", program == "mv", program == "mkdir", program == "chmod", program == "ln",
		program == "sed" && (hasFlag(words, "in-place") || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-i") })):
		return append(paths, args...), true
	case program == "gofmt" && hasFlag(words, "w"):
		return append(paths, args...), true
	case program == "git" && len(args) > 1 && (args[0] == "rm" || args[0] == "mv"):
		return append(paths, args[1:]...), true
	case len(args) > 0 && slices.Contains(installs()[program], args[0]):
		return append(paths, manifests()[program]...), true
	case len(rest) == 2 && (rest[1] == "version" || slices.ContainsFunc([]string{"version", "v", "V", "help", "h"}, func(name string) bool { return hasFlag(rest[1:], name) })):
		return paths, true
	case program == "curl" && slices.ContainsFunc(rest, func(w string) bool {
		return strings.HasPrefix(w, "-o") || strings.HasPrefix(w, "-O") || hasFlag([]string{w}, "output") || hasFlag([]string{w}, "remote-name")
	}):
		return paths, false
	case readOnly()[program] != nil:
		return paths, slices.ContainsFunc(readOnly()[program], func(c string) bool { return strings.HasPrefix(strings.Join(args, " ")+" ", c+" ") })
	}
	return paths, slices.Contains(harmless, program) || program == "sed" || program == "" || len(rest) == 0
}
