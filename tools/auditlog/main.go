// Auditlog fills an audit log with records of made-up tasks, to measure its readers:
//
//	go run ./auditlog -records 1000000 audit.db
//
// It prints the ids of a few tasks. The log only depends on the number of records.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
)

// batch is the number of records added at once, and the seconds between batches.
const batch = 10_000

func main() {
	log.SetFlags(0)
	records := flag.Int("records", 1_000_000, "number of records")
	size := flag.Int("bytes", 7000, "length of messages, in bytes; 0 for records only")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: auditlog [-records N] [-bytes N] LOG")
	}
	store, err := sqlstore.Open(context.Background(), flag.Arg(0), sqlstore.Options{Create: true})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	g := newGenerator(*size)
	now := time.Date(2026, 6, 12, 0, 0, 0, 0, time.UTC)
	l := audit.NewLog(store, func() time.Time { now = now.Add(batch * time.Second); return now })
	for n := 0; n < *records; n += batch {
		if err := l.Append(context.Background(), func(b *audit.Batch) error { return g.fill(b, min(batch, *records-n)) }); err != nil {
			log.Fatal(err)
		}
	}
	if err := l.Append(context.Background(), g.leave); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(g.shown, "\n"))
}

var agents = []string{"planner", "legal-analysis-agent", "risk-scoring-agent", "writer", "editor"}

var transports = []string{"http", "nats", "redis", "temporal"}

// inFlight is the number of concurrent tasks.
const inFlight = 64

// A task is a task in progress.
type task struct {
	id         string
	step       int
	micros     int64 // spent, in millionths of a dollar
	tokens     int64
	handedOver bool
	last       audit.Record // the last acceptance
}

type generator struct {
	rand   *rand.Rand
	tasks  [inFlight]*task
	filler string
	frames *compress.Encoder // nil if messages are not stored
	shown  []string
}

func newGenerator(size int) *generator {
	g := &generator{rand: rand.New(rand.NewPCG(1, 2))}
	if size == 0 {
		return g
	}
	words := strings.Fields("the contract clause liability unlimited agent extracted score risk summary party shall notice days claim amount supplier indemnity term")
	for g.filler == "" || len(g.filler) < size-1200 {
		g.filler += words[g.rand.IntN(len(words))] + " "
	}
	var err error
	if g.frames, err = compress.NewEncoder(compress.EncoderOptions{Codec: compress.Zstd, Level: 3, Dictionary: dictionary.Builtin()}); err != nil {
		log.Fatal(err)
	}
	return g
}

func (g *generator) uuid() string {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], g.rand.Uint64())
	binary.LittleEndian.PutUint64(b[8:], g.rand.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// fill adds n records.
func (g *generator) fill(b *audit.Batch, n int) error {
	for range n {
		at := g.rand.IntN(inFlight)
		t := g.tasks[at]
		if t == nil {
			t = &task{id: g.uuid()}
			g.tasks[at] = t
			if len(g.shown) < 5 {
				g.shown = append(g.shown, t.id)
			}
		}
		if err := g.next(b, t); err != nil {
			return err
		}
		if t.step == len(agents)-1 && t.handedOver {
			g.tasks[at] = nil
		}
	}
	return nil
}

// leave records the accepted messages that were never handed over.
func (g *generator) leave(b *audit.Batch) error {
	var left []audit.Pending
	for _, t := range g.tasks {
		if t != nil && t.last.HandoffID != "" && !t.handedOver {
			left = append(left, audit.Pending{HandoffID: t.last.HandoffID, Receiver: t.last.Receiver, Sequence: t.last.Sequence, Instance: "0123456789abcdef"})
		}
	}
	return b.SetPending(left)
}

// next adds a task's next record: an acceptance, a handover or a rejection.
func (g *generator) next(b *audit.Batch, t *task) error {
	if t.last.HandoffID != "" && !t.handedOver {
		t.handedOver = true
		_, err := b.Add(audit.Record{Event: audit.HandedOver, HandoffID: t.last.HandoffID, TaskID: t.id, Receiver: t.last.Receiver}, nil)
		return err
	}
	t.micros += 1000 + g.rand.Int64N(90_000)
	t.tokens += 500 + g.rand.Int64N(5000)
	r := audit.Record{
		Event: audit.Accepted, HandoffID: g.uuid(), TaskID: t.id, ParentHandoffID: t.last.HandoffID, Sender: agents[t.step], Receiver: agents[t.step+1], Attempt: 1,
		CostSpentUSD: fmt.Sprintf("%d.%06d", t.micros/1e6, t.micros%1e6), CostRemainingUSD: fmt.Sprintf("%d.%06d", 9-t.micros/1e6, 1e6-t.micros%1e6),
		PromptTokens: t.tokens, CompletionTokens: t.tokens / 3, Transport: transports[g.rand.IntN(len(transports))], LatencyMicros: 2000 + g.rand.Int64N(150_000),
		Details: audit.Details{Compressed: g.rand.IntN(10) == 0},
	}
	if g.rand.IntN(100) == 0 {
		r.Event, r.Reason = audit.Rejected, "SCHEMA_INVALID"
		r.Details.Findings = []audit.Finding{{Rule: "schema/required", Severity: "error", Message: "taskDescription is missing"}}
	}
	var frame []byte
	if g.frames != nil {
		text := g.message(t, &r)
		frame = g.frames.Append(nil, text)
		r.MessageDigest, r.FrameDigest, r.MessageBytes = sha256.Sum256(text), sha256.Sum256(frame), int64(len(text))
	}
	stored, err := b.Add(r, frame)
	if r.Event == audit.Accepted {
		t.last, t.handedOver = stored.Record, false
		t.step++
	}
	return err
}

// message returns a message of the usual length.
func (g *generator) message(t *task, r *audit.Record) []byte {
	parent := "null"
	if r.ParentHandoffID != "" {
		parent = `"` + r.ParentHandoffID + `"`
	}
	cut := g.rand.IntN(len(g.filler))
	return fmt.Appendf(nil, `{"schemaVersion":"2.0","handoffId":%q,"taskId":%q,"parentHandoffId":%s,"fromAgent":{"agentId":%q,"agentVersion":"2.1.0","executionId":%q},`+
		`"toAgent":{"agentType":%q},"timestamp":"2026-06-12T09:30:00Z","taskDescription":"Score the liability risk of the extracted clauses",`+
		`"completedSubtasks":[{"subtaskId":"s%d","description":"Extract clauses","result":{"clauses":[%d]},"completedAt":"2026-06-12T09:29:58Z"}],`+
		`"remainingSubtasks":[{"subtaskId":"s%d","description":"Score each clause"}],"currentState":{"extractedClauses":[{"number":"4.%d"}],"riskFlags":["unlimited"]},`+
		`"relevantContext":[{"source":"Contract PDF","excerpt":%q}],"constraints":["returnJSON:true"],`+
		`"costTracking":{"costSpentSoFarUSD":%s,"costBudgetRemainingUSD":%s,"tokenSpent":{"prompt":%d,"completion":%d}},`+
		`"conversationHistoryVerbatim":[{"role":"user","content":%q}],"toolCallHistory":[]}`,
		r.HandoffID, r.TaskID, parent, r.Sender, g.uuid(), r.Receiver, t.step, t.step, t.step+1, g.rand.IntN(100),
		g.filler[cut:], r.CostSpentUSD, r.CostRemainingUSD, r.PromptTokens, r.CompletionTokens, g.filler[:cut])
}
