package metrics

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"

	"github.com/eaapl/handoff/relay/audit/stats"
)

// ServeHTTP responds to GET and HEAD with the metrics.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "use GET", http.StatusMethodNotAllowed)
		return
	}
	var text bytes.Buffer // a response is complete or an error
	if err := r.Write(request.Context(), &text); err != nil {
		http.Error(w, "the metrics could not be read", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(text.Bytes()) // a client that has gone needs no response
}

// Write writes the metrics, with families and labels always in the same order.
func (r *Receiver) Write(ctx context.Context, out io.Writer) error {
	letters, lettersErr := 0, error(nil)
	if r.options.DeadLetters != nil {
		letters, lettersErr = r.letters.ask(ctx, r.options.DeadLetters)
	}
	inFlight := 0
	if r.options.InFlight != nil {
		inFlight = r.options.InFlight()
	}
	w := NewWriter(out, "handoff_")
	via := []string{"transport", r.options.Transport}
	labels := func(more ...string) []string { return append(slices.Clip(via), more...) }

	w.Family("build_info", Gauge, "The version of the program; the value is always 1.")
	w.Sample("", 1, "version", r.options.Version, "goversion", runtime.Version())
	w.Family("receiver_start_time_seconds", Gauge, "Start time of the receiver, in seconds since 1970.")
	w.Sample("", float64(r.started.UnixMilli())/1000)

	r.mu.Lock()
	defer r.mu.Unlock()
	w.Family("messages_received_total", Counter, "Messages received, by kind.")
	for _, kind := range slices.Sorted(maps.Keys(r.received)) {
		w.Sample("", float64(r.received[kind]), labels("kind", kind)...)
	}
	r.decisions(w, labels)
	limits := stats.LimitsOf(r.options.Transport)
	w.Family("handover_latency_target_seconds", Gauge, "Target for the p99 of the latency (EAAPL-MAG006, section 6.5).")
	w.Sample("", limits.P99.Seconds(), via...)
	w.Family("handover_latency_maximum_seconds", Gauge, "Maximum latency (section 6.5).")
	w.Sample("", limits.Maximum.Seconds(), via...)
	w.Family("handoffs_resumed_total", Counter, "Handoffs that a dead receiver had accepted, and that were then handed over.")
	w.Sample("", float64(r.resumed), via...)

	w.Family("agent_runs_total", Counter, "Agents that have ended, by outcome.")
	for _, outcome := range slices.Sorted(maps.Keys(r.runs)) {
		w.Sample("", float64(r.runs[outcome]), "outcome", outcome)
	}
	w.Family("agent_run_duration_seconds", Histogram, "Running time of agents.")
	r.durations.write(w)
	w.Family("audit_commit_duration_seconds", Histogram, "Time until records were durable.")
	r.commits.write(w)
	w.Family("audit_commit_failures_total", Counter, "Failed attempts to add records.")
	w.Sample("", float64(r.failed))

	w.Family("transport_up", Gauge, "1 if the transport works, 0 if it does not.")
	up := 0.0
	if r.up {
		up = 1
	}
	w.Sample("", up, via...)
	w.Family("transport_troubles_total", Counter, "Failures of the transport, or of the processing of a message.")
	w.Sample("", float64(r.troubles), via...)
	w.Family("transport_reconnects_total", Counter, "Recoveries of the transport.")
	w.Sample("", float64(r.recoveries), via...)

	if r.options.InFlight != nil {
		w.Family("messages_in_flight", Gauge, "Messages taken but not acknowledged, or with a running agent.")
		w.Sample("", float64(inFlight), via...)
	}
	if r.options.DeadLetters != nil && lettersErr == nil {
		w.Family("dead_letters", Gauge, "Messages that wait for a person, in the whole audit log.")
		w.Sample("", float64(letters))
	}
	return w.Flush()
}

// decisions writes the numbers of decisions, by pairs of agents.
func (r *Receiver) decisions(w *Writer, labels func(...string) []string) {
	pairs := slices.SortedFunc(maps.Keys(r.pairs), func(a, b pair) int {
		if c := strings.Compare(a.sender, b.sender); c != 0 {
			return c
		}
		return strings.Compare(a.receiver, b.receiver)
	})
	each := func(write func(h *handoffs, labels []string)) {
		for _, p := range pairs {
			write(r.pairs[p], labels("sender", p.sender, "receiver", p.receiver))
		}
	}
	w.Family("handoffs_accepted_total", Counter, "Handoffs accepted.")
	each(func(h *handoffs, labels []string) { w.Sample("", float64(h.accepted), labels...) })
	w.Family("handoffs_duplicate_total", Counter, "Handoffs received again after they were accepted.")
	each(func(h *handoffs, labels []string) { w.Sample("", float64(h.duplicate), labels...) })
	w.Family("handoffs_rejected_total", Counter, "Handoffs rejected, by reason.")
	each(func(h *handoffs, labels []string) {
		for _, reason := range slices.Sorted(maps.Keys(h.rejected)) {
			w.Sample("", float64(h.rejected[reason]), append(slices.Clip(labels), "reason", reason)...)
		}
	})
	w.Family("handover_latency_seconds", Histogram, "Latency from dispatch to acceptance, of accepted handoffs with a known dispatch.")
	each(func(h *handoffs, labels []string) { h.latency.write(w, labels...) })
}
