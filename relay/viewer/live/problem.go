package live

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// A problem is an error page for people.
type problem struct {
	status int
	Title  string
	Text   string
}

func (p *problem) Error() string { return p.Title }

func missing(text string) *problem {
	return &problem{http.StatusNotFound, "Not found", text}
}

var (
	errBusy = &problem{http.StatusServiceUnavailable, "Too many requests", "Other requests are waiting for the audit log. Try again in a moment."}
	errSlow = &problem{http.StatusServiceUnavailable, "This takes too long", fmt.Sprintf("The search did not finish within %s. Narrow it by time, event or id.", queryTimeout)}
)

// fail responds with an error.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := (*problem)(nil)
	if task := (*trace.UnknownTaskError)(nil); errors.As(err, &task) {
		err = missing("The audit log has no record of this task.")
	}
	if !errors.As(err, &p) {
		h.options.Log(fmt.Sprintf("%s: %v", r.URL.Path, err))
		p = &problem{http.StatusInternalServerError, "The audit log could not be read", err.Error()}
	}
	if p.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "2")
	}
	if p.status == http.StatusUnauthorized || p.status == http.StatusMisdirectedRequest || r.Header.Get("Authorization") != "" {
		h.plain(w, r, p)
		return
	}
	a, err := h.page("problem", frame{Title: p.Title, Content: p})
	if err != nil {
		h.options.Log(err.Error())
		h.plain(w, r, p)
		return
	}
	a.status = p.status
	h.write(w, r, a)
}

// plain responds with plain text, to unauthorized clients and scripts.
func (h *Handler) plain(w http.ResponseWriter, r *http.Request, p *problem) {
	if r.Header.Get("Authorization") == "" && r.URL.Path != "/metrics" {
		if a, err := h.page("refused", frame{Title: p.Title, Content: p}); err == nil {
			a.status = p.status
			h.write(w, r, a)
			return
		}
	}
	h.write(w, r, &answer{status: p.status, kind: "text/plain; charset=utf-8", body: fmt.Appendf(nil, "%s: %s\n", p.Title, p.Text)})
}

func (h *Handler) refuseMethod(w http.ResponseWriter, r *http.Request, allowed string) {
	w.Header().Set("Allow", allowed)
	h.fail(w, r, &problem{http.StatusMethodNotAllowed, "Method not allowed", "This address accepts " + allowed + "."})
}

// write writes an answer.
func (h *Handler) write(w http.ResponseWriter, _ *http.Request, a *answer) {
	header := w.Header()
	if a.to != "" {
		header.Set("Location", a.to)
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	header.Set("Content-Type", a.kind)
	header.Set("Content-Length", strconv.Itoa(len(a.body)))
	if a.policy != "" {
		header.Set("Content-Security-Policy", a.policy+framed)
	}
	if a.refresh > 0 {
		header.Set("Refresh", strconv.Itoa(int(a.refresh/time.Second)))
	}
	w.WriteHeader(max(a.status, http.StatusOK))
	_, _ = w.Write(a.body) // the client may have disconnected
}

const htmlType = "text/html; charset=utf-8"

// page executes the template of a page.
func (h *Handler) page(name string, f frame) (*answer, error) {
	f.Style, f.Version, f.Now = style(), h.options.Version, h.options.Now().UTC()
	var text bytes.Buffer
	if err := pages().ExecuteTemplate(&text, name, f); err != nil {
		return nil, fmt.Errorf("creating the page %s: %w", name, err)
	}
	return &answer{kind: htmlType, body: text.Bytes(), policy: viewer.Policy{Style: string(f.Style), Forms: true}.String()}, nil
}
