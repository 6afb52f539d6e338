package macp

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// WriteText draws the session.
func (s macpSession) WriteText(w io.Writer, columns int, colors term.Palette) error {
	p := sessionPicture{term.NewPicture(columns, colors), s.all}
	p.draw(s)
	_, err := p.Text.WriteTo(w)
	return err
}

// A sessionPicture builds the text of one session.
type sessionPicture struct {
	term.Picture
	all bool // every handoff and every message
}

// draw draws the facts of a session, its handoffs and its time line.
func (p *sessionPicture) draw(s macpSession) {
	summary := fmt.Sprintf("state %s, phase %s (SDK: %s)", s.State, s.Phase, s.SDKPhase)
	paint := p.Yellow
	if s.State == macp.Resolved {
		paint = p.Green
	}
	p.Heading(s.Source, s.Index, summary, paint)
	p.Line()
	p.Label("session", s.SessionID)
	p.Label("intent", s.Intent)
	p.Label("initiator", s.Initiator)
	p.Label("with", strings.Join(slices.DeleteFunc(slices.Clone(s.Participants), func(p string) bool { return p == s.Initiator }), ", "))
	p.Label("versions", fmt.Sprintf("mode %s, configuration %s, %s", s.ModeVersion, s.ConfigurationVersion, s.PolicyVersion))
	p.Label("time limit", lasting(s.TTLMS))
	p.Label("responsible", s.Responsible)
	if c := s.Commitment; c != nil {
		outcome := "negative"
		if c.OutcomePositive {
			outcome = "positive"
		}
		p.Label("commitment", fmt.Sprintf("%s, %s, by %s", c.Action, outcome, c.Sender))
		p.Label("for", c.AuthorityScope)
		p.Label("because", c.Reason)
	}
	p.handoffs(s)
	p.timeLine(s.TimeLine)
}

// lasting formats milliseconds, which may exceed the range of time.Duration.
func lasting(ms int64) string {
	const hour = int64(time.Hour / time.Millisecond)
	if ms >= 24*hour {
		return fmt.Sprintf("%dd %dh", ms/(24*hour), ms%(24*hour)/hour)
	}
	return term.Elapsed(time.Duration(ms) * time.Millisecond)
}
