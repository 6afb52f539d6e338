package claims

import (
	"path"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/formats/codex"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// writers are tools that write the file that their arguments name, in lower case without separators.
var writers = []string{
	"write", "edit", "multiedit", "notebookedit", "create", "writefile", "createfile", "editfile", "deletefile", "applypatch", "applydiff", "replace", "replaceinfile",
	"strreplace", "searchreplace", "insert", "inserteditintofile", "multireplacestringinfile", "replacestringinfile", "writetofile", "movefile", "renamefile",
	"strreplaceeditor", "strreplacebasededittool", "texteditor",
}

// readers are tools that change no file.
var readers = []string{
	"read", "readfile", "notebookread", "view", "viewfile", "openfile", "cat", "ls", "listdir", "listfiles", "listdirectory", "glob", "grep", "search", "searchfiles",
	"codebasesearch", "greprepo", "findfile", "find", "filesearch", "websearch", "webfetch", "fetch", "think", "todowrite", "todoread", "taskcreate", "taskupdate", "tasklist",
	"updateplan", "askuserquestion", "requestuserinput", "exitplanmode", "viewimage", "finish", "submit", "bashoutput", "killshell", "writestdin", "toolsearch",
}

func newCall(turn int, p conversation.Part) *call {
	c := &call{turn: turn, value: p.Value, kinds: map[Kind]bool{}}
	in := argumentsOf(p.Value)
	c.words = strings.Join(in.texts, "\n")
	tool := plainName(p.Tool())
	commands, isScript := in.commands(p.Value)
	switch {
	case slices.Contains(writers, tool):
		if action := in.member("command"); action != "view" && action != "undo_edit" {
			c.written = append(in.paths(), patchedPaths(c.words)...)
			c.opaque = len(c.written) == 0
		}
	case strings.Contains(c.words, beginPatch):
		c.written = patchedPaths(c.words)
	case slices.Contains(readers, tool):
	case commands == "":
		c.opaque = true
		c.actions(tool)
	}
	if commands != "" && !slices.Contains(writers, tool) && !slices.Contains(readers, tool) {
		c.run(commands, isScript)
	}
	return c
}

// actions notes the effects of a tool for them.
func (c *call) actions(tool string) {
	switch {
	case strings.Contains(tool, "createpullrequest"), strings.Contains(tool, "createmergerequest"):
		c.decides = PullRequest
	case strings.HasSuffix(tool, "gitcommit"):
		c.decides = Commit
	case strings.HasPrefix(tool, "deploy"):
		c.decides = Deployment
	case tool == "runtests", tool == "runtest":
		c.decides = Tests
	default:
		return
	}
	c.kinds[c.decides] = true
}

// filters are programs that rarely fail. If they are last, a failed call still means that the command before them failed.
var filters = []string{"cd", "tail", "head", "tee", "cat", "sed", "awk", "sort", "uniq", "wc", "tr", "cut", "echo", "printf", "true", "exit", "sleep"}

// run notes the effects of shell commands.
func (c *call) run(commands string, isScript bool) {
	for _, words := range simpleCommands(commands, isScript) {
		if kind, ok := kindOf(words); ok {
			c.kinds[kind] = true
			c.decides = kind
			continue
		}
		if !slices.Contains(filters, path.Base(words[0])) {
			c.decides = ""
		}
		paths, known := writtenBy(words)
		c.written = append(c.written, paths...)
		c.opaque = c.opaque || !known
	}
}

// read reads the result of the call when a claim first depends on it: most results are long, and decide nothing.
func (c *call) read() {
	if c.outcomes != nil {
		return
	}
	c.outcomes = map[Kind]outcome{}
	if !c.result.Exists() {
		return
	}
	text := resultText(c.result)
	whole := outcomeOf(c.result, text)
	c.isFailure = whole == failed
	for kind := range c.kinds {
		of := whole
		if whole == failed && kind != c.decides {
			of = unknown
		}
		c.outcomes[kind] = refined(kind, of, text)
	}
}

// failed reports whether the call failed as a whole.
func (c *call) failed() bool {
	c.read()
	return c.isFailure
}

// outcome returns the outcome of the call's last command of a kind, and reports whether it has one.
func (c *call) outcome(kind Kind) (result outcome, ran bool) {
	if !c.kinds[kind] {
		return unknown, false
	}
	c.read()
	return c.outcomes[kind], true
}

// plainName returns the name of a tool in lower case, without the name of its server and separators.
func plainName(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 { // mcp__server__tool
		name = name[i+2:]
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// arguments are the arguments of a call.
type arguments struct {
	value jsonstream.Value // an object; absent if they are text
	texts []string         // all strings
}

// argumentsOf returns the arguments in a call of any format.
func argumentsOf(call jsonstream.Value) (a arguments) {
	v := call
	for _, name := range [...]string{"function", "functionCall", "toolUse", "custom", "state"} { // state of OpenCode
		if inner := call.Get(name); inner.Kind() == jsonstream.Object {
			v = inner
			break
		}
	}
	for _, name := range [...]string{"arguments", "input", "args", "action"} {
		if in := v.Get(name); in.Exists() {
			v = in
			break
		}
	}
	if v.Kind() == jsonstream.String {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(v.Text())), jsonstream.Limits{})
		if err != nil || doc.Root().Kind() != jsonstream.Object {
			return arguments{texts: []string{v.Text()}}
		}
		v = doc.Root()
	}
	a.value = v
	for text := range v.All() {
		if text.Kind() == jsonstream.String {
			a.texts = append(a.texts, text.Text())
		}
	}
	return a
}

func (a arguments) member(name string) string { return a.value.Get(name).Text() }

// commands returns the shell commands of a call, and whether they stand in a script of another language; ""
// if it runs none.
func (a arguments) commands(call jsonstream.Value) (commands string, isScript bool) {
	for _, name := range [...]string{"command", "cmd", "commands", "script", "code"} {
		switch v := a.value.Get(name); v.Kind() {
		case jsonstream.String:
			return v.Text(), name == "code"
		case jsonstream.Array:
			return arrayCommand(v, name), false
		}
	}
	if !a.value.Exists() && len(a.texts) == 1 && !strings.Contains(a.texts[0], beginPatch) { // a custom tool
		return a.texts[0], true
	}
	return "", false
}

// arrayCommand returns the commands in an array: the words of one command, or one command each.
func arrayCommand(v jsonstream.Value, name string) string {
	var words []string
	for _, word := range v.Elements() {
		words = append(words, word.Text())
	}
	if name == "commands" {
		return strings.Join(words, "\n")
	}
	if len(words) > 2 && strings.HasSuffix(words[0], "sh") && strings.HasPrefix(words[1], "-") { // bash -lc '…'
		return strings.Join(words[2:], "\n")
	}
	return strings.Join(words, " ")
}

// paths returns the paths that the arguments name.
func (a arguments) paths() (all []string) {
	for _, name := range [...]string{"file_path", "path", "filePath", "filename", "file", "notebook_path", "target_file", "new_path", "destination", "relative_path"} {
		if path := a.member(name); path != "" {
			all = append(all, path)
		}
	}
	return all
}

const beginPatch = "*** Begin Patch"

// patchedPaths returns the paths in the headers of a patch of apply_patch.
func patchedPaths(text string) (all []string) {
	if !strings.Contains(text, beginPatch) {
		return nil
	}
	inLiterals := strings.NewReplacer(`\n`, "\n", `"`, "\n", "'", "\n", "`", "\n") // of a script
	for path := range codex.PatchedFiles(inLiterals.Replace(text)) {
		all = append(all, path)
	}
	return all
}

// Written returns the paths of the files that a tool call writes or deletes, as far as its arguments show them.
func Written(call conversation.Part) []string { return newCall(0, call).written }
