// Package live serves pages about an audit log: its tasks, its dead letters and its metrics.
//
// A [Handler] only reads the log, except for decisions about dead letters, which a person makes with a form.
// All clients need its token: a browser gets a cookie for it, and a script sends it. A page shows a snapshot,
// and its time.
package live

import (
	"context"
	"html/template"
	"net/http"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/stats"
	"github.com/eaapl/handoff/relay/guard"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/viewer/records"
)

// Letters are the dead letters of a log; [receiver.Letters] implements it.
type Letters interface {
	List(ctx context.Context) ([]audit.Stored, error)
	Find(ctx context.Context, name string) (receiver.Letter, error)
	Discard(ctx context.Context, name string, d receiver.Decision) (audit.Stored, error)
}

// Options are the options of a [Handler]. They are required unless documented otherwise.
type Options struct {
	// Store has the log. It is only read.
	Store audit.Store
	// Restored returns a reader that restores the personal data that is stored separately from messages.
	Restored func(context.Context, audit.Reader) audit.Reader
	// Records returns the options for the page of a task.
	Records func(audit.Reader) records.Options
	// Secrets shows credentials in dead letters, instead of asterisks.
	Secrets bool
	// Letters are the dead letters of the log.
	Letters Letters
	// Release accepts a dead letter, to be handed over by another process, and returns the record of its
	// acceptance. If it is nil, all decisions are refused, and pages have no forms for them.
	Release func(ctx context.Context, name string, d receiver.Decision) (audit.Stored, error)
	// HandOver returns a command that hands over released messages.
	HandOver func(accepted audit.Stored) string
	// Stats are the options for metrics, without their times.
	Stats stats.Options

	// Guard authorizes requests.
	Guard *guard.Guard
	// Version is the version of the program.
	Version string
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
	// Log, if set, is called with errors, one line each, from several goroutines. A line may contain control
	// characters.
	Log func(line string)
}

// Limits of requests.
const (
	maxQueries   = 4                // concurrent readers of the log
	queueTimeout = 10 * time.Second // for the other requests
	queryTimeout = 30 * time.Second
	maxForm      = 64 << 10 // bytes
)

// A Handler serves the pages. It is safe for concurrent use.
type Handler struct {
	options Options
	secrets secrets
	mux     *http.ServeMux
	queries chan struct{} // limits concurrent queries
	tasks   taskCache
	figures figures
}

// New returns a handler.
func New(o Options) *Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	h := &Handler{options: o, secrets: newSecrets(o.Guard), mux: http.NewServeMux(), queries: make(chan struct{}, maxQueries)}
	h.read("/{$}", h.searched)
	h.read("/task", h.task)
	h.read("/task/details", h.details)
	h.read("/records/{record}", h.record)
	h.read("/letters", h.letters)
	h.read("/letters/{letter}", h.letter)
	h.read("/stats", h.stats)
	h.read("/metrics", h.metrics)
	h.decide("/letters/{letter}/release", h.release)
	h.decide("/letters/{letter}/discard", h.discard)
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.fail(w, r, missing("This page does not exist.")) })
	return h
}

// An answerer handles a request. Its answer is written after it has returned, so that slow clients do not
// block it.
type answerer func(context.Context, *http.Request) (*answer, error)

// An answer is the response to a request.
type answer struct {
	status  int // 0 for 200
	kind    string
	policy  string // Content-Security-Policy
	body    []byte
	to      string        // Location of a redirect, in place of a body
	refresh time.Duration // interval at which the browser reloads, 0 for never
}

// read registers a page that only reads.
func (h *Handler) read(path string, f answerer) {
	h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			h.refuseMethod(w, r, "GET, HEAD")
			return
		}
		h.run(w, r, r.Context(), f)
	})
}

// decide registers the target of a form. It is completed even if the browser disconnects.
func (h *Handler) decide(path string, f answerer) {
	h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodPost: // a GET of the form's address
			http.Redirect(w, r, letterPath(r.PathValue("letter")), http.StatusSeeOther)
		case h.options.Release == nil:
			h.fail(w, r, &problem{http.StatusForbidden, "This server is read-only", "It was started without decisions about dead letters."})
		default:
			h.run(w, r, context.WithoutCancel(r.Context()), f)
		}
	})
}

// run calls a function that reads the log as soon as maxQueries allows, and writes its answer.
func (h *Handler) run(w http.ResponseWriter, r *http.Request, ctx context.Context, f answerer) {
	queue := time.NewTimer(queueTimeout)
	defer queue.Stop()
	select {
	case h.queries <- struct{}{}:
	case <-r.Context().Done():
		return
	case <-queue.C:
		h.fail(w, r, errBusy)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	a, err := func() (*answer, error) {
		defer func() { <-h.queries }()
		defer cancel()
		a, err := f(ctx, r)
		if err != nil && ctx.Err() == context.DeadlineExceeded {
			err = errSlow
		}
		return a, err
	}()
	switch {
	case r.Context().Err() != nil: // the client has disconnected
	case err != nil:
		h.fail(w, r, err)
	default:
		h.write(w, r, a)
	}
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	switch err := h.admit(w, r); {
	case err == errAnswered:
	case err != nil:
		h.fail(w, r, err)
	default:
		h.mux.ServeHTTP(w, r)
	}
}

// view calls use with a snapshot of the log, and its end.
func (h *Handler) view(ctx context.Context, use func(audit.Reader, moment) error) error {
	return h.options.Store.View(ctx, func(r audit.Reader) error {
		m, err := momentOf(r)
		if err != nil {
			return err
		}
		return use(h.options.Restored(ctx, r), m)
	})
}

// A moment is the state of the log that a page shows.
type moment struct {
	Size int64 // number of records
	Last time.Time
}

func momentOf(r audit.Reader) (m moment, err error) {
	for s, err := range r.Records(audit.Filter{Newest: true, Limit: 1}) {
		if err != nil {
			return m, err
		}
		m = moment{s.Sequence + 1, s.RecordedAt}
	}
	return m, nil
}

// Record returns the number of the last record.
func (m moment) Record() int64 { return m.Size - 1 }

// A frame has the common parts of all pages.
type frame struct {
	Title   string
	Section string // of the navigation: "tasks", "letters" or "stats"
	Of      moment
	Now     time.Time
	Style   template.CSS
	Version string
	Content any
	// Again is the address of the current state of the same page; "" for none.
	Again string
	// Steady is the address of the page without automatic reload, and Fresh its address with automatic
	// reload; "" for the current page.
	Steady, Fresh string
	Failed        bool // a form was refused
}
