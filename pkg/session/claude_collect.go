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
	visible := t.Visible(path, end)
	b := &claudeBlocks{collector: c}
	var lost [][]int // conversations that the agent does not find, the latest first
	for cut := t.Cut(path); len(cut) > 0; cut = t.Cut(cut) {
		lost = append(lost, cut)
	}
	before := t.Before(path)
	leftOut := 0
	for _, cut := range slices.Backward(lost) {
		leftOut += t.Said(cut)
		before = slices.Concat(before, t.Before(cut), cut)
	}
	for _, n := range before {
		if t.Entry(n).Compaction {
			c.compacted("")
		}
		if err := r.entry(b, t.Entry(n), false); err != nil {
			return err
		}
	}
	for i, n := range path {
		e := t.Entry(n)
		if e.Compaction {
			c.compacted("")
		}
		if !visible[i] && !e.Summary {
			continue
		}
		if err := r.entry(b, e, true); err != nil {
			return err
		}
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
	b.root, b.time, b.turn, b.response = root, timeOf(root), turn, e.Response
	switch {
	case e.Queued:
		b.request(root.At("/attachment/prompt"))
	case e.Summary:
		b.Summary = textOf(root.At("/message/content"))
	case e.Kind == "user":
		b.userLine(root.At("/message/content"))
	default:
		b.assistantLine(root.At("/message/content"))
	}
	return nil
}

// claudeBlocks collects the content of messages.
type claudeBlocks struct {
	*collector
	root           jsonstream.Value
	time, response string
	turn           bool
	created        int // by TaskCreate
	tasks          []string
}

// request adds a user's message, unless Claude Code wrote it in the user's name.
func (b *claudeBlocks) request(content jsonstream.Value) {
	text := textOf(content)
	if !isRequest(text) {
		return
	}
	b.user(text, b.time, b.turn)
}

// ofProgram matches texts that Claude Code writes in the user's name.
var ofProgram = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\s*<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\]|Caveat: The messages below)`)
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
		case "text":
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

// textOf returns a copy of the text of a message's content: a string, or the texts of its blocks. An
// image becomes a note, and reminders from Claude Code to the model are left out.
func textOf(content jsonstream.Value) string {
	if content.Kind() == jsonstream.String {
		return strings.Clone(content.Text())
	}
	var texts []string
	for _, block := range content.Elements() {
		switch kind := block.Get("type").Text(); kind {
		case "text", "input_text", "output_text":
			if text := block.Get("text").Text(); !strings.HasPrefix(text, "<system-reminder>") {
				texts = append(texts, text)
			}
		case "image", "input_image", "document", "input_file":
			texts = append(texts, fmt.Sprintf("[%s of %d bytes]", strings.TrimPrefix(kind, "input_"), len(block.Raw())))
		}
	}
	return strings.Clone(strings.Join(texts, "\n"))
}
