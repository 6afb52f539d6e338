package live

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/viewer/records"
)

// lettersShown are the dead letters of a page.
type lettersShown struct {
	Waiting int
	Shown   []audit.Stored // newest first
	Next    string
}

// letters lists the dead letters.
func (h *Handler) letters(ctx context.Context, r *http.Request) (*answer, error) {
	before, _ := strconv.ParseInt(r.URL.Query().Get("before"), 10, 64)
	f := frame{Title: "Dead letters", Section: "letters", Again: "/letters"}
	if err := h.view(ctx, func(_ audit.Reader, m moment) error { f.Of = m; return nil }); err != nil {
		return nil, err
	}
	waiting, err := h.options.Letters.List(ctx)
	if err != nil {
		return nil, err
	}
	l := lettersShown{Waiting: len(waiting)}
	slices.Reverse(waiting)
	for _, s := range waiting {
		switch {
		case before > 0 && s.Sequence >= before:
		case len(l.Shown) == pageSize:
			l.Next = "/letters?before=" + strconv.FormatInt(l.Shown[pageSize-1].Sequence, 10)
		default:
			l.Shown = append(l.Shown, s)
		}
	}
	fresh := r.URL.Query().Get("fresh") != ""
	if fresh {
		f.Steady = "/letters"
	} else if before == 0 {
		f.Fresh = "/letters?fresh=1"
	}
	f.Content = l
	a, err := h.page("letters", f)
	if err == nil && fresh {
		a.refresh = freshness
	}
	return a, err
}

// A letterPage is a dead letter with a person's pending or past decision.
type letterPage struct {
	audit.Stored // record of the dead letter
	Rejected     audit.Stored
	Findings     []placedFinding
	More         int    // number of findings left out
	Message      string // as displayed, "" if not available
	Cut          bool   // Message was truncated
	Masked       bool   // credentials in it are replaced by asterisks
	Missing      string // why it is not available
	Task         string // address of its handoff in the report of its task, "" without a task

	Decides bool // with forms
	Form    form
	Rules   []string // rules that may be allowed

	Decided  *audit.Stored // record of the decision, nil if pending
	Accepted int64         // record number of its acceptance, -1 for none
	Pending  bool          // not handed over yet
	HandOver string        // command that hands it over
}

// A form is a person's input.
type form struct {
	Secret        string
	By, Reason    string
	Discards      bool
	Some          bool // only the ticked rules are allowed
	Allow         map[string]bool
	Wrong         map[string]string // errors by field
	Refused       string            // why the decision was refused
	StillFindings []receiverFinding
}

// A receiverFinding is a finding for which a message would still be rejected.
type receiverFinding struct{ Rule, Pointer, Message string }

// letter shows a dead letter.
func (h *Handler) letter(ctx context.Context, r *http.Request) (*answer, error) {
	return h.letterWith(ctx, r.PathValue("letter"), form{})
}

// letterWith shows a dead letter with the input of a form.
func (h *Handler) letterWith(ctx context.Context, name string, typed form) (*answer, error) {
	n, err := strconv.ParseInt(name, 10, 64)
	if err != nil || n < 0 {
		return nil, missing("A dead letter is identified by the number of its record.")
	}
	p := letterPage{Accepted: -1, Form: typed}
	f := frame{Title: "Dead letter " + grouped(n), Section: "letters", Again: letterPath(name), Failed: typed.Refused != "" || len(typed.Wrong) > 0}
	err = h.view(ctx, func(r audit.Reader, m moment) (err error) {
		f.Of = m
		var found bool
		if p.Stored, found, err = recordAt(r, n); err != nil || !found || p.Event != audit.DeadLettered {
			if err == nil {
				err = missing("This record is not the record of a dead letter.")
			}
			return err
		}
		return h.decisionOn(r, &p)
	})
	if err != nil {
		return nil, err
	}
	if p.Decided == nil {
		if err := h.waiting(ctx, name, &p); err != nil {
			return nil, err
		}
	}
	if p.TaskID != "" {
		p.Task = taskURL(p.TaskID, p.HandoffID)
	}
	f.Content = &p
	a, err := h.page("letter", f)
	if err == nil && f.Failed {
		a.status = http.StatusUnprocessableEntity
	}
	return a, err
}

// decisionOn reads the decision about a letter, if there is one.
func (h *Handler) decisionOn(r audit.Reader, p *letterPage) error {
	for s, err := range r.Records(audit.Filter{Events: []audit.Event{audit.Released, audit.Discarded}, From: p.Sequence}) {
		if err != nil {
			return err
		}
		if s.Details.Concerns != nil && *s.Details.Concerns == p.Sequence {
			p.Decided = &s
			break
		}
	}
	if p.Decided == nil || p.Decided.Event != audit.Released {
		return nil
	}
	accepted, found, err := recordAt(r, p.Decided.Sequence+1) // it was added with the decision
	if err != nil || !found || accepted.Event != audit.Accepted || accepted.HandoffID != p.HandoffID {
		return err
	}
	p.Accepted = accepted.Sequence
	pending, err := r.Pending(p.HandoffID)
	if err != nil {
		return err
	}
	p.Pending = slices.ContainsFunc(pending, func(o audit.Pending) bool { return o.Sequence == accepted.Sequence && !o.Running })
	if p.Pending {
		p.HandOver = h.options.HandOver(accepted)
	}
	return nil
}

// waiting reads a pending letter.
func (h *Handler) waiting(ctx context.Context, name string, p *letterPage) error {
	letter, err := h.options.Letters.Find(ctx, name)
	if err != nil {
		return err
	}
	p.Rejected = letter.Rejected
	p.More = letter.Rejected.Details.MoreFindings
	p.Decides = h.options.Release != nil
	p.Form.Secret = h.secrets.form
	p.Missing = records.Missing(letter.Missing)
	showMessage(p, letter, h.options.Secrets)
	for _, s := range p.Form.StillFindings {
		p.Rules = append(p.Rules, s.Rule)
	}
	for rule := range p.Form.Allow {
		p.Rules = append(p.Rules, rule)
	}
	slices.Sort(p.Rules)
	p.Rules = slices.Compact(p.Rules)
	return nil
}

// decision returns the decision in a form, and sets the form's errors.
func (f *form) decision() receiver.Decision {
	d := receiver.Decision{By: f.By, Explanation: f.Reason}
	if f.Some && !f.Discards {
		for rule, allowed := range f.Allow {
			if allowed {
				d.Allow = append(d.Allow, rule)
			}
		}
		slices.Sort(d.Allow)
		if len(d.Allow) == 0 {
			f.Wrong["allow"] = "Select the rules to allow, or allow all findings of the rejection."
		}
	}
	return d
}
