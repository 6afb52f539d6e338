package simulation

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
)

var (
	oneSeed   = flag.Uint64("seed", 0, "run the schedule of this seed alone, and print it")
	schedules = flag.Int("schedules", 0, "run so many schedules")
	firstSeed = flag.Uint64("first", 1, "the seed of the first of them")
	goOn      = flag.Bool("go-on", false, "go on after a schedule that has failed, and print of the others what they have found alone")
)

func TestMain(m *testing.M) {
	// Random waits are the same whenever a schedule is repeated.
	polling.Chance = func(n time.Duration) time.Duration {
		x := uint64(time.Now().UnixNano()) * 0x9e3779b97f4a7c15
		return time.Duration(x>>1) % n
	}
	debug.SetGCPercent(400) // little memory of a schedule remains in use
	os.Exit(tier.Run(m))
}

// beginning is the time at which the schedules begin.
var beginning = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// runSchedule runs the schedule with a seed.
func runSchedule(t *testing.T, seed uint64, d *disk) (w *world) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "seed %d: %v\n", seed, r)
			if w != nil {
				fmt.Fprintln(os.Stderr, strings.Join(w.trace, "\n"))
			}
			panic(r)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(beginning))
		w = newWorld(seed, d)
		if err := w.run(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	})
	return w
}

// warmUp creates the data that all schedules share: channels that are created in one schedule may not be used
// in another.
func warmUp(t *testing.T) {
	t.Helper()
	store, err := deliver.Open(t.Context(), newDisk(t).path, deliver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	raw := jsonstream.NewRaw(example())
	if _, err := store.Examine(raw, jsonstream.Limits{}); err != nil {
		t.Fatal(err)
	}
	r, err := receiver.New(t.Context(), validator(), audit.NewLog(handle{newMemory(), "r"}, nil), receiver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Examine(t.Context(), raw, nil); err != nil {
		t.Fatal(err)
	}
}

func TestSchedules(t *testing.T) {
	warmUp(t)
	if *oneSeed != 0 {
		d := newDisk(t)
		w := runSchedule(t, *oneSeed, d)
		for again := 0; again < 50 && len(w.violations) == 0; again++ { // see TestSameSeed
			w = runSchedule(t, *oneSeed, d)
		}
		if t.Log(w.report()); len(w.violations) > 0 {
			t.Fail()
		}
		return
	}
	n := tier.Count(200, 100_000)
	if *schedules > 0 {
		n = *schedules
	}
	var next atomic.Uint64
	next.Store(*firstSeed - 1)
	last := next.Load() + uint64(n)
	var all tally
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		d := newDisk(t)
		running.Go(func() {
			for seed := next.Add(1); seed <= last && (*goOn || !t.Failed()); seed = next.Add(1) {
				w := runSchedule(t, seed, d)
				all.add(w)
				switch {
				case len(w.violations) == 0:
				case t.Failed():
					t.Errorf("seed %d: %s", seed, strings.Join(w.violations, "\n"))
				default:
					t.Error(w.report())
				}
			}
		})
	}
	running.Wait()
	t.Logf("from seed %d: %s", *firstSeed, &all)
}

// tally counts events of schedules.
type tally struct {
	mu                                           sync.Mutex
	schedules, processes, kills, handoffs, taken int
	fates                                        [dead + 1]int
}

func (a *tally) add(w *world) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.schedules++
	a.processes += len(w.processes)
	a.kills += w.kills
	for f, n := range w.fates {
		a.fates[f] += n
	}
	for _, c := range w.copies {
		a.handoffs++
		if c.given > 0 {
			a.taken++
		}
	}
}

func (a *tally) String() string {
	return fmt.Sprintf("%d schedules with %d processes, of which %d were killed; %d handoffs, of which agents have had %d; %d steps failed, %d were done without an answer, %d twice",
		a.schedules, a.processes, a.kills, a.handoffs, a.taken, a.fates[fails], a.fates[unheard], a.fates[twice])
}

// TestSameSeed checks that a schedule with the same seed has the same events at the same times. If two channels
// are ready, Go chooses one at random, so one schedule in forty may differ.
func TestSameSeed(t *testing.T) {
	warmUp(t)
	d, n := newDisk(t), tier.Count(20, 1000)
	same := 0
	for seed := range uint64(n) {
		one, other := runSchedule(t, seed, d), runSchedule(t, seed, d)
		if slices.Equal(one.trace, other.trace) {
			same++
		}
	}
	if same < n*3/4 {
		t.Errorf("%d of %d schedules can be repeated", same, n)
	}
}
