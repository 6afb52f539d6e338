package live

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/viewer/records"
)

// Maximum lengths of a person's input about a decision, in characters.
const (
	maxBy     = 200
	maxReason = 4000
	maxAllow  = 200 // rules
)

// release accepts a dead letter.
func (h *Handler) release(ctx context.Context, r *http.Request) (*answer, error) {
	return h.decided(ctx, r, formOf(r, false), h.options.Release)
}

// discard discards a dead letter.
func (h *Handler) discard(ctx context.Context, r *http.Request) (*answer, error) {
	return h.decided(ctx, r, formOf(r, true), h.options.Letters.Discard)
}

// formOf parses a form about a letter.
func formOf(r *http.Request, discards bool) form {
	f := form{
		By: strings.TrimSpace(r.PostForm.Get("by")), Reason: strings.TrimSpace(strings.ReplaceAll(r.PostForm.Get("reason"), "\r\n", "\n")),
		Discards: discards, Some: r.PostForm.Get("allowed") == "some", Allow: map[string]bool{}, Wrong: map[string]string{},
	}
	for i, rule := range r.PostForm["rule"] {
		if rule = strings.TrimSpace(rule); i < maxAllow && rule != "" && len(rule) <= maxField && utf8.ValidString(rule) {
			f.Allow[rule] = true
		}
	}
	for _, field := range []struct {
		name, text, empty string
		most              int
		lines             bool
	}{
		{"by", f.By, "Enter the name of the person who decides.", maxBy, false},
		{"reason", f.Reason, "Enter the reason: it stays in the audit log with the decision.", maxReason, true},
	} {
		switch {
		case field.text == "":
			f.Wrong[field.name] = field.empty
		case utf8.RuneCountInString(field.text) > field.most:
			f.Wrong[field.name] = "This is too long: the limit is " + grouped(field.most) + " characters."
		case !utf8.ValidString(field.text) || strings.ContainsFunc(field.text, func(c rune) bool { return unicode.IsControl(c) && !(field.lines && (c == '\n' || c == '\t')) }):
			f.Wrong[field.name] = "This contains characters that cannot be displayed."
		}
	}
	return f
}

// decided makes a decision, and responds with the letter and the decision, or the obstacles to it.
func (h *Handler) decided(ctx context.Context, r *http.Request, f form, decide func(context.Context, string, receiver.Decision) (audit.Stored, error)) (*answer, error) {
	name := r.PathValue("letter")
	d := f.decision()
	if len(f.Wrong) > 0 {
		return h.letterWith(ctx, name, f)
	}
	_, err := decide(ctx, name, d)
	var (
		none    *receiver.LetterError
		invalid *receiver.StillInvalidError
		pending *receiver.PendingError
		revoked *receiver.RevokedError
	)
	switch {
	case err == nil, errors.As(err, &none): // its page shows the decision, made now or before
		return &answer{to: letterPath(name)}, nil
	case errors.As(err, &invalid):
		f.Refused = "It would still be rejected. The other findings are below: allow them too, or discard it."
		f.Some = true
		for _, problem := range invalid.Findings {
			for _, rule := range problem.Rules() {
				f.StillFindings = append(f.StillFindings, receiverFinding{rule, problem.Pointer, problem.Message})
			}
		}
	case errors.As(err, &pending), errors.As(err, &revoked):
		f.Refused = sentence(err.Error())
	case records.Missing(err) != "":
		f.Refused = sentence(records.Missing(err))
	case errors.As(err, new(*receiver.SealedError)), errors.As(err, new(*receiver.UnsealedError)):
		f.Refused = sentence(err.Error() + ": this server was started without it")
	default:
		return nil, err
	}
	return h.letterWith(ctx, name, f)
}

// sentence formats an error as a sentence.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
