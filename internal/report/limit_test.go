package report

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// shownReports returns a summary of the records that a limiter lets through.
func shownReports(limit int, all []Record) (shown []Record, l *Limiter, err error) {
	l = NewLimiter(limit, func(r *Record) error {
		shown = append(shown, *r)
		return nil
	})
	for i := range all {
		if err := l.Report(&all[i]); err != nil {
			return nil, nil, err
		}
	}
	return shown, l, l.Flush()
}

// For any input, every message and every finding is reported or counted, in order, the number
// of reported findings is within the limit, and short documents cannot make the report long.
func TestLimiter(t *testing.T) {
	reasons := []finding.Reason{validate.SchemaInvalid, validate.BudgetExhausted}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		limit := random.IntN(30)
		var all []Record
		findings, index, source := 0, 0, 0
		for range random.IntN(300) {
			if random.IntN(40) == 0 {
				index, source = 0, source+1
			}
			r := Record{Source: fmt.Sprint(source), Index: index, Origin: input.Origin{Source: fmt.Sprint(source), Line: index + 1, Short: true}}
			r.Valid = random.IntN(2) == 0
			if !r.Valid {
				r.Reason = reasons[random.IntN(2)]
				r.Findings = make([]finding.Finding, 1+random.IntN(3))
			}
			findings += len(r.Findings)
			index++
			all = append(all, r)
		}
		invalid, bare := 0, 0
		for _, r := range all {
			if !r.Valid {
				invalid++
			} else {
				bare++
			}
		}
		messages := len(all)
		shown, l, err := shownReports(limit, all)
		if err != nil {
			t.Fatal(err)
		}
		written, omitted, counted, bad := 0, 0, 0, 0
		next := map[string]int{}
		for _, r := range shown {
			if r.Index != next[r.Source] {
				t.Fatalf("seed %d: message %d of %s comes, want %d", seed, r.Index, r.Source, next[r.Source])
			}
			next[r.Source] += max(r.Messages, 1)
			counted += max(r.Messages, 1)
			written += len(r.Findings)
			omitted += r.Omitted
			switch {
			case r.Messages > 0:
				bad += r.Messages - r.Outcomes["valid"]
			case !r.Valid:
				bad++
			}
		}
		if counted != messages || bad != invalid || written+omitted != findings || omitted != l.Omitted {
			t.Fatalf("seed %d: %d of %d messages, %d of %d invalid, %d + %d of %d findings", seed, counted, messages, bad, invalid, written, omitted, findings)
		}
		if limit > 0 && written > limit {
			t.Fatalf("seed %d: %d findings are written, and %d may be", seed, written, limit)
		}
		// Each record has a finding, or is one of a limited number without, or covers all
		// documents up to the next such record or the end of the source.
		if records := 2*(2*limit) + 2*(source+1); limit > 0 && len(shown) > records {
			t.Fatalf("seed %d: %d records, want at most %d", seed, len(shown), records)
		}
		if limit == 0 && len(shown) != messages {
			t.Fatalf("seed %d: %d records of %d messages, though any number is wanted", seed, len(shown), messages)
		}
	}
}

// A message with an ID, a long message and the end of the available input do not wait.
func TestLimiterWrites(t *testing.T) {
	invalid := func(r Record) Record {
		r.Reason, r.Findings = validate.SchemaInvalid, make([]finding.Finding, 2)
		return r
	}
	all := []Record{
		invalid(Record{Index: 0}), invalid(Record{Index: 1}), invalid(Record{Index: 2, ID: "h"}),
		{Index: 3, Result: validate.Result{Valid: true}},
		invalid(Record{Index: 4}), invalid(Record{Index: 5, Origin: input.Origin{Pause: true}}), invalid(Record{Index: 6}),
	}
	shown, l, err := shownReports(1, all)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range shown {
		got = append(got, fmt.Sprint(r.Index, r.Valid, len(r.Findings), r.Omitted, r.Messages))
	}
	want := []string{"0 false 1 1 0", "1 false 0 4 2", "3 true 0 0 0", "4 false 0 4 2", "6 false 0 2 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, want := l.Summary(), "; 11 findings not shown: --max-findings 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The limiter pauses after a document if the next one may not be available yet.
func TestPause(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int64
		in   []string // pieces, in order of arrival
		want string   // p: pause, .: none
	}{
		{"lines", -1, []string{"{}\n{}\n{}\n", "{}\n"}, "..pp"},
		{"one a piece", -1, []string{"{}\n", "{}\n", "{}"}, "ppp"},
		{"pieces end within", -1, []string{"{}\n{}\n{", "}\n{}\n{}\n{", "}"}, ".p..pp"},
		{"no lines", -1, []string{"{}{}{", "}{}"}, ".p.p"},
		{"a file", 100, []string{"{}\n{}\n", "{}\n"}, "..."},
	} {
		var readers []io.Reader
		for _, piece := range tt.in {
			readers = append(readers, strings.NewReader(piece))
		}
		got := ""
		s := input.Source{Size: tt.size, In: io.MultiReader(readers...)}
		s.Documents(jsonstream.Limits{}, func(int) {}, func(d input.Document, _ bool) bool {
			if d.Origin().Pause {
				got += "p"
			} else {
				got += "."
			}
			return true
		})
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
