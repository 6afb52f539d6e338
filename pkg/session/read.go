package session

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/formats/copilotcli"
	"github.com/eaapl/handoff/pkg/formats/geminicli"
	"github.com/eaapl/handoff/pkg/formats/opencode"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrUnknown reports a file without a line of a supported agent.
var ErrUnknown = errors.New("the file has no line of a session of Claude Code, the Codex CLI, the Gemini CLI, OpenCode or the Copilot CLI")

// ErrBranch reports that a session has no branch with a line.
var ErrBranch = errors.New("the session has no branch with this line")

// A reader reads the lines of one agent: index gets each line in the first pass, and collect makes
// the second pass over the lines that count.
type reader interface {
	index(at place, root jsonstream.Value)
	collect(c *collector) error
}

// Read reads a session of the given size in bytes. The first line that belongs to one agent only
// determines the agent. The error is that of text, or wraps ErrUnknown, possibly in a
// [*formats.StrangerError]; problems of single lines are in [Session].Damage.
func Read(text io.ReaderAt, size int64, o Options) (*Session, error) {
	s := &Session{Bytes: size}
	src := &source{text: text, size: size, limits: o.Limits, agent: func() Agent { return s.Agent }}
	var r reader
	unknown := ErrUnknown
	var early []place          // lines before the one that determines the agent
	var known *format.Elements // of the agent's format
	index := func(at place, root jsonstream.Value) {
		if known == nil {
			known = elementsOf(s.Agent)
		}
		s.span(root.Get("timestamp").Text())
		s.countUnknown(known, at, root)
		r.index(at, root)
	}
	var err, failed error
	s.Lines, err = src.lines(func(at place, root jsonstream.Value) {
		if r == nil {
			if s.Agent = agentOf(root); s.Agent == "" {
				unknown = strangeness(unknown, root)
				early = append(early, at)
				return
			}
			r = newReader(s, src)
			if root, failed = src.replay(early, at, index); failed != nil {
				return
			}
		}
		index(at, root)
	}, s.damaged)
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	if r == nil {
		if r, err = src.whole(s, unknown); err == ErrUnknown {
			return nil, s.noLines()
		} else if err != nil {
			return nil, err
		}
	}
	if o.Branch != "" && s.Agent != ClaudeCode {
		return nil, fmt.Errorf("%w: sessions of %s have no branches", ErrBranch, s.Agent)
	}
	c := newCollector(s, o)
	if err := r.collect(c); err != nil {
		return nil, err
	}
	c.finish()
	return s, nil
}

// replay calls each with the lines at places, and returns the line at now.
func (s *source) replay(places []place, now place, each func(at place, root jsonstream.Value)) (jsonstream.Value, error) {
	for _, at := range places {
		root, err := s.at(at)
		if err != nil {
			return root, err
		}
		each(at, root)
	}
	return s.at(now)
}

// strangeness returns err, the error for a file of no agent, with the name of the format of its first line.
func strangeness(err error, line jsonstream.Value) error {
	if err == ErrUnknown {
		return formats.NoFormat(line, err)
	}
	return err
}

// whole returns the reader of a file that is one document on several lines. If it is no session, the error is
// unknown, possibly with the name of the document's format.
func (s *source) whole(of *Session, unknown error) (reader, error) {
	if unknown != ErrUnknown || s.size > s.maxLine() {
		return nil, unknown
	}
	root, err := s.at(place{1, 0, s.size})
	if err != nil {
		if doc, err := jsonstream.Parse(jsonstream.NewRaw(s.buffer[:s.size]), s.limits); err == nil && agentOf(doc.Root().At("/0")) != "" {
			return nil, fmt.Errorf("%w: it is an array: write each element on a line of its own, for instance with jq -c '.[]'", ErrUnknown)
		}
		return nil, unknown
	}
	if of.Agent = agentOf(root); of.Agent == "" {
		return nil, strangeness(unknown, root)
	}
	of.Damage, of.Damaged = nil, 0 // of.Lines counts its lines
	r := newReader(of, s)
	of.countUnknown(elementsOf(of.Agent), place{1, 0, s.size}, root)
	r.index(place{1, 0, s.size}, root)
	return r, nil
}

func newReader(s *Session, src *source) reader {
	switch s.Agent {
	case Codex:
		return &codexReader{Session: s, src: src}
	case GeminiCLI:
		return newGeminiReader(s, src)
	case OpenCode:
		return &opencodeReader{Session: s, src: src}
	case CopilotCLI:
		return newCopilotReader(s, src)
	default:
		return newClaudeReader(s, src)
	}
}

// noLines returns ErrUnknown, with the first damaged line if there is one, or the fact that the file is empty.
func (s *Session) noLines() error {
	switch {
	case len(s.Damage) > 0:
		return fmt.Errorf("%w: line %d: %s", ErrUnknown, s.Damage[0].Line, s.Damage[0].Problem)
	case s.Lines == 0:
		return fmt.Errorf("%w: it is empty", ErrUnknown)
	default:
		return ErrUnknown
	}
}

func (s *Session) damaged(d Damage) {
	if s.Damaged++; len(s.Damage) < maxDamage {
		s.Damage = append(s.Damage, d)
	}
}

// countUnknown counts a line, or the messages of a session that is one document, if their kind is unknown.
func (s *Session) countUnknown(known *format.Elements, at place, root jsonstream.Value) {
	if s.Agent != OpenCode {
		s.unknown.Add(known, at.line, root)
		return
	}
	for _, m := range known.List(root).Elements() {
		s.unknown.Add(known, m.Position().Line, m)
	}
}

// UnknownRecords returns the types of records that the reader does not know, in the order of their first lines.
func (s *Session) UnknownRecords() (list []UnknownRecord) {
	for _, u := range s.unknown {
		list = append(list, UnknownRecord{u.Kind, u.Count, u.First})
	}
	return list
}

func elementsOf(agent Agent) *format.Elements { return formats.Named(format.Format(agent)).Known }

// span records when a line was written.
func (s *Session) span(text string) {
	at, ok := rfc3339.Parse(text)
	if !ok {
		return
	}
	if s.Began.IsZero() || at.Before(s.Began) {
		s.Began = at
	}
	if at.After(s.Ended) {
		s.Ended = at
	}
}

// agentOf returns the agent that wrote a line, "" if it could be any.
func agentOf(root jsonstream.Value) Agent {
	switch kind := root.Get("type").Text(); {
	case root.Get("payload").Kind() == jsonstream.Object && (kind == "session_meta" || kind == "response_item" || kind == "event_msg" || kind == "turn_context" || kind == "compacted"):
		return Codex
	case copilotcli.IsEvent(root):
		return CopilotCLI
	case opencode.IsSession(root):
		return OpenCode
	case geminicli.IsDescription(root):
		return GeminiCLI
	case kind != "" && (root.Get("uuid").Kind() == jsonstream.String || root.Get("sessionId").Kind() == jsonstream.String || root.Get("leafUuid").Kind() == jsonstream.String):
		return ClaudeCode
	case kind == "" && root.Get("id").Kind() == jsonstream.String && root.Get("timestamp").Kind() == jsonstream.String,
		kind == "message" && root.Get("role").Kind() == jsonstream.String, kind == "function_call" && root.Get("call_id").Exists(),
		root.Get("record_type").Exists():
		return Codex // before lines had payloads
	}
	return ""
}

// set sets text to the string v, unless it is empty.
func set(text *string, v jsonstream.Value) {
	if s := v.Text(); s != "" {
		*text = strings.Clone(s)
	}
}

// timeOf returns the time of a line as written, "" if it has no valid one.
func timeOf(root jsonstream.Value) string {
	if text := root.Get("timestamp").Text(); rfc3339.IsDateTime(text) {
		return strings.Clone(text)
	}
	return ""
}

// When returns the time when the session ended, or otherwise if no line has a time.
func (s *Session) When(otherwise time.Time) time.Time {
	if s.Ended.IsZero() {
		return otherwise
	}
	return s.Ended
}
