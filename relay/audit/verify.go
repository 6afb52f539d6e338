package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/eaapl/handoff/pkg/merkle"
)

// VerifyOptions are the options of [Verify].
type VerifyOptions struct {
	// Checkpoints must match the log. Without one, it is not detected if the last records were cut off, or
	// all records from one on were rewritten.
	Checkpoints []merkle.Checkpoint
	// Found is called with each problem; problems of records come in order. An error ends the run.
	Found func(Problem) error
	// Reached, if not nil, is called repeatedly with the number of records verified so far.
	Reached func(records int64)
}

// A Verified is the result of verifying a log.
type Verified struct {
	Size       int64 // number of records
	Messages   int64 // number of messages
	Tombstones int64 // number of records removed after their retention period
	Problems   int64
	Root       Hash // of the tree; zero if records are missing
	Last       Hash // hash of the last record
	// Unchecked is the reason why the indexes of the database were not checked, "" if they were.
	Unchecked string
}

// Verify reads the whole log, on all cores and in constant memory, and trusts nothing: it recomputes the hash
// of every record from its columns and the previous hash, compares every message with its record, and
// rebuilds the tree to compare it with the stored nodes and the checkpoints; the database compares its
// indexes with its tables. Records added during the call may be skipped. It returns an error if the log could
// not be read completely; then there is no result.
func Verify(ctx context.Context, s Store, o VerifyOptions) (Verified, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := &verification{VerifyOptions: o, store: s, way: newWays(maphash.MakeSeed()), again: map[uint64]bool{}}
	sizes := make([]int64, len(o.Checkpoints))
	for i, c := range o.Checkpoints {
		sizes[i] = c.Size
	}
	v.builder = merkle.NewBuilder(sizes...)

	workers := min(runtime.GOMAXPROCS(0), maxWorkers)
	jobs, order := make(chan *stretch), make(chan *stretch, workers)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for job := range jobs {
				job.done <- s.Inspect(ctx, job.check)
			}
		})
	}
	var planned error
	running.Go(func() {
		defer close(order)
		defer close(jobs)
		planned = v.plan(ctx, jobs, order)
	})
	var damage []string // problems of indexes
	var looked error
	running.Go(func() {
		v.Unchecked, looked = s.CheckIndexes(ctx, func(problem string) error {
			damage = append(damage, problem)
			return nil
		})
	})
	var failed error
	for job := range order {
		err := <-job.done
		if failed == nil {
			if err == nil {
				err = v.join(job)
			}
			if failed = err; err != nil {
				cancel()
			}
		}
	}
	running.Wait()
	if failed == nil {
		failed = planned
	}
	if failed == nil {
		failed = v.finish(ctx)
	}
	// Even if rows could not be read: damaged indexes may be the cause.
	for _, problem := range damage {
		failed = errors.Join(failed, v.found(Problem{IndexDamaged, -1, -1, problem}))
	}
	return v.Verified, cmp.Or(failed, looked)
}

// maxWorkers limits the connections to a database.
const maxWorkers = 16

// A verification is one run of [Verify].
type verification struct {
	VerifyOptions
	Verified
	store   Store
	builder *merkle.Builder
	upper   []merkle.Node   // expected nodes above the first level
	broken  bool            // too many records are missing to build the tree
	changed []span          // records with problems, in order
	way     ways            // for the records so far
	copies  *filter         // accepted so far
	again   map[uint64]bool // copies that may have been accepted more than once
}

// A span is a range of records, from first to last.
type span struct{ first, last int64 }

// plan creates the stretches of the log: stretchSize records each, except at gaps. Each goes to order, and to
// a worker. Records added during the query are not included: a stretch that is read while it grows would seem
// to have a gap.
func (v *verification) plan(ctx context.Context, jobs, order chan<- *stretch) error {
	last, found := int64(0), false
	err := v.store.Inspect(ctx, func(i Inspector) (err error) {
		last, found, err = i.LastRecord()
		return err
	})
	if err != nil || !found {
		return err
	}
	v.copies = newFilter(last)
	for from := int64(math.MinInt64); ; {
		next, found := int64(0), false
		err := v.store.Inspect(ctx, func(i Inspector) (err error) {
			next, found, err = i.NextRecord(from)
			return err
		})
		if err != nil || !found || next > last {
			return err
		}
		job := &stretch{first: next, end: (next/stretchSize + 1) * stretchSize, done: make(chan error, 1), way: newWays(v.way.seed)}
		if next < 0 {
			job.end = 0
		}
		if last < job.end {
			job.end = last + 1
		}
		select {
		case order <- job:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case jobs <- job:
		case <-ctx.Done():
			job.done <- ctx.Err()
			return ctx.Err()
		}
		if job.end <= next || job.end > last {
			return nil
		}
		from = job.end
	}
}

// found reports a problem, and notes the affected records.
func (v *verification) found(p Problem) error {
	v.Problems++
	if p.First >= 0 && p.Kind != NodeChanged && p.Kind != RowChanged {
		if n := len(v.changed); n > 0 && p.First <= v.changed[n-1].last+1 {
			v.changed[n-1].last = max(v.changed[n-1].last, p.Last)
		} else if n < maxNoted {
			v.changed = append(v.changed, span{p.First, p.Last})
		}
	}
	return v.Found(p)
}

// maxNoted limits the list of changed records. Beyond it, problems of nodes and checkpoints are only
// explained less precisely.
const maxNoted = 1 << 16

// explained reports whether a problem is already known for records from first to last.
func (v *verification) explained(first, last int64) bool {
	return slices.ContainsFunc(v.changed, func(s span) bool { return s.first <= last && s.last >= first })
}

// maxGap is the maximum number of missing records in the tree.
const maxGap = 1 << 20

// join adds the results of a stretch.
func (v *verification) join(job *stretch) error {
	if job.first < 0 {
		return v.found(Problem{RowChanged, -1, -1, fmt.Sprintf("a row of audit_record has the sequence number %d, which is not valid", job.first)})
	}
	if job.first > v.Size {
		if err := v.found(missing(v.Size, job.first-1)); err != nil {
			return err
		}
		if v.broken = v.broken || job.first-v.Size > maxGap; !v.broken {
			for range job.first - v.Size {
				v.add(Hash{})
			}
		}
	}
	for _, p := range job.problems {
		if err := v.found(p); err != nil {
			return err
		}
	}
	v.Messages += job.messages
	v.Tombstones += job.tombstones
	var nodes []merkle.Node
	if !v.broken {
		for _, h := range job.hashes {
			nodes = append(nodes, v.add(h)...)
		}
	}
	v.Size, v.Last = job.first+int64(len(job.hashes)), job.last
	v.way.join(job.way)
	v.accept(job.accepted)
	if v.Reached != nil {
		v.Reached(v.Size)
	}
	if v.broken {
		return nil
	}
	return v.compare(nodes, job.nodes)
}

// add adds a record to the tree, and returns the nodes of the first level.
func (v *verification) add(h Hash) []merkle.Node {
	nodes := v.builder.Add(h)
	if len(nodes) == 0 {
		return nil
	}
	v.upper = append(v.upper, nodes[1:]...)
	return nodes[:1]
}

// compare reports stored nodes that differ from the tree.
func (v *verification) compare(want, stored []merkle.Node) error {
	for _, n := range want {
		for len(stored) > 0 && stored[0].Index < n.Index {
			stored = stored[1:]
		}
		width := int64(1) << (8 * n.Level) // 256^Level
		first, last := n.Index*width, (n.Index+1)*width-1
		what := ""
		switch {
		case len(stored) == 0 || stored[0].Index != n.Index:
			what = "is missing"
		case stored[0].Hash != n.Hash:
			what = "does not match them: it was changed, or a record was rewritten"
		}
		if what == "" || v.explained(first, last) {
			continue
		}
		if err := v.found(Problem{NodeChanged, first, last, fmt.Sprintf("node %d of level %d of the tree, over records %d to %d, %s", n.Index, n.Level, first, last, what)}); err != nil {
			return err
		}
	}
	return nil
}

// finish makes the checks that are only possible at the end.
func (v *verification) finish(ctx context.Context) error {
	err := v.store.Inspect(ctx, func(i Inspector) error {
		var problems []Problem
		if err := i.Others(func(p Problem) error { problems = append(problems, p); return nil }); err != nil {
			return err
		}
		slices.SortStableFunc(v.upper, func(a, b merkle.Node) int { return a.Level - b.Level })
		for len(v.upper) > 0 && !v.broken {
			level := v.upper[0].Level
			n := slices.IndexFunc(v.upper, func(n merkle.Node) bool { return n.Level != level })
			if n < 0 {
				n = len(v.upper)
			}
			var stored []merkle.Node
			if err := i.Nodes(level, 0, int64(n), func(n merkle.Node) error { stored = append(stored, n); return nil }); err != nil {
				return err
			}
			if err := v.compare(v.upper[:n], stored); err != nil {
				return err
			}
			v.upper = v.upper[n:]
		}
		for _, p := range problems {
			if err := v.found(p); err != nil {
				return err
			}
		}
		if err := v.acceptedTwice(i); err != nil {
			return err
		}
		return v.beside(i)
	})
	if err != nil {
		return err
	}
	if !v.broken {
		v.Root = v.builder.Root()
	}
	return v.checkpoints()
}

// checkpoints compares the log with the checkpoints.
func (v *verification) checkpoints() error {
	list := slices.SortedFunc(slices.Values(v.Checkpoints), func(a, b merkle.Checkpoint) int { return cmp.Compare(a.Size, b.Size) })
	agreed := int64(0) // number of records confirmed by a checkpoint
	for _, c := range list {
		if c.Size > v.Size {
			err := v.found(Problem{CutOff, v.Size, c.Size - 1, fmt.Sprintf("the log was cut off: the checkpoint has %d records, the log has %d; the records from %d on are missing", c.Size, v.Size, v.Size)})
			if err != nil {
				return err
			}
			continue
		}
		root, ok := v.builder.RootAt(c.Size)
		switch {
		case v.broken || !ok:
			continue // missing records are already reported
		case root == c.Root:
			agreed = c.Size
			continue
		}
		message := fmt.Sprintf("the first %d records differ from those at the checkpoint", c.Size)
		first, known := int64(0), false
		for _, s := range v.changed {
			if s.first < c.Size && s.last >= agreed {
				first, known = s.first, true
				break
			}
		}
		switch {
		case known:
			message += fmt.Sprintf(": see record %d", first)
		case agreed > 0:
			first = agreed
			message += fmt.Sprintf(": the log was rewritten from one of the records %d to %d on", agreed, c.Size-1)
		default:
			message += ": the log was rewritten from one of them on"
		}
		if err := v.found(Problem{Rewritten, first, c.Size - 1, message}); err != nil {
			return err
		}
	}
	return nil
}

func missing(first, last int64) Problem {
	text := fmt.Sprintf("record %d is missing", first)
	if last > first {
		text = fmt.Sprintf("records %d to %d are missing", first, last)
	}
	return Problem{RecordMissing, first, last, text}
}
