package session

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/message"
)

func fixtures(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "sessions", filepath.FromSlash(pattern)))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return paths
}

func read(t *testing.T, pattern string) *Session {
	t.Helper()
	text, err := os.ReadFile(fixtures(t, pattern)[0])
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(bytes.NewReader(text), int64(len(text)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// spoken returns the turns of a session as lines.
func spoken(s *Session) []string {
	var lines []string
	for _, turn := range s.Turns {
		line := turn.Role + ": " + strings.SplitN(turn.Text, "\n", 2)[0]
		for _, call := range turn.Calls {
			line += " +" + call.Tool
		}
		lines = append(lines, line)
	}
	return lines
}

func TestClaudeCode(t *testing.T) {
	s := read(t, "claude/projects/*/5f0c*.jsonl")
	want := []string{
		"user: The totals of the invoices are wrong by a cent. Find out why, fix it, and add a test.",
		"assistant: I will look at how the totals are added up. +Read +Read",
		"tool: package shop", "tool: package shop",
		"assistant:  +TodoWrite", "tool: Todos have been modified successfully.",
		"assistant:  +Task", "tool: Total is called in print.go and in export.go.",
		"assistant:  +AskUserQuestion", `tool: User has answered your questions: "Amounts in cents or as decimals?"="Cents". You can now continue with the user's answers in mind.`,
		"assistant:  +Edit", "tool: The file /work/shop/invoice.go has been updated.",
		"assistant:  +Bash", "tool: ok  \tshop\t0.012s",
		"assistant: Totals are added up in cents now. The test is still to be written.",
	}
	if diff := cmp.Diff(want, spoken(s)); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if s.Turns[1].Calls[0].ID != "toolu_1" || s.Turns[2].CallID != "toolu_1" || s.Turns[3].CallID != "toolu_2" {
		t.Errorf("calls made together and their results: %+v", s.Turns[1:4])
	}
	if diff := cmp.Diff([]Todo{{"Find why totals are wrong", "completed"}, {"Add up in cents", "in_progress"}, {"Add a test", "pending"}}, s.Todos); diff != "" {
		t.Errorf("todos (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]File{{Path: "/work/shop/invoice.go", Read: 1, Changed: 1}, {Path: "/work/shop/invoice_test.go", Read: 1}}, s.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if len(s.Decisions) != 1 || s.Decisions[0].Kind != "question" {
		t.Errorf("decisions: %+v", s.Decisions)
	}
	// Nine responses, each counted once, including the subagent's and those of the abandoned branch.
	if diff := cmp.Diff(Usage{Input: 36, CacheRead: 72000, CacheWrite: 10800, Output: 130 + 8*60}, s.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if s.Damaged != 1 || s.Damage[0].Line != 26 || !strings.HasPrefix(s.Damage[0].Problem, "cut off") {
		t.Errorf("damage: %+v", s.Damage)
	}
	if s.Title != "Fix rounding of invoice totals" || s.Branch != "fix-rounding" || s.Folder != "/work/shop" || s.Version != "2.1.14" || s.Model != "claude-sonnet-4-5" {
		t.Errorf("description: %q %q %q %q %q", s.Title, s.Branch, s.Folder, s.Version, s.Model)
	}
}

func TestClaudeCodeCompacted(t *testing.T) {
	s := read(t, "claude/projects/*/0d9b*.jsonl")
	want := []string{
		"assistant:  +Edit", "tool: The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:",
		"assistant:  +Edit", "tool: The file /work/shop/pay.go has been updated.",
		"user: Refunds may be partial.",
		"assistant: Refunds are in pay.go, also partial ones.",
	}
	if diff := cmp.Diff(want, spoken(s)); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if s.Compactions != 1 || !strings.Contains(s.Summary, "The payment client is in pay.go.") {
		t.Errorf("%d compactions, summary %q", s.Compactions, s.Summary)
	}
	var requests []string
	for _, r := range s.Requests {
		requests = append(requests, r.Text)
	}
	if diff := cmp.Diff([]string{"Move the shop to the new payment API.", "Go on with the refunds. Do not touch the old API.", "Refunds may be partial."}, requests); diff != "" {
		t.Errorf("requests, also from before the compaction (-want +got):\n%s", diff)
	}
	if s.Usage.CostUSD == nil || !s.Usage.CostUSD.Equal(message.NewDecimal(1, 0)) {
		t.Errorf("0.0421 + 0.1 + 0.2 + 0.30 + 0.0579 + 0.3 is %v, want 1", s.Usage.CostUSD)
	}
	if len(s.Decisions) != 1 || s.Decisions[0].Kind != "rejection" || !strings.Contains(s.Decisions[0].Text, "Put refunds into pay.go") {
		t.Errorf("decisions: %+v", s.Decisions)
	}
}

func TestCodex(t *testing.T) {
	s := read(t, "codex/sessions/2026/06/14/*89cd5.jsonl")
	want := []string{
		"user: Add VAT to the invoices, 19 percent, and print it on a line of its own.",
		"assistant:  +update_plan", "tool: Plan updated",
		"assistant:  +shell +shell", `tool: {"output": "package shop\n", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}`,
		`tool: {"output": "package shop\n", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}`,
		"assistant:  +apply_patch", `tool: {"output":"Success. Updated the following files:\nM invoice.go\nA vat.go\nD old.go\n","metadata":{"exit_code":0}}`,
		"assistant:  +web_search",
		"assistant: VAT is computed. Printing is next.",
		"user: Print it as well.", // the previous request was taken back
		"assistant:  +update_plan", "tool: Plan updated", "assistant:  +shell",
	}
	if diff := cmp.Diff(want, spoken(s)); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Todo{{"Compute VAT", "completed"}, {"Print it", "in_progress"}}, s.Todos); diff != "" {
		t.Errorf("todos (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]File{{Path: "invoice.go", Changed: 1}, {Path: "vat.go", Changed: 1}, {Path: "old.go", Changed: 1, Deleted: true}, {Path: "print.go", Changed: 1}}, s.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Usage{Input: 2000, CacheRead: 7000, Output: 420, Reasoning: 100}, s.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if !s.Open || s.Model != "gpt-5-codex" || s.Branch != "vat" || s.ID != "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5" {
		t.Errorf("description: open %v, %q %q %q", s.Open, s.Model, s.Branch, s.ID)
	}
}

func TestCodexCompacted(t *testing.T) {
	s := read(t, "codex/sessions/2026/06/14/*0002.jsonl")
	if diff := cmp.Diff([]string{"user: Write a parser for the bank statements.", "user: Now the amounts.", "assistant: Amounts are read in cents."}, spoken(s)); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(s.Summary, "The bank statements are CSV with semicolons.") || s.RequestCount != 2 {
		t.Errorf("summary %q, %d requests", s.Summary, s.RequestCount)
	}
}

// TestCodexSummaries checks that the summary is that of the last compaction, and that a message of the user before an
// encrypted summary is a message of the user.
func TestCodexSummaries(t *testing.T) {
	const at = `{"timestamp":"2026-06-14T11:00:00.000Z","type":`
	user := func(text string) string {
		return `{"type":"message","role":"user","content":[{"type":"input_text","text":"` + text + `"}]}`
	}
	item := func(text string) string { return at + `"response_item","payload":` + user(text) + "}\n" }
	compacted := func(message, history string) string {
		return at + `"compacted","payload":{"message":"` + message + `"` + history + "}}\n"
	}
	of := func(turns ...string) string { return `,"replacement_history":[` + strings.Join(turns, ",") + `]` }
	own := func(text string) string { return codexSummary + text }
	for _, tt := range []struct{ name, text, turns, summary string }{
		{"replaced by a summary", item("a") + compacted(own("S1."), of(user("a"), user(own("S1.")))) + item("b") + compacted(own("S2."), ""), "a b", own("S2.")},
		{"replaced by turns", item("a") + compacted(own("S1."), "") + item("b") + compacted(own("S2."), of(user("b"), user(own("S2.")))), "b", own("S2.")},
		{"an encrypted summary", compacted("", of(user("a"), user("b"), `{"type":"compaction","encrypted_content":"x"}`)) + item("c"), "a b c", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := at + `"session_meta","payload":{"id":"s"}}` + "\n" + tt.text
			s, err := Read(strings.NewReader(text), int64(len(text)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var turns []string
			for _, turn := range s.Turns {
				turns = append(turns, turn.Text)
			}
			if got := strings.Join(turns, " "); got != tt.turns || s.Summary != strings.ReplaceAll(tt.summary, `\n`, "\n") {
				t.Errorf("turns %q and summary %q, want %q and %q", got, s.Summary, tt.turns, tt.summary)
			}
		})
	}
}

const codexSummary = "Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:\\n"

// TestCodexOld reads a rollout whose lines are items, as the first versions wrote them.
func TestCodexOld(t *testing.T) {
	s := read(t, "codex/sessions/2025/07/01/*.jsonl")
	if diff := cmp.Diff([]string{"user: List the files.", "assistant:  +local_shell", `tool: {"output":"invoice.go\n","metadata":{"exit_code":0,"duration_seconds":0.0}}`, "assistant: There is invoice.go."}, spoken(s)); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if s.ID != "3a6f1f0e-4b52-4e0d-9a1c-7d1b0a9c5e11" || s.Branch != "main" {
		t.Errorf("description: %q %q", s.ID, s.Branch)
	}
}

// TestDamage reads lines that are unreadable, or readable only after invalid UTF-8 is replaced.
func TestDamage(t *testing.T) {
	user := func(uuid, parent, text string) string {
		return `{"uuid":"` + uuid + `","parentUuid":"` + parent + `","sessionId":"s","type":"user","message":{"role":"user","content":"` + text + `"}}` + "\n"
	}
	deep := strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600) + "\n"
	tests := []struct {
		name, text string
		want       []string // texts of turns
		problems   []string // beginnings
	}{
		{"half a surrogate pair", user("a", "", `one \ud83d two \ude00`), []string{"one \uFFFD two \uFFFD"}, nil},
		{"a surrogate pair", user("a", "", `one \ud83d\ude00`), []string{"one 😀"}, nil},
		{"an escaped backslash before u", user("a", "", `one \\ud83d`), []string{`one \ud83d`}, nil},
		{"no UTF-8", user("a", "", "one \xff\xfe"), []string{"one \uFFFD"}, nil},
		{"a line that is cut", user("a", "", "one") + `{"uuid":"b","type":"us`, []string{"one"}, []string{"cut off"}},
		{"a line that is cut, and others after it", user("a", "", "one") + `{"uuid":"b","type":"us` + "\n" + user("c", "a", "two"), []string{"one", "two"}, []string{"not strict JSON"}},
		{"too deep", user("a", "", "one") + deep, []string{"one"}, []string{"not strict JSON: "}},
		{"too long", user("a", "", "one") + user("b", "a", strings.Repeat("x", 5000)) + user("c", "a", "two"), []string{"one", "two"}, []string{"too long"}},
		{"zero bytes", user("a", "", "one") + "\x00\x00\x00", []string{"one"}, []string{"only zero bytes"}},
		{"no object", user("a", "", "one") + "[1]\n\n", []string{"one"}, []string{"not a JSON object"}},
		{"a parent that is missing", user("b", "a", "two"), []string{"two"}, []string{"its parent is not in the file"}},
		{"a uuid that is there twice", user("a", "", "one") + user("b", "a", "two") + user("a", "", "three"), []string{"three", "two"}, nil},
		{"an entry that follows itself", user("a", "a", "one") + user("b", "a", "two"), []string{"one", "two"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{}
			o.Limits.MaxBytes = 4096
			s, err := Read(strings.NewReader(tt.text), int64(len(tt.text)), o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, turn := range s.Turns {
				got = append(got, turn.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
			if s.Damaged != len(tt.problems) {
				t.Fatalf("damage: %+v, want %q", s.Damage, tt.problems)
			}
			for i, want := range tt.problems {
				if !strings.HasPrefix(s.Damage[i].Problem, want) {
					t.Errorf("damage %q, want %q", s.Damage[i].Problem, want)
				}
			}
		})
	}
}

// TestState checks properties that the fixtures do not show: credentials are masked, the output is
// always the same, and each part gets a share of the limit.
func TestState(t *testing.T) {
	s := read(t, "claude/projects/*/5f0c*.jsonl")
	o := StateOptions{BudgetUSD: message.NewDecimal(25, 1)}
	first, err := s.State(o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := read(t, "claude/projects/*/5f0c*.jsonl").State(o)
	if err != nil || !bytes.Equal(first.Text, again.Text) || first.Seed != again.Seed {
		t.Errorf("two states of one session differ (%v)", err)
	}
	if first.Secrets != 1 || bytes.Contains(first.Text, []byte("ghp_")) || !bytes.Contains(first.Text, []byte("GITHUB_TOKEN=[masked: github-token]")) {
		t.Errorf("%d credentials masked in\n%s", first.Secrets, first.Text)
	}
	if !bytes.Contains(first.Text, []byte(`"costUSD":0,"budgetUSD":2.5,`)) || !bytes.Contains(first.Text, []byte(`"costUSD":null`)) {
		t.Errorf("an unknown cost in\n%s", first.Text)
	}
	o.MaxText, o.Bytes = 40, 1000
	small, err := s.State(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bytes left out", `"files":[{"path":"/work/shop/invoice.go","read":1,"changed":1}],"filesLeftOut":1`} {
		if !bytes.Contains(small.Text, []byte(want)) {
			t.Errorf("%s is not in\n%s", want, small.Text)
		}
	}
}

// TestPeek compares the data from both ends of a file with the data of the whole file.
func TestPeek(t *testing.T) {
	for _, path := range append(fixtures(t, "claude/projects/*/*-*-*-*.jsonl"), fixtures(t, "codex/sessions/2026/06/14/*.jsonl")...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := Read(bytes.NewReader(text), int64(len(text)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			peeked, err := Peek(bytes.NewReader(text), int64(len(text)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			type described struct {
				Agent                                              Agent
				ID, Title, Folder, Branch, Version, Model, Request string
				Ended                                              any
				Damaged                                            int
			}
			describe := func(s *Session) described {
				return described{s.Agent, s.ID, s.Title, s.Folder, s.Branch, s.Version, s.Model, s.Requests[0].Text, s.Ended, s.Damaged}
			}
			if diff := cmp.Diff(describe(whole), describe(peeked)); diff != "" {
				t.Errorf("(-all of it +its ends):\n%s", diff)
			}
		})
	}
	text := longSession(2 << 20)
	s, err := Peek(bytes.NewReader(text), int64(len(text)), Options{})
	if err != nil || s.Damaged != 0 || s.Ended.Equal(s.Began) {
		t.Errorf("a long file: %+v, %v", s, err)
	}
	if _, err := Peek(strings.NewReader("{}\n"), 3, Options{}); err != ErrUnknown {
		t.Errorf("a file of no agent: %v, want ErrUnknown", err)
	}
}

// TestTail checks that the latest turns of a long session are kept, and do not begin with a result.
func TestTail(t *testing.T) {
	text := longSession(1 << 20)
	s, err := Read(bytes.NewReader(text), int64(len(text)), Options{TailBytes: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, turn := range s.Turns {
		size += turn.size()
	}
	if size > 20_000 || size < 10_000 || s.Turns[0].Role == "tool" || s.TurnsLeftOut == 0 || len(s.Calls) > maxCalls || s.CallCount < 100 {
		t.Errorf("%d bytes in %d turns from %s on, %d left out, %d of %d calls", size, len(s.Turns), s.Turns[0].Role, s.TurnsLeftOut, len(s.Calls), s.CallCount)
	}
}

// FuzzRead checks that the turns of any input fit together, and that a message can be built from its
// state.
func FuzzRead(f *testing.F) {
	for _, path := range append(fixtures(f, "claude/projects/*/*.jsonl"), fixtures(f, "codex/sessions/*/*/*/*.jsonl")...) {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Read(bytes.NewReader(text), int64(len(text)), Options{TailBytes: 1000})
		if err != nil {
			return
		}
		if s.Damaged > s.Lines+1 || len(s.Damage) > maxDamage { // one more for a missing beginning
			t.Fatalf("%d of %d lines are damaged, and %d described", s.Damaged, s.Lines, len(s.Damage))
		}
		state, err := s.State(StateOptions{BudgetUSD: message.NewDecimal(1, 0), MaxText: 100, Bytes: 2000})
		if err != nil {
			t.Fatal(err)
		}
		if m, err := buildable(state.Text); err != nil {
			t.Fatalf("%v in\n%s", err, m)
		}
	})
}

// TestGemini checks the records of the Gemini CLI: a message replaces an earlier one with its id, a rewind
// removes messages, and a checkpoint replaces all.
func TestGemini(t *testing.T) {
	const head = `{"sessionId":"s","projectHash":"p","kind":"main"}` + "\n"
	message := func(id, kind, text string) string {
		return `{"id":"` + id + `","timestamp":"2026-10-02T08:00:01.000Z","type":"` + kind + `","content":"` + text + `"}`
	}
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"in order":                     {[]string{message("1", "user", "a"), message("2", "gemini", "b")}, "user: a, assistant: b"},
		"a message that is replaced":   {[]string{message("1", "user", "a"), message("2", "gemini", "b"), message("1", "user", "c")}, "user: c, assistant: b"},
		"a rewind":                     {[]string{message("1", "user", "a"), message("2", "gemini", "b"), message("3", "user", "c"), `{"$rewindTo":"2"}`, message("4", "user", "d")}, "user: a, user: d"},
		"a rewind to an unknown id":    {[]string{message("1", "user", "a"), `{"$rewindTo":"9"}`, message("2", "user", "b")}, "user: b"},
		"a message again after rewind": {[]string{message("1", "user", "a"), message("2", "user", "b"), `{"$rewindTo":"2"}`, message("2", "user", "c")}, "user: a, user: c"},
		"a checkpoint":                 {[]string{message("1", "user", "a"), `{"$set":{"messages":[` + message("7", "user", "x") + `,` + message("8", "gemini", "y") + `]}}`, message("9", "user", "z")}, "user: x, assistant: y, user: z"},
		"commands and notes":           {[]string{message("1", "user", "/help"), message("2", "info", "i"), message("3", "user", "a"), message("4", "user", "<session_context>")}, "user: a"},
		"calls in the content": {[]string{`{"id":"1","timestamp":"2026-10-02T08:00:01.000Z","type":"gemini","content":[{"text":"b","thought":true},{"functionCall":{"id":"c","name":"n","args":{}}}]}`,
			`{"id":"2","timestamp":"2026-10-02T08:00:01.000Z","type":"user","content":[{"functionResponse":{"id":"c","name":"n","response":{"output":"r"}}}]}`}, "assistant: n{}, tool: r"},
	} {
		t.Run(name, func(t *testing.T) {
			text := head + strings.Join(c.lines, "\n") + "\n"
			s, err := Read(strings.NewReader(text), int64(len(text)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, turn := range s.Turns {
				line := turn.Role + ": " + turn.Text
				for _, call := range turn.Calls {
					line += call.Tool + call.Input
				}
				got = append(got, line)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %s, want %s", strings.Join(got, ", "), c.want)
			}
		})
	}
}

// TestCopilot checks the events of the Copilot CLI that change the conversation, as the CLI resumes sessions with them.
func TestCopilot(t *testing.T) {
	event := func(id, kind, data string) string {
		return fmt.Sprintf(`{"type":%q,"data":%s,"id":%q,"timestamp":"2026-11-30T03:09:05.000Z","parentId":null}`, kind, data, id)
	}
	user := func(id string) string { return event(id, "user.message", `{"content":"`+id+`"}`) }
	for _, tt := range []struct {
		name  string
		lines []string
		turns string
		omits string
	}{
		{"cleared", []string{user("a"), event("x", "session.context_cleared", `{"messagesCleared":1}`), user("b")}, "b", "rolled-back [2]"},
		{"cleared, with a first message", []string{user("a"), event("x", "session.context_cleared", `{"messagesCleared":1,"initialMessage":"c"}`), user("b")}, "c b", "rolled-back [2]"},
		{"a rewind", []string{user("a"), user("b"), user("c"), event("x", "session.snapshot_rewind", `{"upToEventId":"b","eventsRemoved":2}`)}, "a", "rolled-back [3 4]"},
		{"a rewind of some events", []string{user("a"), user("b"), user("c"), user("d"), event("x", "session.snapshot_rewind", `{"upToEventId":"b","eventIds":["b","d"],"eventsRemoved":2}`)}, "a c", "rolled-back [3 5]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Join(append([]string{event("s", "session.start", `{"sessionId":"s"}`)}, tt.lines...), "\n")
			s, err := Read(strings.NewReader(text), int64(len(text)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var turns []string
			for _, turn := range s.Turns {
				turns = append(turns, turn.Text)
			}
			omits := ""
			for _, o := range s.Omissions {
				omits += fmt.Sprint(o.Cause, " ", o.Lines)
			}
			if got := strings.Join(turns, " "); got != tt.turns || omits != tt.omits {
				t.Errorf("turns %q, omitted %q, want %q and %q", got, omits, tt.turns, tt.omits)
			}
		})
	}
}
