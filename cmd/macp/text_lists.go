package macp

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// Widths of the columns of a session's lists.
const (
	maxIDColumns     = 20
	maxSenderColumns = 30
	statusColumns    = len(macp.ContextSent)
	// maxShown is the maximum number of listed handoffs and messages, the latest ones.
	maxShown = 50
)

// latest returns the elements of a list to show, the last ones, and prints the number of those before them.
func latest[T any](p *sessionPicture, list []T) []T {
	if p.all || len(list) <= maxShown {
		return list
	}
	p.Line("  ", p.Dim("… "+term.Grouped(int64(len(list)-maxShown))+" before these: --all shows them"))
	return list[len(list)-maxShown:]
}

// columnsOf returns the width of the longest text of a list, at most maxWidth.
func columnsOf[T any](list []T, text func(T) string, maxWidth int) int {
	n := 0
	for _, e := range list {
		n = max(n, term.Width(term.Clip(text(e), maxWidth)))
	}
	return n
}

// statusColor returns the colour of a handoff's status.
func statusColor(colors term.Palette, status macp.Status) func(...any) string {
	return term.ToneColor(colors, status.Tone())
}

func (p *sessionPicture) handoffs(s macpSession) {
	p.Section("Handoffs", fmt.Sprintf("%d, %d pending", len(s.Handoffs), len(s.Pending)))
	list := latest(p, s.Handoffs)
	ids := columnsOf(list, func(h macp.Handoff) string { return h.ID }, maxIDColumns)
	targets := columnsOf(list, func(h macp.Handoff) string { return h.Target }, maxSenderColumns)
	for _, h := range list {
		facts := []string{}
		if h.Scope != "" {
			facts = append(facts, h.Scope)
		}
		if h.Contexts > 0 {
			text := term.Plural(h.Contexts, "context")
			if h.LateContexts > 0 {
				text += fmt.Sprintf(", %d late", h.LateContexts)
			}
			facts = append(facts, text)
		}
		if h.Implicit {
			facts = append(facts, "accepted by timeout")
		}
		if reason := h.AnswerReason; reason != "" {
			facts = append(facts, reason)
		}
		used := 2 + ids + 2 + statusColumns + 4 + targets + 2
		p.Line("  ", p.Cyan(term.Left(h.ID, ids)), "  ", statusColor(p.Palette, h.Status)(term.Left(string(h.Status), statusColumns)), "  → ", term.Left(h.Target, targets), "  ",
			p.Dim(term.Clip(strings.Join(facts, "; "), max(p.Width-used, 1))))
	}
}

func (p *sessionPicture) timeLine(list []macp.Entry) {
	rejected := 0
	for _, e := range list {
		if e.Violation != nil {
			rejected++
		}
	}
	p.Section("Time line", fmt.Sprintf("%s, %d rejected", term.Plural(len(list), "message"), rejected))
	list = latest(p, list)
	numbers := columnsOf(list, number, maxIDColumns)
	times := columnsOf(list, clock, maxSenderColumns)
	senders := columnsOf(list, func(e macp.Entry) string { return e.Sender }, maxSenderColumns)
	for _, e := range list {
		start := "  " + p.Dim(term.Right(number(e), numbers)) + "  "
		if v := e.Violation; v != nil {
			text := fmt.Sprintf("rejected by %s, %s: %s", v.Rule, v.Reason, v.Message)
			p.Line(start, p.Dim(term.Left(clock(e), times)), "  ", term.Left(e.Sender, senders), "  ", p.Red(term.Clip(e.MessageType, maxIDColumns)))
			for _, line := range term.Wrap(text, p.Width-numbers-4, term.MaxFindingLines) {
				p.Line(term.Spaces(numbers+4), p.Red(line))
			}
			continue
		}
		used := 2 + numbers + 2 + times + 2 + senders + 2
		p.Line(start, p.Dim(term.Left(clock(e), times)), "  ", term.Left(e.Sender, senders), "  ", term.Clip(e.What, max(p.Width-used, 1)))
	}
}

// number formats the index of a message, "" if a fixture only implies the message.
func number(e macp.Entry) string {
	if e.Index < 0 {
		return ""
	}
	return strconv.Itoa(e.Index)
}

// clock formats the time of a message as in RFC 3339.
func clock(e macp.Entry) string {
	if ms, err := strconv.ParseInt(e.Time, 10, 64); err == nil {
		return time.UnixMilli(ms).UTC().Format(time.RFC3339Nano)
	}
	return e.Time
}
