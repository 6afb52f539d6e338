package session

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/claudecode"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A claudeReader reads a session of Claude Code.
type claudeReader struct {
	*Session
	src     *source
	entries []claudecode.Entry[string]
	places  []place // of the entries, by their order
	plain   []place // of the messages without a uuid
	usage   map[string]responseUsage

	custom, ai, summaries string // titles by source
}

// responseUsage is the usage of one response. Its lines repeat it with growing numbers.
type responseUsage struct {
	Usage
	hasCost bool
	cost    message.Decimal
}

func newClaudeReader(s *Session, src *source) *claudeReader {
	return &claudeReader{Session: s, src: src, usage: map[string]responseUsage{}}
}

func (r *claudeReader) index(at place, root jsonstream.Value) {
	if r.ID == "" {
		set(&r.ID, root.Get("sessionId"))
	}
	switch root.Get("type").Text() {
	case "summary":
		set(&r.summaries, root.Get("summary"))
	case "custom-title":
		set(&r.custom, root.Get("customTitle"))
	case "ai-title":
		set(&r.ai, root.Get("aiTitle"))
	}
	e, ok := claudecode.EntryOf(root)
	if !ok {
		if kind := root.Get("type").Text(); (kind == "user" || kind == "assistant") && root.Get("message").Kind() == jsonstream.Object {
			r.plain = append(r.plain, at)
		} else if isStrange(root, r.Agent) {
			r.omit(OtherAgent, at.line)
		}
		return
	}
	set(&r.Folder, root.Get("cwd"))
	set(&r.Branch, root.Get("gitBranch"))
	set(&r.Version, root.Get("version"))
	if e.Kind == "assistant" {
		if model := root.Get("message").Get("model"); !e.Sidechain && model.Text() != "<synthetic>" {
			set(&r.Model, model)
		}
		r.spend(&e, root)
	}
	e.Order = len(r.entries)
	r.entries, r.places = append(r.entries, e), append(r.places, at)
}

// spend records the usage of a response; its last line wins.
func (r *claudeReader) spend(e *claudecode.Entry[string], root jsonstream.Value) {
	usage := root.At("/message/usage")
	if usage.Kind() != jsonstream.Object {
		return
	}
	id := e.Response
	if id == "" {
		id = "uuid " + e.UUID
	}
	u := responseUsage{Usage: Usage{
		Input: format.Natural(usage.Get("input_tokens")), CacheRead: format.Natural(usage.Get("cache_read_input_tokens")),
		CacheWrite: format.Natural(usage.Get("cache_creation_input_tokens")), Output: format.Natural(usage.Get("output_tokens")),
	}}
	if cost := root.Get("costUSD"); cost.Kind() == jsonstream.Number {
		if d, err := message.Number(cost.Raw()).Decimal(); err == nil && d.Sign() >= 0 {
			u.hasCost, u.cost = true, d
		}
	}
	r.usage[id] = u
}

// total returns the usage of all responses.
func (r *claudeReader) total() Usage {
	var sum Usage
	var cost message.Decimal
	known := len(r.usage) > 0
	for _, u := range r.usage {
		sum.Input += u.Input
		sum.CacheRead += u.CacheRead
		sum.CacheWrite += u.CacheWrite
		sum.Output += u.Output
		cost, known = cost.Add(u.cost), known && u.hasCost
	}
	if known {
		sum.CostUSD = &cost
	}
	return sum
}
