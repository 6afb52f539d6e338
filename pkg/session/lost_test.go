package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// TestNothingIsLost mutates sessions of all agents, each of whose turns has a word of its own, and checks
// that every turn that can be read is in the conversation or in an omission.
func TestNothingIsLost(t *testing.T) {
	var files [][]byte
	for _, pattern := range []string{"../../testdata/sessions/*/projects/*/*.jsonl", "../../testdata/sessions/codex/sessions/*/*/*/*.jsonl", "../../testdata/sessions/gemini/.gemini/tmp/*/chats/*.jsonl", "../../testdata/sessions/copilot/session-state/*/*.jsonl", "../../testdata/sessions/opencode/*.json"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no files, error %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, text)
		}
	}
	seen := map[Cause]int{}
	var turns, shown, refused, damaged, excused int
	for seed := range tier.Count(150, 5000) {
		r := rand.New(rand.NewPCG(uint64(seed), 42))
		text := files[seed/6%len(files)]
		switch seed % 6 {
		case 0:
			text = chatgen.Session(r, format.ClaudeCode, 1+r.IntN(3), r.IntN(2) == 0)
		case 1:
			text = chatgen.Session(r, format.Codex, 1+r.IntN(3), r.IntN(2) == 0)
		case 2:
			text = geminiSession(r)
		case 3:
			text = copilotSession(r)
		case 4:
			text = chatgen.History(r, format.OpenCode)
		}
		m := mutated(r, text)
		s, err := Read(bytes.NewReader(m.text), int64(len(m.text)), Options{})
		if err != nil {
			refused++
			continue
		}
		problems := slices.Concat(m.checkWhole(), m.check(s), m.checkState(s), m.checkConverted(t, s))
		if len(problems) > 0 {
			t.Errorf("session %d (%s, changes %s):\n%s", seed, s.Agent, strings.Join(m.changes, ", "), strings.Join(problems[:min(len(problems), 5)], "\n"))
			if dir := os.Getenv("LOST_DIR"); dir != "" {
				_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", seed)), m.text, 0o600)
			}
		}
		for _, o := range s.Omissions {
			seen[o.Cause] += o.Turns
		}
		turns, shown, damaged, excused = turns+len(m.words), shown+m.shown, damaged+s.Damaged, excused+m.excused
	}
	t.Logf("%d turns, %d of them in the conversation; not in it: %v; %d damaged lines, which hide %d whole turns; %d files refused", turns, shown, seen, damaged, excused, refused)
	for _, cause := range causes {
		if seen[cause] == 0 && tier.Full() {
			t.Errorf("no turn is omitted with the cause %s", cause)
		}
	}
	if shown == 0 || shown == turns || refused*4 > tier.Count(150, 5000) {
		t.Errorf("%d of %d turns are in conversations, %d files are refused", shown, turns, refused)
	}
}

// A mutation is a session file with changes, and the word of each turn in a whole record.
type mutation struct {
	text    []byte
	changes []string
	words   []word
	damaged bool
	about   string // the description in a session that is one document, "" for any other
	first   int    // its number of lines before the messages
	shown   int
	excused int // in whole records beside damage
}

type word struct {
	text string
	line int
}

// A record is a record of a session, and the words in it.
type record struct {
	text  string
	words []string
}

// mutated gives each turn in a session a word, and changes the lines.
func mutated(r *rand.Rand, session []byte) *mutation {
	m := &mutation{}
	var all []record
	n := 0
	if session, m.about = divided(session); m.about != "" {
		m.first = 2
	}
	for line := range bytes.Lines(session) {
		var v map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if d.Decode(&v) != nil {
			all = append(all, record{text: strings.TrimSpace(string(line))})
			continue
		}
		all = append(all, marked(v, &n))
	}
	for range 1 + r.IntN(4) {
		i, j := r.IntN(len(all)), r.IntN(len(all))
		change := func(name string) { m.changes = append(m.changes, fmt.Sprintf("%s %d", name, i)) }
		kind := r.IntN(11)
		if m.about != "" && (kind == 3 || kind == 4 || kind == 10) {
			continue // a document is whole, or no session at all
		}
		switch kind {
		case 0:
			change("remove")
			to := min(i+1+r.IntN(3), len(all))
			if all = slices.Delete(all, i, to); len(all) == 0 {
				return m
			}
		case 1:
			change("swap")
			all[i], all[j] = all[j], all[i]
		case 2:
			change("double")
			all = slices.Insert(all, j, all[i])
		case 3:
			change("cut")
			all[i] = record{text: all[i].text[:r.IntN(len(all[i].text)+1)]}
			m.damaged = true
		case 4: // two records on a line
			if i+1 < len(all) {
				change("join")
				all[i] = record{all[i].text + all[i+1].text, slices.Concat(all[i].words, all[i+1].words)}
				all = slices.Delete(all, i+1, i+2)
				m.damaged = true
			}
		case 5:
			change("end")
			all = all[:i+1]
		case 6, 7:
			change("edit")
			all[i] = edited(r, all[i], all[j])
		case 8, 9:
			change("insert")
			all = slices.Insert(all, i, extra(r, all, &n))
		case 10: // part of a record before another
			if i+1 < len(all) {
				change("overwrite")
				all[i+1].text = all[i].text[:r.IntN(len(all[i].text)+1)] + all[i+1].text
				all = slices.Delete(all, i, i+1)
				m.damaged = true
			}
		}
	}
	var texts []string
	for i, one := range all {
		for _, w := range one.words {
			m.words = append(m.words, word{w, m.first + i + 1})
		}
		texts = append(texts, one.text)
	}
	m.text = []byte(strings.Join(texts, "\n") + "\n")
	if m.about != "" {
		info := m.about
		if len(all) > 0 && r.IntN(4) == 0 {
			var v struct{ Info struct{ ID string } }
			if json.Unmarshal([]byte(all[r.IntN(len(all))].text), &v) == nil {
				info = strings.TrimSuffix(info, "}") + fmt.Sprintf(`,"revert":{"messageID":%q}}`, v.Info.ID)
			}
		}
		m.text = []byte("{\"info\":" + info + ",\n\"messages\":[\n" + strings.Join(texts, ",\n") + "]}\n")
	}
	return m
}

// divided returns the messages of an exported session of OpenCode, one on each line, and its description, without
// a revert; any other session is returned unchanged.
func divided(session []byte) (lines []byte, about string) {
	var v struct {
		Info     map[string]any
		Messages []json.RawMessage
	}
	if bytes.Count(bytes.TrimSpace(session), []byte("\n{")) > 0 || json.Unmarshal(session, &v) != nil || v.Messages == nil {
		return session, ""
	}
	delete(v.Info, "revert")
	info, err := json.Marshal(v.Info)
	if err != nil {
		panic(err) // impossible: it was parsed
	}
	for _, m := range v.Messages {
		var b bytes.Buffer
		if err := json.Compact(&b, m); err != nil {
			panic(err)
		}
		lines = append(append(lines, b.Bytes()...), '\n')
	}
	return lines, string(info)
}

// marked returns a record with a word in the text of each turn.
func marked(v map[string]any, n *int) record {
	var words []string
	in := func(content any) any {
		next := func(text string) string {
			*n++
			words = append(words, fmt.Sprintf("word%05d.", *n))
			return text + " " + words[len(words)-1]
		}
		if text, ok := content.(string); ok && strings.TrimSpace(text) != "" {
			return next(text)
		}
		blocks, _ := content.([]any)
		for _, block := range blocks {
			b, _ := block.(map[string]any)
			kind, _ := b["type"].(string)
			if text, ok := b["text"].(string); ok && b["thought"] != true && strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "<system-reminder>") && slices.Contains([]string{"", "text", "input_text", "output_text"}, kind) {
				b["text"] = next(text)
				break
			}
		}
		return content
	}
	item := func(of any) {
		m, ok := of.(map[string]any)
		if role, _ := m["role"].(string); ok && m["type"] == "message" && (role == "user" || role == "assistant") {
			if blocks, ok := m["content"].([]any); ok && len(blocks) > 0 {
				if b, _ := blocks[0].(map[string]any); b != nil && isSummary(b["text"]) {
					return
				}
			}
			m["content"] = in(m["content"])
		}
	}
	gemini := func(of any) {
		if m, ok := of.(map[string]any); ok && (m["type"] == "user" || m["type"] == "gemini") {
			m["content"] = in(m["content"])
		}
	}
	payload, _ := v["payload"].(map[string]any)
	message, _ := v["message"].(map[string]any)
	attachment, _ := v["attachment"].(map[string]any)
	set, _ := v["$set"].(map[string]any)
	switch kind, _ := v["type"].(string); {
	case message != nil && (kind == "user" || kind == "assistant"):
		message["content"] = in(message["content"])
	case attachment["type"] == "queued_command":
		attachment["prompt"] = in(attachment["prompt"])
	case kind == "response_item":
		item(v["payload"])
	case kind == "compacted":
		turns, _ := payload["replacement_history"].([]any)
		for _, turn := range turns {
			item(turn)
		}
	case kind == "message":
		item(v)
	case kind == "user.message", kind == "assistant.message":
		data, _ := v["data"].(map[string]any)
		data["content"] = in(data["content"])
	case kind == "session.context_cleared":
		data, _ := v["data"].(map[string]any)
		if data["initialMessage"] != nil {
			data["initialMessage"] = in(data["initialMessage"])
		}
	case v["info"] != nil:
		v["parts"] = in(v["parts"])
	case set != nil:
		turns, _ := set["messages"].([]any)
		for _, turn := range turns {
			gemini(turn)
		}
	case v["id"] != nil:
		gemini(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // impossible: it was parsed
	}
	return record{string(text), words}
}

// isSummary reports whether a text is the summary of a compaction of Codex.
func isSummary(text any) bool {
	s, _ := text.(string)
	return strings.HasPrefix(s, "Another language model")
}

// edited returns a record with another link.
func edited(r *rand.Rand, one, other record) record {
	var v, o map[string]any
	if json.Unmarshal([]byte(one.text), &v) != nil || json.Unmarshal([]byte(other.text), &o) != nil {
		return one
	}
	switch r.IntN(6) {
	case 0:
		if _, ok := v["parentUuid"]; ok {
			v["parentUuid"] = "missing"
		}
	case 1:
		if _, ok := v["parentUuid"]; ok {
			v["parentUuid"] = nil
		}
	case 2:
		if id, ok := o["uuid"]; ok {
			v["parentUuid"] = id
		}
	case 3:
		for _, name := range []string{"uuid", "id"} {
			if id, ok := o[name]; ok && v[name] != nil {
				v[name] = id
			}
		}
	case 4:
		if v["uuid"] != nil {
			v["isSidechain"] = true
		}
	case 5:
		if delete(v, "uuid"); v["sessionId"] == nil {
			return one
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return record{string(text), one.words}
}

// extra returns a record of a compaction, a rollback, a rewind or a queued command for a session.
func extra(r *rand.Rand, all []record, n *int) record {
	pick := func(name string) (id string) {
		for range 20 {
			var v map[string]any
			if json.Unmarshal([]byte(all[r.IntN(len(all))].text), &v) == nil {
				if id, ok := v[name].(string); ok {
					return id
				}
			}
		}
		return "missing"
	}
	const at = `"timestamp":"2026-06-12T09:30:00.000Z"`
	*n++
	var text string
	switch whole := all[0].text + all[len(all)-1].text + all[len(all)/2].text; {
	case strings.Contains(whole, "projectHash") || strings.Contains(whole, "lastUpdated"):
		text = []string{
			fmt.Sprintf(`{"$rewindTo":%q}`, pick("id")),
			fmt.Sprintf(`{"$set":{"messages":[{"id":"s%d","type":"user","content":[{"text":"This is the summary."}]},{"id":"t%d","type":"gemini","content":"Got it."}]}}`, *n, *n),
		}[r.IntN(2)]
	case strings.Contains(whole, `"parentId"`):
		event := func(kind, data string) string {
			return fmt.Sprintf(`{"type":%q,"data":%s,"id":"x%d","parentId":"missing",%s}`, kind, data, *n, at)
		}
		text = []string{
			event("session.snapshot_rewind", fmt.Sprintf(`{"upToEventId":%q,"eventsRemoved":1}`, pick("id"))),
			event("session.compaction_start", "{}"),
			event("session.compaction_complete", `{"success":true,"summaryContent":"The summary."}`),
			event("session.context_cleared", []string{`{"messagesCleared":1}`, `{"messagesCleared":1,"initialMessage":"Sift it."}`}[r.IntN(2)]),
			event("user.message", `{"content":"Sift it.","parentToolCallId":"c"}`),
		}[r.IntN(5)]
	case strings.Contains(whole, `"parts":`):
		message := func(info, part string) string {
			return fmt.Sprintf(`{"info":{"id":"x%d",%s},"parts":[%s]}`, *n, info, part)
		}
		text = []string{
			message(`"role":"user"`, `{"type":"compaction","auto":true}`),
			message(fmt.Sprintf(`"role":"assistant","summary":true,"finish":"stop","parentID":"x%d"`, *n-1), `{"type":"text","text":"The summary."}`),
			message(`"role":"assistant","error":{"name":"APIError"}`, `{"type":"text","text":"It is"}`),
		}[r.IntN(3)]
	case strings.Contains(whole, `"payload"`):
		text = []string{
			fmt.Sprintf(`{%s,"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":%d}}`, at, r.IntN(4)),
			`{` + at + `,"type":"compacted","payload":{"message":"The summary."}}`,
			`{` + at + `,"type":"compacted","payload":{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Sift the flour."}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"It is sifted."}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"Another language model started to solve this problem and produced a summary of its thinking process. Done."}]}]}}`,
		}[r.IntN(3)]
	default:
		text = []string{
			fmt.Sprintf(`{"type":"system","subtype":"compact_boundary","uuid":"c%d","parentUuid":null,"logicalParentUuid":%q,"sessionId":"s",%s}`, *n, pick("uuid"), at),
			fmt.Sprintf(`{"type":"system","subtype":"compact_boundary","uuid":"c%d","parentUuid":%q,"sessionId":"s",%s}`, *n, pick("uuid"), at),
			fmt.Sprintf(`{"type":"user","isCompactSummary":true,"uuid":"c%d","parentUuid":%q,"sessionId":"s",%s,"message":{"role":"user","content":"The summary."}}`, *n, pick("uuid"), at),
			fmt.Sprintf(`{"type":"attachment","uuid":%q,"parentUuid":%q,"sessionId":"s",%s,"attachment":{"type":"queued_command","prompt":"Sweep the floor."}}`, []string{fmt.Sprintf("q%d", *n), pick("uuid")}[r.IntN(2)], pick("uuid"), at),
			fmt.Sprintf(`{"type":"system","subtype":"api_error","uuid":"e%d","parentUuid":%q,"sessionId":"s",%s}`, *n, pick("uuid"), at),
			fmt.Sprintf(`{"type":"user","isMeta":true,"uuid":"m%d","parentUuid":%q,"sessionId":"s",%s,"message":{"role":"user","content":"A note."}}`, *n, pick("uuid"), at),
			fmt.Sprintf(`{"type":"user","uuid":"i%d","parentUuid":%q,"sessionId":"s",%s,"message":{"role":"user","content":"<command-name>/clear</command-name>"}}`, *n, pick("uuid"), at),
		}[r.IntN(7)]
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	return marked(v, n)
}

// copilotSession returns a session of the Copilot CLI.
func copilotSession(r *rand.Rand) []byte {
	var b bytes.Buffer
	const at = `"timestamp":"2026-06-12T09:00:00.000Z"`
	b.WriteString(`{"type":"session.start","data":{"sessionId":"c","copilotVersion":"1.0.102"},"id":"e0","parentId":null,` + at + `}` + "\n")
	for i := range 2 + r.IntN(12) {
		fmt.Fprintf(&b, `{"type":"user.message","data":{"content":%q},"id":"u%d","parentId":"e0",%s}`+"\n", []string{"Grind it.", "And now?"}[r.IntN(2)], i, at)
		for j := range r.IntN(3) {
			fmt.Fprintf(&b, `{"type":"assistant.message","data":{"messageId":"m%d","content":"It is ground.","toolRequests":[]},"id":"a%d-%d","parentId":"e0",%s}`+"\n", i, i, j, at)
		}
		if r.IntN(3) == 0 {
			b.WriteString(`{"type":"assistant.turn_end","data":{"turnId":"0"},"id":"t","parentId":"e0",` + at + `}` + "\n")
		}
	}
	return b.Bytes()
}

// geminiSession returns a session of the Gemini CLI.
func geminiSession(r *rand.Rand) []byte {
	var b bytes.Buffer
	b.WriteString(`{"sessionId":"g","projectHash":"h","startTime":"2026-06-12T09:00:00.000Z"}` + "\n")
	for i := range 2 + r.IntN(12) {
		fmt.Fprintf(&b, `{"id":"u%d","timestamp":"2026-06-12T09:00:00.000Z","type":"user","content":[{"text":%q}]}`+"\n", i, []string{"Grind it.", "/help", "And now?"}[r.IntN(3)])
		for range r.IntN(3) {
			fmt.Fprintf(&b, `{"id":"a%d","timestamp":"2026-06-12T09:00:01.000Z","type":"gemini","content":"It is ground."}`+"\n", i)
		}
		b.WriteString(`{"$set":{"lastUpdated":"2026-06-12T09:00:01.000Z"}}` + "\n")
	}
	return b.Bytes()
}

// check returns the words that neither the conversation has nor an omission or a damage counts.
func (m *mutation) check(s *Session) (problems []string) {
	said := spokenText(s)
	left := map[int]int{}
	for _, o := range s.Omissions {
		if o.Turns != len(o.Lines) && len(o.Lines) < maxOmitted || !slices.IsSorted(o.Lines) {
			problems = append(problems, fmt.Sprintf("%s: %d turns in %d lines", o.Cause, o.Turns, len(o.Lines)))
		}
		for _, line := range o.Lines {
			left[line]++
		}
	}
	damaged := map[int]bool{}
	for _, d := range s.Damage {
		damaged[d.Line] = damaged[d.Line] || !strings.Contains(d.Problem, "begins here")
	}
	var missing []word
	for _, w := range m.words {
		switch {
		case strings.Contains(said, w.text):
			m.shown++
		case left[w.line] > 0:
			left[w.line]--
		case damaged[w.line]:
			m.excused++
		default:
			missing = append(missing, w)
		}
	}
	for _, w := range missing {
		isElsewhere := slices.ContainsFunc(m.words, func(o word) bool { return o.text == w.text && !slices.Contains(missing, o) })
		if !isElsewhere {
			problems = append(problems, fmt.Sprintf("line %d: %s is lost", w.line, w.text))
		}
	}
	return problems
}

// checkWhole is check for a session that is read with the turns before compactions, which no omission then counts.
func (m *mutation) checkWhole() []string {
	s, err := Read(bytes.NewReader(m.text), int64(len(m.text)), Options{BeforeCompaction: true})
	if err != nil {
		return []string{err.Error()}
	}
	counts := *m
	problems := counts.check(s)
	for _, o := range s.Omissions {
		if o.Cause == BeforeCompaction {
			problems = append(problems, fmt.Sprintf("%d turns before a compaction are left out, in lines %v", o.Turns, o.Lines))
		}
	}
	for i := range problems {
		problems[i] = "with the turns before compactions: " + problems[i]
	}
	return problems
}

// checkState returns the words of the conversation that the message lacks.
func (m *mutation) checkState(s *Session) (problems []string) {
	state, err := s.State(StateOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	said := spokenText(s)
	for _, w := range m.words {
		if strings.Contains(said, w.text) && !bytes.Contains(state.Text, []byte(w.text)) {
			problems = append(problems, fmt.Sprintf("line %d: %s is in the session, not in the message", w.line, w.text))
		}
	}
	for _, o := range s.Omissions {
		if want := fmt.Sprintf(`{"cause":%q,"turns":%d,"firstLine":%d}`, o.Cause, o.Turns, o.Lines[0]); !bytes.Contains(state.Text, []byte(want)) {
			problems = append(problems, "the message lacks "+want)
		}
	}
	return problems
}

// spokenText returns the texts of the turns of a session, and its summary.
func spokenText(s *Session) string {
	var said strings.Builder
	for _, turn := range s.Turns {
		said.WriteString(turn.Text + "\n")
	}
	return said.String() + s.Summary
}

var linter = validate.New(validate.Options{Formats: []format.Format{format.ClaudeCode, format.Codex, format.GeminiCLI, format.OpenCode, format.CopilotCLI}, Layers: []finding.Layer{finding.Lint}, Now: time.Now})

// checkConverted compares the conversation that convert reads with the one of the session: convert gives no
// turn that the session omits, and omits none that it has. Turns that no link reaches have a finding.
func (m *mutation) checkConverted(t *testing.T, s *Session) (problems []string) {
	raw := jsonstream.NewRaw(m.text)
	raw.Lines = m.about == ""
	doc, err := jsonstream.Parse(raw, jsonstream.Limits{})
	if err != nil {
		if s.Damaged == 0 && !m.damaged {
			return []string{err.Error()}
		}
		return nil // convert and validate report the line
	}
	h, err := history.Of(doc, format.Format(s.Agent), jsonstream.Limits{})
	if err != nil {
		return []string{err.Error()}
	}
	var said strings.Builder
	for _, turn := range h.Turns {
		said.Write(turn.Value.Raw())
	}
	ours := strings.TrimSuffix(spokenText(s), s.Summary)
	if s.Agent == OpenCode || s.Agent == CopilotCLI { // whose summary is a turn
		ours = spokenText(s)
	}
	for _, w := range m.words {
		if !strings.Contains(said.String(), w.text) && strings.Contains(ours, w.text) {
			problems = append(problems, fmt.Sprintf("line %d: %s is in the session, not in what convert reads", w.line, w.text))
		}
	}
	msg, err := message.ParseInPlace(raw, message.Options{})
	if err != nil {
		return append(problems, err.Error())
	}
	result, err := linter.Validate(context.Background(), msg)
	if err != nil {
		return append(problems, err.Error())
	}
	for _, o := range s.Omissions {
		if o.Cause == Unreachable && string(result.Format) == string(s.Agent) && !slices.ContainsFunc(result.Findings, func(f finding.Finding) bool { return f.Rule == "session/unreachable-turns" }) {
			problems = append(problems, fmt.Sprintf("no finding about %d turns that cannot be reached, in lines %v", o.Turns, o.Lines))
		}
	}
	return problems
}

// TestOmissions reads sessions with one cause each.
func TestOmissions(t *testing.T) {
	const (
		header = `{"sessionId":"g","projectHash":"h"}`
		first  = `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"One."}}`
		reply  = `{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","message":{"type":"message","id":"m1","role":"assistant","content":[{"type":"text","text":"Two."}]}}`
		codex  = `{"timestamp":"2026-06-12T09:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"One."}]}}`
	)
	says := func(id, text string) string {
		return fmt.Sprintf(`{"id":%q,"timestamp":"2026-06-12T09:00:00.000Z","type":"user","content":%q}`, id, text)
	}
	for _, tt := range []struct {
		name  string
		lines []string
		turns string
		omits string
	}{
		{"a message before the header", []string{says("a", "One."), header, says("b", "Two.")}, "One. Two.", ""},
		{"two messages on a line", []string{header, says("a", "One.") + says("b", "Two.")}, "One. Two.", ""},
		{"part of a message before another", []string{header, says("a", "One.")[:20] + says("b", "Two.")}, "Two.", ""},
		{"a rewind", []string{header, says("a", "One."), says("b", "Two."), `{"$rewindTo":"b"}`}, "One.", "rolled-back 1 [3]"},
		{"a message again", []string{header, says("a", "One."), says("a", "One.")}, "One.", ""},
		{"another message with the id", []string{header, says("a", "One."), says("a", "Two.")}, "Two.", "replaced 1 [2]"},
		{"a compression", []string{header, says("a", "One."), says("b", "Two."), `{"$set":{"messages":[` + says("c", "Two.") + `]}}`}, "Two.", "before-compaction 1 [2]"},
		{"a command", []string{header, says("a", "/help"), says("b", "Two.")}, "Two.", "by-program 1 [2]"},
		{"a cut line before a session", []string{`{"type":"user","mess` + strings.Replace(reply, `{"type":"assistant","uuid":"a1"`, ``, 1), first}, "One.", ""},
		{"no uuids", []string{strings.Replace(first, `"uuid":"u1",`, "", 1), strings.Replace(reply, `"uuid":"a1",`, "", 1)}, "One. Two.", ""},
		{"a turn without a uuid", []string{strings.Replace(first, `"uuid":"u1",`, "", 1), reply}, "Two.", "unreachable 1 [1]"},
		{"a line of another agent", []string{first, reply, codex}, "One. Two.", "other-agent 1 [3]"},
		{"a branch", []string{first, reply, strings.NewReplacer("a1", "a2", "m1", "m2", "Two.", "Three.").Replace(reply)}, "One. Three.", "other-branch 1 [2]"},
		{"a sub-agent", []string{first, strings.Replace(first, `"uuid":"u1"`, `"uuid":"u2","isSidechain":true`, 1), reply}, "One. Two.", "sub-agent 1 [2]"},
		{"each of two branches without a parent before the other", []string{
			strings.NewReplacer(`"u1"`, `"b2"`, "null", `"b1"`).Replace(first), strings.NewReplacer(`"u1"`, `"a1"`, "null", `"x"`, "One.", "Two.").Replace(first),
			strings.NewReplacer(`"u1"`, `"b1"`, "null", `"y"`, "One.", "Three.").Replace(first), strings.NewReplacer(`"u1"`, `"a2"`, "null", `"a1"`, "One.", "Four.").Replace(first),
		}, "Two. Four.", "unreachable 2 [1 3]"},
		{"a rollback", []string{codex, strings.Replace(codex, "One.", "Two.", 1), `{"timestamp":"2026-06-12T09:00:00.000Z","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}`}, "One.", "rolled-back 1 [2]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Join(tt.lines, "\n")
			s, err := Read(strings.NewReader(text), int64(len(text)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(strings.Fields(spokenText(s)), " "); got != tt.turns {
				t.Errorf("turns %q, want %q", got, tt.turns)
			}
			omits := ""
			for _, o := range s.Omissions {
				omits += fmt.Sprintf("%s %d %v", o.Cause, o.Turns, o.Lines)
			}
			if omits != tt.omits {
				t.Errorf("omissions %q, want %q", omits, tt.omits)
			}
		})
	}
}
