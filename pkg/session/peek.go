package session

import (
	"bytes"
	"io"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/formats/claudecode"
	"github.com/eaapl/handoff/pkg/formats/geminicli"
	"github.com/eaapl/handoff/pkg/formats/opencode"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// peekBytes is the number of bytes that [Peek] reads at each end of a file.
const peekBytes = 128 << 10

// Peek describes a session by the beginning and the end of its file. It sets Agent, ID, Title,
// Folder, Branch, Version, Model, Began, Ended, Bytes, the first request and the damage, as far as
// these parts hold them. The error is that of [Read].
func Peek(text io.ReaderAt, size int64, o Options) (*Session, error) {
	head, err := section(text, 0, min(size, peekBytes))
	if err != nil {
		return nil, err
	}
	if n := bytes.LastIndexByte(head, '\n'); size > peekBytes && n >= 0 {
		head = head[:n+1]
	}
	tail, err := section(text, max(int64(len(head)), size-peekBytes), size)
	if err != nil {
		return nil, err
	}
	if n := bytes.IndexByte(tail, '\n'); int64(len(head)+len(tail)) < size {
		tail = tail[n+1:]
	}
	s := &Session{Bytes: size}
	p := peeker{Session: s}
	for _, part := range [][]byte{head, tail} {
		src := &source{text: bytes.NewReader(part), size: int64(len(part)), limits: o.Limits, agent: func() Agent { return s.Agent }}
		p.src = src
		if _, err := src.lines(p.line, s.damaged); err != nil {
			return nil, err
		}
	}
	switch r := p.reader.(type) {
	case nil:
		if s.Damaged > 0 { // one document on several lines
			return Read(text, size, o)
		}
		return nil, ErrUnknown
	case *claudeReader:
		r.entitle()
	}
	s.Usage = Usage{} // incomplete
	return s, nil
}

func section(text io.ReaderAt, from, to int64) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(text, from, to-from))
}

// A peeker reads the description of a session from its lines.
type peeker struct {
	*Session
	src    *source
	reader reader
}

func (p *peeker) line(at place, root jsonstream.Value) {
	if p.reader == nil {
		if p.Agent = agentOf(root); p.Agent == "" {
			return
		}
		p.reader = newReader(p.Session, p.src)
	}
	p.span(root.Get("timestamp").Text())
	p.reader.index(at, root)
	if len(p.Requests) > 0 {
		return
	}
	var text string
	switch p.Agent {
	case CopilotCLI:
		if root.Get("type").Text() == "user.message" {
			text = strings.Clone(root.At("/data/content").Text())
		}
	case OpenCode:
		for _, m := range root.Get("messages").Elements() {
			if m.At("/info/role").Text() == "user" && text == "" {
				_, text = opencode.Text(m)
			}
		}
	case GeminiCLI:
		if text = geminicli.Text(root.Get("content")); root.Get("type").Text() != "user" || geminicli.IsCommand(text) {
			text = ""
		}
	case Codex:
		switch kind, payload := payloadOf(root); {
		case isCodexRequest(payload):
			text = textOf(payload.Get("content"))
		case kind == conversation.AgentCommunication, payload.Get("type").Text() == conversation.AgentMessage && kind == "response_item":
			text = textFromAgent(payload)
		}
	default:
		if e, _ := claudecode.EntryOf(root); e.Kind == "user" && !e.Meta && !e.Sidechain && !e.Summary {
			if text = textOf(root.At("/message/content")); !isRequest(text) {
				text = ""
			}
		}
	}
	if text != "" {
		p.Requests = []Request{{Text: clip(text), Time: timeOf(root)}}
	}
}
