package claudecode

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/vectors"
)

// treeOf returns the tree of a session, and the number of lines that cannot be read. All lines are
// read into the same memory.
func treeOf(text []byte) (t *Tree[string], damaged int) {
	var parser jsonstream.Parser
	var buffer []byte
	var entries []Entry[string]
	for line := range bytes.Lines(text) {
		buffer = append(buffer[:0], line...)
		doc, err := parser.Parse(jsonstream.NewRaw(buffer), jsonstream.Unlimited())
		if err != nil {
			damaged++
			continue
		}
		if e, ok := EntryOf(doc.Root()); ok {
			e.Order = len(entries)
			entries = append(entries, e)
		}
	}
	return NewTree(entries), damaged
}

// chosen returns the uuids of the messages of a session, including the program's own, as the SDK of
// Claude Code does.
func chosen(text []byte) []string {
	tree, _ := treeOf(text)
	path, end := tree.Conversation()
	uuids := []string{}
	for i, visible := range tree.Visible(path, end) {
		e := tree.Entry(path[i])
		switch {
		case visible && e.Queued && e.Source != "":
			uuids = append(uuids, e.Source)
		case visible || e.Kind == "system" && !e.Meta && !e.Sidechain && !e.Team:
			uuids = append(uuids, e.UUID)
		}
	}
	return uuids
}

var sessions = flag.Int("histories", tier.Count(150, 1500), "how many sessions TestChosen makes up")

// TestChosen compares the messages of fixtures and generated sessions with the choice of the Claude
// Agent SDK's reader.
func TestChosen(t *testing.T) {
	ask := oracle.Start(t, "claude-code")
	var docs [][]byte
	fixtures, err := filepath.Glob("../../../testdata/sessions/claude/projects/*/*.jsonl")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, path := range fixtures {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, text)
	}
	for _, c := range vectors.Cases("sessions") {
		isOptional := func(turn vectors.Turn) bool { return turn.Optional } // the SDK does not find it
		if c.Input.Agent == "claude-code" && c.Expected.Verdict == vectors.Valid && !slices.ContainsFunc(c.Expected.Turns, isOptional) {
			docs = append(docs, []byte(c.Input.Session))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range *sessions {
		docs = append(docs, randomSession(random))
	}
	var quoted [][]byte
	for _, doc := range docs {
		text, err := json.Marshal(string(doc))
		if err != nil {
			t.Fatal(err)
		}
		quoted = append(quoted, text)
	}
	several := 0
	for i, answer := range ask.Ask(quoted...) {
		var want struct{ UUIDs []string }
		if err := json.Unmarshal(answer.Raw, &want, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		got := chosen(docs[i])
		if !slices.Equal(got, want.UUIDs) && len(got)+len(want.UUIDs) > 0 {
			t.Fatalf("document %d: chosen %q, the SDK chooses %q (%s) of\n%s", i, got, want.UUIDs, answer.Raw[:min(300, len(answer.Raw))], docs[i])
		}
		if len(got) > 2 {
			several++
		}
	}
	if several < *sessions/3 {
		t.Errorf("only %d sessions of more than two messages", several)
	}
}

// randomSession returns a session of few entries with random references to each other, including
// references that no agent writes.
func randomSession(r *rand.Rand) []byte {
	n := 3 + r.IntN(18)
	uuid := func(i int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", i) }
	wild, twice := r.IntN(3) == 0, r.IntN(2) == 0
	some := func(i int) string {
		if wild && r.IntN(6) == 0 {
			return uuid(r.IntN(n + 2))
		}
		return uuid(max(0, i-1-r.IntN(2+r.IntN(3))))
	}
	one := func(of int) bool { return r.IntN(of) == 0 }
	var b bytes.Buffer
	for i := range n {
		id := uuid(i)
		kinds := []string{"user", "assistant", "assistant", "user", "assistant", "system", "progress", "attachment"}
		if twice { // the SDK also searches replaced entries for a queued command
			kinds = kinds[:len(kinds)-1]
			if one(12) {
				id = uuid(r.IntN(n))
			}
		}
		parent := fmt.Sprintf("%q", some(i))
		if i == 0 || one(12) {
			parent = "null"
		}
		kind := kinds[r.IntN(len(kinds))]
		fmt.Fprintf(&b, `{"uuid":%q,"parentUuid":%s,"type":%q,"sessionId":"s","timestamp":"2026-06-12T09:00:%02dZ"`, id, parent, kind, r.IntN(60))
		for name, of := range map[string]int{"isSidechain": 9, "isMeta": 9, "teamName": 20} {
			if one(of) {
				fmt.Fprintf(&b, `,%q:%s`, name, map[bool]string{true: `"t"`, false: "true"}[name == "teamName"])
			}
		}
		if one(4) {
			fmt.Fprintf(&b, `,"sourceToolAssistantUUID":%q`, some(i))
		}
		if one(9) {
			fmt.Fprintf(&b, `,"agentId":"a%d"`, r.IntN(2))
		}
		switch kind {
		case "assistant":
			fmt.Fprintf(&b, `,"message":{"role":"assistant","id":"m%d","content":[{"type":"text","text":"a"}`, i/3+r.IntN(2))
			if one(2) {
				fmt.Fprintf(&b, `,{"type":"tool_use","id":"t%d","name":"Read","input":{}}`, i/2)
			}
			b.WriteString(`]}`)
		case "user":
			if one(2) {
				fmt.Fprintf(&b, `,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"r"}]}`, max(0, i/2-r.IntN(3)))
			} else {
				b.WriteString(`,"message":{"role":"user","content":"do it"}`)
			}
			if one(12) {
				b.WriteString(`,"isCompactSummary":true`)
			}
		case "attachment":
			fmt.Fprintf(&b, `,"attachment":{"type":%q,"prompt":"and this"}`, []string{"queued_command", "fork_briefing", "todo"}[r.IntN(3)])
		case "system":
			if one(2) {
				fmt.Fprintf(&b, `,"subtype":"compact_boundary","logicalParentUuid":%q`, some(i))
				switch r.IntN(4) {
				case 0:
					fmt.Fprintf(&b, `,"compactMetadata":{"preservedMessages":{"anchorUuid":%q,"uuids":[%q,%q]}}`, uuid(r.IntN(n)), some(i), some(i))
				case 1:
					fmt.Fprintf(&b, `,"compactMetadata":{"preservedSegment":{"anchorUuid":%q,"headUuid":%q,"tailUuid":%q}}`, uuid(r.IntN(n)), some(i), some(i))
				}
			}
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

// TestRelink compares the parents after compactions that preserved lines with a simple implementation
// that changes the parents one by one.
func TestRelink(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		text := randomSession(random)
		tree, damaged := treeOf(text)
		if damaged > 0 {
			t.Fatalf("%d lines cannot be read in\n%s", damaged, text)
		}
		want := plainParents(tree)
		for n, e := range tree.nodes {
			if got := tree.parent(n); got != want[e.UUID] {
				t.Fatalf("the parent of %s is %q, want %q in\n%s", e.UUID, got, want[e.UUID], text)
			}
		}
	}
}

func plainParents(t *Tree[string]) map[string]string {
	parents := map[string]string{}
	for _, e := range t.nodes {
		parents[e.UUID] = e.Parent
	}
	missing := func(uuid string) bool { _, known := parents[uuid]; return !known }
	for _, e := range t.nodes {
		k := e.Kept
		if !e.Compaction || k == nil || !k.Segment && (len(k.UUIDs) == 0 || slices.ContainsFunc(k.UUIDs, missing)) {
			continue
		}
		head, tail := k.Head, k.Tail
		if !k.Segment {
			head, tail = k.UUIDs[0], k.UUIDs[len(k.UUIDs)-1]
		}
		if !missing(head) {
			parents[head] = k.Anchor
		}
		for i := 1; i < len(k.UUIDs); i++ {
			parents[k.UUIDs[i]] = k.UUIDs[i-1]
		}
		for uuid, parent := range parents {
			if parent == k.Anchor && uuid != head {
				parents[uuid] = tail
			}
		}
	}
	return parents
}

// TestTreeHostile has cyclic and very long paths.
func TestTreeHostile(t *testing.T) {
	line := func(uuid, parent, kind string) string {
		return fmt.Sprintf(`{"uuid":%q,"parentUuid":%q,"type":%q,"message":{"role":"user","content":"x"}}`+"\n", uuid, parent, kind)
	}
	circle := line("a", "b", "user") + line("b", "a", "user")
	if got := chosen([]byte(circle)); len(got) != 0 {
		t.Errorf("a cycle of two entries has no leaf, but %q were chosen", got)
	}
	if got := chosen([]byte(circle + line("c", "b", "user"))); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("of one entry after a circle, %q are chosen, want a, b and c", got)
	}
	var b strings.Builder
	const n = 20_000
	for i := range n { // a leaf at each node of a path without messages
		b.WriteString(line(fmt.Sprint(i), fmt.Sprint(i-1), "system"))
		b.WriteString(line(fmt.Sprint("leaf", i), fmt.Sprint(i), "system"))
	}
	if got := chosen([]byte(b.String())); len(got) != 0 {
		t.Errorf("%d entries are chosen, want none", len(got))
	}
}

// TestBeforeHostile has compactions that all follow one long path and summarize each other.
func TestBeforeHostile(t *testing.T) {
	const n = 20_000
	var entries []Entry[string]
	add := func(e Entry[string]) {
		e.Order = len(entries)
		entries = append(entries, e)
	}
	compaction := func(uuid, parent, logical string) {
		add(Entry[string]{UUID: uuid, Parent: parent, LogicalParent: logical, Kind: "system", Compaction: true})
	}
	compaction("path 0", "", "compaction 0")
	for i := range n {
		add(Entry[string]{UUID: fmt.Sprint("path ", i+1), Parent: fmt.Sprint("path ", i), Kind: "user"})
	}
	for i := range n {
		compaction(fmt.Sprint("compaction ", i), fmt.Sprint("path ", n), fmt.Sprint("compaction ", i+1))
	}
	compaction("last", "", fmt.Sprint("path ", n))
	add(Entry[string]{UUID: "said", Parent: "last", Kind: "user"})
	tree := NewTree(entries)
	path, _ := tree.Conversation()
	if before := tree.Before(path); len(path) != 2 || len(before) != 2*n+1 {
		t.Errorf("%d entries are before %d, want %d before 2", len(before), len(path), 2*n+1)
	}
}

// TestTrail checks that a trail, which reads a session in parts, finds the same turns as the tree.
func TestTrail(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	several := 0
	for range 5000 {
		text := randomSession(random)
		tree, _ := treeOf(text)
		var want []format.Spot
		path, end := tree.Conversation()
		visible := tree.Visible(path, end)
		for i, n := range path {
			if e := tree.Entry(n); e.Speaks() || e.Queued && visible[i] {
				want = append(want, format.Spot{Index: int32(e.Order)})
			}
		}
		found := newTrail()
		blocks := bytes.SplitAfter(text, []byte("}\n"))
		for first := 0; first < len(blocks)-1; {
			part := blocks[first:min(len(blocks)-1, first+1+random.IntN(6))]
			doc, err := jsonstream.Parse(jsonstream.Raw{Bytes: bytes.Join(part, nil), Lines: true, First: first}, jsonstream.Unlimited())
			if err != nil {
				t.Fatal(err)
			}
			found.Add(found.Read(doc.Root().Elements()))
			first += len(part)
		}
		if got := found.Turns(); !slices.Equal(got, want) {
			t.Fatalf("turns %d, want %d in\n%s", got, want, text)
		}
		if len(want) > 2 {
			several++
		}
	}
	if several < 1000 {
		t.Errorf("only %d sessions of more than two turns", several)
	}
}

// TestStamp checks that timestamps are compared as texts.
func TestStamp(t *testing.T) {
	texts := []string{"", "x", "2026-06-12T09:00:00.000Z", "2026-06-12T09:00:00.001Z", "2026-06-12T09:00:00Z", "2026-06-12T09:00:00.000+", "0000-00-00T00:00:00.000Z",
		"9999-99-99T99:99:99.999Z", "2026-06-12T09:00:00.0000", "2026-06-12 09:00:00.000Z", "10"}
	for _, a := range texts {
		if got := stampOf(a).String(); got != a {
			t.Errorf("%q became %q", a, got)
		}
		for _, b := range texts {
			if got := stampOf(a).compare(stampOf(b)); got != strings.Compare(a, b) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
}
