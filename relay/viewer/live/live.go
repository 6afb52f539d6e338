// Package live serves pages about an audit log: its tasks, its dead letters and its metrics.
//
// A [Handler] only reads the log, but for decisions about dead letters, which a person makes with a
// form. Whoever asks needs its token: a browser gets a cookie for it, and a script sends it. What a
// page shows is of one moment, and says of which.
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

// Letters are the dead letters of a log: [receiver.Letters] are.
type Letters interface {
	List(ctx context.Context) ([]audit.Stored, error)
	Find(ctx context.Context, name string) (receiver.Letter, error)
	Discard(ctx context.Context, name string, d receiver.Decision) (audit.Stored, error)
}

// Options are what a handler needs. All but those that say otherwise are needed.
type Options struct {
	// Store has the log. It is only read.
	Store audit.Store
	// Restored returns a reader that puts back the personal data that is stored apart from messages.
	Restored func(context.Context, audit.Reader) audit.Reader
	// Records says how the page of a task is made of what a reader reads.
	Records func(audit.Reader) records.Options
	// Secrets shows credentials in dead letters as they are, and not as asterisks.
	Secrets bool
	// Letters are those of the log.
	Letters Letters
	// Release accepts a dead letter, which waits then for somebody who hands it over, and returns the
	// record of that. Nil refuses all decisions, and pages have no forms for them.
	Release func(ctx context.Context, name string, d receiver.Decision) (audit.Stored, error)
	// HandOver returns a command that hands over what waits.
	HandOver func(accepted audit.Stored) string
	// Stats say how metrics are judged; their times are not used.
	Stats stats.Options

	// Guard says who may ask.
	Guard *guard.Guard
	// Version is that of the program.
	Version string
	// Now returns the time; nil is time.Now.
	Now func() time.Time
	// Log, if set, is called with what went wrong, a line each; from several goroutines. A line may
	// hold control characters.
	Log func(line string)
}

// Bounds of what requests cost.
const (
	maxQueries   = 4                // that read the log at once
	queueTimeout = 10 * time.Second // for the others
	queryTimeout = 30 * time.Second
	maxForm      = 64 << 10 // bytes
)

// A Handler serves the pages. It is safe for concurrent use.
type Handler struct {
	options Options
	secrets secrets
	mux     *http.ServeMux
	queries chan struct{} // a place for each query
	tasks   opened
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
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.fail(w, r, missing("There is no such page.")) })
	return h
}

// An answerer answers a request. What it returns is written after it has returned, so that nobody
// who reads slowly keeps it waiting.
type answerer func(context.Context, *http.Request) (*answer, error)

// An answer is what a request is answered with.
type answer struct {
	status  int // 0 for 200
	kind    string
	policy  string // Content-Security-Policy
	body    []byte
	to      string        // where the browser is sent, in place of a body
	refresh time.Duration // after which the browser asks again, 0 for never
}

// read serves a page that only reads.
func (h *Handler) read(path string, f answerer) {
	h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			h.refuseMethod(w, r, "GET, HEAD")
			return
		}
		h.run(w, r, r.Context(), f)
	})
}

// decide serves a form that somebody sends. What has begun is not broken off if the browser leaves.
func (h *Handler) decide(path string, f answerer) {
	h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodPost: // the address of a form, asked for again
			http.Redirect(w, r, letterPath(r.PathValue("letter")), http.StatusSeeOther)
		case h.options.Release == nil:
			h.fail(w, r, &problem{http.StatusForbidden, "This server only shows", "Decisions about dead letters are not made here: the program was started so that it only reads."})
		default:
			h.run(w, r, context.WithoutCancel(r.Context()), f)
		}
	})
}

// run calls a function that reads the log as soon as there is a place for it, and writes its answer.
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
	case r.Context().Err() != nil: // nobody is there any more
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

// view calls use with the log as it is at one moment, and its end.
func (h *Handler) view(ctx context.Context, use func(audit.Reader, moment) error) error {
	return h.options.Store.View(ctx, func(r audit.Reader) error {
		m, err := momentOf(r)
		if err != nil {
			return err
		}
		return use(h.options.Restored(ctx, r), m)
	})
}

// A moment is what a page is of.
type moment struct {
	Size int64 // records of the log
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

// A frame is what all pages show around what they are about.
type frame struct {
	Title   string
	Section string // of the navigation: "tasks", "letters" or "stats"
	Of      moment
	Now     time.Time
	Style   template.CSS
	Version string
	Content any
	// Again is the address of the same page as it is now; "" for none.
	Again string
	// Steady is that of the page that stays as it is, and Fresh that of the one that the browser asks for
	// again by itself; "" for the one that this is.
	Steady, Fresh string
	Failed        bool // a form has not been taken
}
