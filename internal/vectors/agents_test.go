package vectors

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/sessiontest"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/session"
	suite "github.com/eaapl/handoff/vectors"
)

var (
	sessionCount = flag.Int("sessions", 0, "how many sessions of each agent TestAgents makes up; 0 for the number of the tier")
	firstSession = flag.Int("first", 0, "the seed of the first of them")
)

// agents are the agents with the adapters that read their sessions. The programs of most are large, so the first tier
// asks only one.
var agents = []struct {
	agent   session.Agent
	adapter string
	sample  int // in the first tier
}{
	{session.ClaudeCode, "claude-agent-sdk", 40},
	{session.Codex, "codex", 0},
	{session.GeminiCLI, "gemini-cli-core", 0},
	{session.OpenCode, "opencode", 0},
	{session.CopilotCLI, "copilot-cli", 0},
}

// TestAgents makes up sessions of each agent with all types of records, and compares the conversation with the one
// that the agent's own program goes on with.
func TestAgents(t *testing.T) {
	for _, a := range agents {
		t.Run(string(a.agent), func(t *testing.T) {
			askAgent(t, a.agent, a.adapter, tier.Count(a.sample, 500), func(seed int) string { return sessiontest.Make(a.agent, seed) })
		})
	}
}

// TestContinued is like TestAgents, for converted sessions of the other agents.
func TestContinued(t *testing.T) {
	for _, a := range agents {
		others := slices.DeleteFunc(session.Agents(), func(other session.Agent) bool { return other == a.agent })
		t.Run(string(a.agent), func(t *testing.T) {
			askAgent(t, a.agent, a.adapter, tier.Count(a.sample, 100), func(seed int) string {
				return converted(t, others[seed%len(others)], a.agent, seed)
			})
		})
	}
}

// converted makes up a session, and converts it to one of another agent.
func converted(t *testing.T, from, to session.Agent, seed int) string {
	t.Helper()
	text := sessiontest.Make(from, seed)
	undamaged, err := session.Undamaged(strings.NewReader(text), int64(len(text)), from, jsonstream.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	parse := jsonstream.ParseLines
	if from == session.OpenCode {
		parse = jsonstream.Parse
	}
	doc, err := parse(jsonstream.NewRaw(undamaged), jsonstream.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	r, err := convert.Checked(t.Context(), doc, format.Format(to), convert.Options{Lenient: true}, jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("session %d of %s: %v", seed, from, err)
	}
	return string(r.Text)
}

// askAgent compares the turns that an agent's program reads in sessions with ours.
func askAgent(t *testing.T, agent session.Agent, adapter string, count int, makeSession func(seed int) string) {
	if *sessionCount > 0 {
		count = *sessionCount
	}
	if count == 0 {
		t.Skip("the agent's program is large: set FULL_TESTS=1")
	}
	ask := &Runner{Children: &child.Set{}, Program: child.Options{Command: oracle.Adapter(t, adapter), Inherit: true, Stderr: func(string) {}}, Timeout: 2 * time.Minute}
	defer ask.Close()
	asked, turns, refused := 0, 0, 0
	for seed := *firstSession; seed < *firstSession+count; seed++ {
		text := makeSession(seed)
		if agent == session.CopilotCLI && len(text) > 400_000 {
			continue // it leaves out the first turns of such a session, so that the others fit into its context
		}
		asked++
		q := Request{ID: fmt.Sprint(seed), Operation: suite.ReadSession, Input: suite.Input{Agent: string(agent), Session: suite.Lines(text)}}
		theirs, err := ask.ask(t.Context(), q)
		if err != nil {
			t.Fatalf("session %d: %v", seed, err)
		}
		ours, err := answer(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if theirs.Verdict != suite.Valid {
			refused++
		}
		want, problem := agreement(theirs, ours)
		turns += want
		if problem != "" {
			t.Errorf("session %d: %.300s", seed, problem)
			if dir := os.Getenv("DIFFERENT"); dir != "" {
				_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", agent, seed)), []byte(text), 0o600)
				_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.txt", agent, seed)), []byte(problem+"\n"+turnList(theirs)+"\n---\n"+turnList(ours)), 0o600)
			}
		}
	}
	t.Logf("%d of %d sessions, %d turns, %d sessions without a conversation", asked, count, turns, refused)
	if turns < 3*count || refused*10 > asked || asked*2 < count {
		t.Errorf("only %d turns in %d of %d sessions, of which %d have no conversation", turns, asked, count, refused)
	}
}

// turnList returns the turns of an answer, one on each line.
func turnList(a Answer) string {
	turns, err := readTurns(a.Output)
	if err != nil {
		return string(a.Verdict) + " " + err.Error()
	}
	var lines []string
	for _, t := range turns {
		result := "none"
		if t.Result != nil {
			result = fmt.Sprintf("%.100q %d", *t.Result, len(*t.Result))
		}
		if t.Tool != "" {
			lines = append(lines, fmt.Sprintf("%s %s -> %s", t.Tool, t.Input, result))
		} else {
			lines = append(lines, fmt.Sprintf("%s: %.300q", t.Role, t.Text))
		}
	}
	return strings.Join(lines, "\n")
}

// ended are the results that agents give to calls that have none.
var ended = []string{"aborted", "The execution of this tool, or a previous tool was interrupted.", "[Tool execution was interrupted]"}

// interrupted is the beginning of the result that the Copilot CLI gives to a call that has none.
const interrupted = "Tool execution was interrupted before a result was recorded."

// cleared is the result that OpenCode sends in the place of an old one.
const cleared = "[Old tool result content cleared]"

var shortened = regexp.MustCompile(`…\d+ (tokens|chars) truncated…`)

// knownResult returns the result of a call that an agent sends, without its own changes: nil for a call that it
// declares to have ended, and the result in got for one that it shortens or leaves out.
func knownResult(sent suite.Turn, got []suite.Turn) *string {
	if sent.Result == nil || slices.Contains(ended, *sent.Result) || strings.HasPrefix(*sent.Result, interrupted) {
		return nil
	}
	parts := shortened.Split(*sent.Result, -1)
	for _, t := range got {
		if t.Result == nil || t.Tool != sent.Tool || !sameInput(t.Input, sent.Input) {
			continue
		}
		isShortened := len(parts) == 2 && strings.HasPrefix(squeezed(*t.Result), squeezed(parts[0])) && strings.HasSuffix(squeezed(*t.Result), squeezed(parts[1]))
		if isShortened || *sent.Result == cleared {
			return t.Result
		}
	}
	return sent.Result
}

var (
	summarySays = regexp.MustCompile(`Summary \d+\.`)
	noteSays    = regexp.MustCompile(`\[[^\]]*\]|Attached image|\w+\.png`) // on an image or a file
	joined      = regexp.MustCompile(`(\.|[0-9])([A-Z]|$)`)                // the texts of a turn, which some agents join
)

// agreement returns the number of turns in the agent's answer, and how ours differs, "" for no difference.
func agreement(theirs, ours Answer) (count int, problem string) {
	if theirs.Verdict != suite.Valid { // no turn, or no session
		turns, _ := readTurns(ours.Output)
		if len(turns) > 0 {
			return 0, fmt.Sprintf("the agent finds no conversation (%s), we find %d turns", theirs.Comment, len(turns))
		}
		return 0, ""
	}
	if ours.Verdict != suite.Valid {
		return 0, "we find no session: " + ours.Comment
	}
	want, err := readTurns(theirs.Output)
	if err != nil {
		return 0, err.Error()
	}
	got, err := readTurns(ours.Output)
	if err != nil {
		return 0, err.Error()
	}
	want = slices.DeleteFunc(want, func(t suite.Turn) bool { // OpenCode runs a requested subtask before it goes on
		return t.Tool == "task" && t.Result != nil && strings.HasPrefix(*t.Result, `<task id="ses_`)
	})
	for i := range want {
		want[i].Result = knownResult(want[i], got)
	}
	want, wantSummaries := plain(want)
	got, gotSummaries := plain(got)
	if !slices.Equal(wantSummaries, gotSummaries) {
		return len(want), fmt.Sprintf("the agent has the summaries %q, we have %q", wantSummaries, gotSummaries)
	}
	return len(want), turnsProblem(suite.Expected{Turns: want}, got)
}

// plain returns turns without summaries, notes on images, and texts that the agent's program wrote in the user's name.
func plain(all []suite.Turn) (turns []suite.Turn, summaries []string) {
	for _, t := range all {
		if found := summarySays.FindAllString(t.Text, -1); found != nil {
			summaries = append(summaries, found...)
			paragraphs := slices.DeleteFunc(strings.Split(t.Text, "\n\n"), summarySays.MatchString)
			t.Text = strings.Join(paragraphs, "\n\n")
			if t.Role == "user" {
				continue // all of it is about the summary
			}
		}
		t.Text = strings.TrimSpace(joined.ReplaceAllString(noteSays.ReplaceAllString(t.Text, ""), "$1 $2"))
		if t.Result != nil {
			text := noteSays.ReplaceAllString(*t.Result, "")
			t.Result = &text
		}
		if t.Role == "user" && (strings.HasPrefix(t.Text, "<") || strings.HasPrefix(t.Text, "Note ")) {
			continue
		}
		if t.Text != "" || t.Tool != "" || t.Result != nil {
			turns = append(turns, t)
		}
	}
	return turns, summaries
}
