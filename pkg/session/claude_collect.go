package session

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/formats/claudecode"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func (r *claudeReader) collect(c *collector) error {
	r.entitle()
	r.Usage = r.total()
	r.usage = nil
	t := claudecode.NewTree(r.entries)
	path, end := t.Conversation()
	if c.branch != "" {
		var ok bool
		if path, end, ok = t.Branch(c.branch); !ok {
			return fmt.Errorf("%w: no line has the uuid %q", ErrBranch, c.branch)
		}
	}
	visible := t.Visible(path, end)
	b := &claudeBlocks{collector: c}
	var lost [][]int // conversations that the agent does not find, the latest first
	for cut, seen := t.Cut(path, nil); len(cut) > 0; cut, seen = t.Cut(cut, seen) {
		lost = append(lost, cut)
	}
	before := t.Before(path)
	leftOut := 0
	for _, cut := range slices.Backward(lost) {
		leftOut += t.Said(cut)
		before = slices.Concat(before, t.Before(cut), cut)
	}
	causes := r.causes(t, path, before, lost)
	for _, n := range before {
		if t.Entry(n).Compaction {
			c.compacted("")
		}
		e := t.Entry(n)
		isIncluded := c.whole && isTurn(e) && !e.Meta && !e.Sidechain && !e.Team && causes[e.Order] == BeforeCompaction
		if err := r.entry(b, e, isIncluded); err != nil {
			return err
		}
		if isIncluded {
			causes[e.Order] = ""
			if b.ofProgram {
				causes[e.Order] = ByProgram
			}
		}
	}
	begin := 0 // of the conversation in the path
	for i, n := range path {
		e := t.Entry(n)
		if e.Compaction {
			c.compacted("")
			for _, earlier := range path[begin:i] {
				if o := t.Entry(earlier).Order; !c.whole && causes[o] == "" && isTurn(t.Entry(earlier)) {
					causes[o] = BeforeCompaction
				}
			}
			begin = i
		}
		if !visible[i] && !e.Summary {
			continue
		}
		causes[e.Order] = ""
		if err := r.entry(b, e, true); err != nil {
			return err
		}
		if b.ofProgram {
			causes[e.Order] = ByProgram
		}
	}
	for order, cause := range causes {
		if cause != "" {
			c.omit(cause, r.places[order].line)
		}
	}
	if err := r.unlinked(b); err != nil {
		return err
	}
	c.TurnsLeftOut += leftOut
	if len(path) > 0 {
		if root := t.Entry(path[0]); root.Parent != "" && t.Up(path[0]) < 0 {
			at := r.places[root.Order]
			r.damaged(Damage{at.line, at.offset, "its parent is not in the file: the conversation begins here"})
		}
	}
	return nil
}

// isTurn reports whether an entry is a message of the user or the assistant, or queued input of the user.
func isTurn(e *claudecode.Entry[string]) bool { return e.Speaks() || e.Queued }

// causes returns, for each entry, the cause of its omission from the conversation, "" for an entry that is no
// turn. The caller clears the causes of the turns on path. before and lost are the turns before path, which are collected too.
func (r *claudeReader) causes(t *claudecode.Tree[string], path, before []int, lost [][]int) []Cause {
	causes := make([]Cause, len(r.entries))
	for i := range r.entries {
		if isTurn(&r.entries[i]) {
			causes[i] = Replaced
		}
	}
	on := make([]bool, len(r.entries))
	for _, n := range slices.Concat(path, before) {
		on[n] = true
	}
	for n, begin := range t.Detached(on) {
		e := t.Entry(n)
		switch {
		case !isTurn(e):
		case e.Sidechain, e.Team:
			causes[e.Order] = SubAgent
		case e.Meta:
			causes[e.Order] = ByProgram
		case begin >= 0:
			causes[e.Order] = Unreachable
		default:
			causes[e.Order] = OtherBranch
		}
	}
	set := func(nodes []int, cause Cause) {
		for _, n := range nodes {
			if e := t.Entry(n); isTurn(e) && !e.Sidechain && !e.Team && !e.Meta {
				causes[e.Order] = cause
			}
		}
	}
	set(before, BeforeCompaction)
	for _, cut := range lost {
		set(cut, Unreachable)
	}
	for _, n := range path {
		if e := t.Entry(n); e.Queued && causes[e.Order] == OtherBranch {
			causes[e.Order] = Unsent
		}
	}
	return causes
}

// unlinked collects the messages without a uuid. They are the conversation if no line has one.
func (r *claudeReader) unlinked(b *claudeBlocks) error {
	for _, at := range r.plain {
		if len(r.entries) > 0 {
			b.omit(Unreachable, at.line)
			continue
		}
		root, err := r.src.at(at)
		if err != nil {
			return err
		}
		if b.message(root, root.At("/message/id").Text(), true); b.ofProgram {
			b.omit(ByProgram, at.line)
		}
	}
	return nil
}

// entitle sets the session's title: the user's, else the agent's, else its summary.
func (r *claudeReader) entitle() { r.Title = cmp.Or(r.custom, r.ai, r.summaries) }

// entry reads the line of an entry again and collects its content.
func (r *claudeReader) entry(b *claudeBlocks, e *claudecode.Entry[string], turn bool) error {
	if !turn && (e.Meta || e.Sidechain || e.Team) || !e.Speaks() && !e.Queued {
		return nil
	}
	root, err := r.src.at(r.places[e.Order])
	if err != nil {
		return err
	}
	switch {
	case e.Queued:
		b.begin(root, "", turn)
		b.request(root.At("/attachment/prompt"))
	case e.Summary:
		text := textOf(root.At("/message/content"))
		b.ofProgram, b.Summary = false, strings.TrimPrefix(b.Summary+"\n\n"+text, "\n\n")
	default:
		b.message(root, e.Response, turn)
	}
	return nil
}

// claudeBlocks collects the content of messages.
type claudeBlocks struct {
	*collector
	root           jsonstream.Value
	time, response string
	turn           bool
	ofProgram      bool // the program wrote the text of the line
	created        int  // by TaskCreate
	tasks          []string
}

func (b *claudeBlocks) begin(root jsonstream.Value, response string, turn bool) {
	b.root, b.time, b.turn, b.response, b.ofProgram = root, timeOf(root), turn, response, false
}

// message collects the line of a user or an assistant.
func (b *claudeBlocks) message(root jsonstream.Value, response string, turn bool) {
	b.begin(root, response, turn)
	if content := root.At("/message/content"); root.Get("type").Text() == "user" {
		b.userLine(content)
	} else {
		b.assistantLine(content)
	}
}

// request adds a user's message, unless Claude Code wrote it in the user's name.
func (b *claudeBlocks) request(content jsonstream.Value) {
	text := textOf(content)
	if !isRequest(text) {
		b.ofProgram = strings.TrimSpace(text) != ""
		return
	}
	b.user(text, b.time, b.turn)
}

// ofProgram matches texts that Claude Code writes in the user's name. Users write other elements, too. The names are
// those in @anthropic-ai/claude-agent-sdk 0.3.332, and three of earlier versions.
var ofProgram = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\s*<(?:` + strings.Join([]string{
		"bash-input", "bash-stdout", "bash-stderr", "bash-exit-code", "local-command-stdout", "local-command-stderr", "local-command-caveat",
		"command-name", "command-message", "command-args", "tick", "task-notification", "remote-review", "teammate-message", "channel",
		"cross-session-message", "slack-ping", "slack-tag-message", "agent-message", "fetched-web-content", "untrusted-widget-state",
		"coordinator-relay", "artifact-origin-notes", "artifact-stored-declaration", "system-reminder", "system_reminder", "function_results",
		"tool_use_error", "sandbox_violations", "persisted-output", "total_tokens", "user-prompt-submit-hook",
		"user-memory-input", "ide_opened_file", "ide_selection",
	}, "|") + `)[\s>]|\[Request interrupted by user[^\]]*\]|Caveat: The messages below)`)
})

func isRequest(text string) bool {
	return strings.TrimSpace(text) != "" && !ofProgram().MatchString(text)
}

func (b *claudeBlocks) userLine(content jsonstream.Value) {
	for _, block := range content.Elements() {
		if block.Get("type").Text() == "tool_result" {
			b.result(block.Get("tool_use_id").Text(), textOf(block.Get("content")), b.time, block.Get("is_error").Kind() == jsonstream.True, b.turn)
		}
	}
	b.request(content)
}

func (b *claudeBlocks) assistantLine(content jsonstream.Value) {
	if content.Kind() == jsonstream.String {
		b.said(strings.Clone(content.Text()), b.response, b.time, b.turn)
	}
	for _, block := range content.Elements() {
		switch block.Get("type").Text() {
		case "text", "":
			b.said(strings.Clone(block.Get("text").Text()), b.response, b.time, b.turn)
		case "tool_use":
			b.call(block)
		}
	}
}

func (b *claudeBlocks) call(block jsonstream.Value) {
	input := block.Get("input")
	call := Call{ID: strings.Clone(block.Get("id").Text()), Tool: strings.Clone(block.Get("name").Text()), Input: string(input.Raw()), Time: b.time}
	b.called(call, b.response, b.turn)
	switch call.Tool {
	case "Read", "NotebookRead":
		b.touched(input.Get("file_path").Text(), false, false)
	case "Edit", "MultiEdit", "Write":
		b.touched(input.Get("file_path").Text(), true, false)
	case "NotebookEdit":
		b.touched(input.Get("notebook_path").Text(), true, false)
	case "TodoWrite":
		b.list(input.Get("todos"), "content")
	case "TaskCreate":
		b.created++
		if len(b.Todos) < maxTodos && input.Get("subject").Text() != "" {
			b.Todos = append(b.Todos, Todo{clip(input.Get("subject").Text()), "pending"})
			b.tasks = append(b.tasks, fmt.Sprint(b.created)) // Claude Code counts from 1
		}
	case "TaskUpdate":
		b.update(input)
	case "ExitPlanMode":
		b.asked[call.ID] = ask{"plan", clip(input.Get("plan").Text())}
	case "AskUserQuestion":
		b.asked[call.ID] = ask{kind: "question"}
	}
}

// update changes a to-do entry that TaskCreate made.
func (b *claudeBlocks) update(input jsonstream.Value) {
	i := slices.Index(b.tasks, input.Get("taskId").Text())
	if i < 0 || i >= len(b.Todos) {
		return
	}
	if subject := input.Get("subject").Text(); subject != "" {
		b.Todos[i].Text = clip(subject)
	}
	if status := input.Get("status").Text(); status == "deleted" {
		b.Todos, b.tasks = slices.Delete(b.Todos, i, i+1), slices.Delete(b.tasks, i, i+1)
	} else if status != "" {
		b.Todos[i].Status = strings.Clone(status)
	}
}

// encrypted stands for a text that only its provider can read.
const encrypted = "[encrypted_content]"

// textOf returns a copy of the text of a message's content: a string, or the texts of its blocks. An
// image becomes a note, and reminders from Claude Code to the model are left out.
func textOf(content jsonstream.Value) string {
	if content.Kind() == jsonstream.String {
		return strings.Clone(content.Text())
	}
	var texts []string
	for _, block := range content.Elements() {
		switch kind := block.Get("type").Text(); kind {
		case "text", "input_text", "output_text", "": // "" if it has no type
			if text := block.Get("text").Text(); !strings.HasPrefix(text, "<system-reminder>") {
				texts = append(texts, text)
			}
		case "encrypted_content":
			texts = append(texts, encrypted)
		case "image", "input_image", "document", "input_file":
			texts = append(texts, fmt.Sprintf("[%s of %d bytes]", strings.TrimPrefix(kind, "input_"), len(block.Raw())))
		}
	}
	return strings.Clone(strings.Join(texts, "\n"))
}
