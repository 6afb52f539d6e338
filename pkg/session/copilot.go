package session

import (
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/copilotcli"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A copilotReader reads a session of the Copilot CLI: see [copilotcli.Log].
type copilotReader struct {
	*Session
	src   *source
	log   *copilotcli.Log
	lines []place
}

func newCopilotReader(s *Session, src *source) *copilotReader {
	r := &copilotReader{Session: s, src: src}
	causes := map[copilotcli.Drop]Cause{copilotcli.RolledBack: RolledBack, copilotcli.Compacted: BeforeCompaction, copilotcli.SubAgent: SubAgent}
	r.log = copilotcli.NewLog(func(e copilotcli.Event, why copilotcli.Drop) { r.omit(causes[why], r.lines[e.Index].line) })
	return r
}

func (r *copilotReader) index(at place, root jsonstream.Value) {
	event, ok := r.log.EventOf(root)
	if !ok {
		if isStrange(root, r.Agent) {
			r.omit(OtherAgent, at.line)
		}
		return
	}
	r.lines = append(r.lines, at)
	r.log.Add(len(r.lines)-1, event)
	r.Compactions = r.log.Compactions()
	data := root.Get("data")
	switch root.Get("type").Text() {
	case "session.start":
		set(&r.ID, data.Get("sessionId"))
		set(&r.Version, data.Get("copilotVersion"))
		set(&r.Model, data.Get("selectedModel"))
		r.site(data.Get("context"))
	case "session.resume":
		set(&r.Model, data.Get("selectedModel"))
		r.site(data.Get("context"))
	case "session.context_changed":
		r.site(data)
	case "session.title_changed":
		set(&r.Title, data.Get("title"))
	case "session.model_change":
		set(&r.Model, data.Get("newModel"))
	case "assistant.message":
		set(&r.Model, data.Get("model"))
	case "session.shutdown":
		r.count(data.Get("modelMetrics"))
	}
}

func (r *copilotReader) site(context jsonstream.Value) {
	set(&r.Folder, context.Get("cwd"))
	set(&r.Branch, context.Get("branch"))
}

// count sets the tokens of all runs so far.
func (r *copilotReader) count(models jsonstream.Value) {
	r.Usage = Usage{}
	for _, of := range models.Members() {
		usage := of.Get("usage")
		cached, written := format.Natural(usage.Get("cacheReadTokens")), format.Natural(usage.Get("cacheWriteTokens"))
		r.Usage.Input += max(format.Natural(usage.Get("inputTokens"))-cached-written, 0)
		r.Usage.CacheRead += cached
		r.Usage.CacheWrite += written
		r.Usage.Output += format.Natural(usage.Get("outputTokens"))
		r.Usage.Reasoning += format.Natural(usage.Get("reasoningTokens"))
	}
}

func (r *copilotReader) collect(c *collector) error {
	events := r.log.Events()
	if c.whole {
		events = r.log.All()
		r.include(BeforeCompaction)
	}
	for _, e := range events {
		if !e.Turn {
			continue
		}
		root, err := r.src.at(r.lines[e.Index])
		if err != nil {
			return err
		}
		c.copilot(root)
	}
	return nil
}

// copilot collects a turn.
func (c *collector) copilot(root jsonstream.Value) {
	at, data := timeOf(root), root.Get("data")
	switch root.Get("type").Text() {
	case "user.message":
		c.user(withFiles(data.Get("content").Text(), data.Get("attachments"), copilotcli.HasFile), at, true)
	case "session.context_cleared":
		c.user(strings.Clone(data.Get("initialMessage").Text()), at, true)
	case "assistant.message":
		response := data.Get("messageId").Text()
		c.said(strings.Clone(data.Get("content").Text()), response, at, true)
		for _, call := range data.Get("toolRequests").Elements() {
			c.copilotCall(call, response, at)
		}
	case "session.compaction_complete":
		c.Summary = strings.Clone(data.Get("summaryContent").Text())
	case "tool.execution_complete":
		text, failed := copilotcli.ResultOf(data)
		c.result(data.Get("toolCallId").Text(), withFiles(text, data.At("/result/binaryResultsForLlm"), copilotcli.HasFile), at, failed, true)
	}
}

func (c *collector) copilotCall(call jsonstream.Value, response, at string) {
	args := call.Get("arguments")
	one := Call{ID: strings.Clone(call.Get("toolCallId").Text()), Tool: strings.Clone(call.Get("name").Text()), Input: string(args.Raw()), Time: at}
	if args.Kind() == jsonstream.String { // of a custom tool
		one.Input = strings.Clone(args.Text())
	}
	c.called(one, response, true)
	switch one.Tool {
	case "view":
		c.touched(args.Get("path").Text(), false, false)
	case "edit", "create", "str_replace_editor", "str_replace", "insert":
		c.touched(args.Get("path").Text(), true, false)
	case "apply_patch":
		c.patched(one.Input)
	case "ask_user":
		c.asked[one.ID] = ask{"question", clip(args.Get("question").Text())}
	}
}
