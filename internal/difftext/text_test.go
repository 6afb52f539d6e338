package difftext

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parseText(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// A change is an edit by its pointers in both documents; "-" if it has none.
type change struct {
	from, to string
	inside   *diff.Edit
	same     bool // of Inside
}

// editOf builds the edit of two documents from its leaves. Leaves below another one moved with
// it.
func editOf(t testing.TB, a, b *jsonstream.Document, changes ...change) *diff.Edit {
	t.Helper()
	nodes := map[string]*diff.Edit{}
	var node func(from, to string) *diff.Edit
	node = func(from, to string) *diff.Edit {
		key := "+" + to
		e := &diff.Edit{Kind: diff.Changed}
		switch {
		case to == "-":
			key, e.Kind = "-"+from, diff.Removed
		case from == "-":
			e.Kind = diff.Added
		}
		if nodes[key] != nil {
			return nodes[key]
		}
		nodes[key] = e
		if from != "-" {
			e.Old = a.Root().At(from)
		}
		if to != "-" {
			e.New = b.Root().At(to)
		}
		if e.Old.Exists() != (from != "-") || e.New.Exists() != (to != "-") {
			t.Fatalf("%s, %s: no such value", from, to)
		}
		if key != "+" {
			above := func(p, other string) string {
				if p == "-" {
					p = other
				}
				return p[:strings.LastIndexByte(p, '/')]
			}
			parent := node(above(from, to), above(to, from))
			parent.Edits = append(parent.Edits, e)
		}
		return e
	}
	root := node("", "")
	for _, c := range changes {
		e := node(c.from, c.to)
		e.Inside, e.SameInside = c.inside, c.same
		if e.Kind == diff.Changed && e.Old.Index() != e.New.Index() {
			e.Kind = diff.Moved
		}
	}
	return root
}

func showDiff(t testing.TB, columns int, colors bool, o Options, heading string, a, b *jsonstream.Document, e *diff.Edit) string {
	t.Helper()
	var out bytes.Buffer
	if err := newPrinter(&out, columns, term.NewPalette(colors), o).show(heading, a, b, e); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestDiffText(t *testing.T) {
	long := strings.Repeat("one two three four five ", 20)
	inner := func(a, b string, changes ...change) *diff.Edit {
		return editOf(t, parseText(t, a), parseText(t, b), changes...)
	}
	tests := []struct {
		name    string
		a, b    string
		changes []change
		options Options
		want    string
	}{
		{
			name:    "members, with their own groups",
			a:       `{"x":1,"gone":[1, 2],"o":{"p":"a","q":{"r":null}}}`,
			b:       `{"x":1.50,"o":{"p":"b","q":{"r":false,"s":{}}},"come":"c"}`,
			changes: []change{{from: "/x", to: "/x"}, {from: "/gone", to: "-"}, {from: "/o/p", to: "/o/p"}, {from: "/o/q/r", to: "/o/q/r"}, {from: "-", to: "/o/q/s"}, {from: "-", to: "/come"}},
			want: `x
  - 1
  + 1.50
gone
  - [1,2]
o  1 added, 2 changed
    /o/p
      - "a"
      + "b"
    /o/q/r
      - null
      + false
  + /o/q/s  {}
come
  + "c"
`,
		},
		{
			name:    "elements: moved, changed while they moved, removed, unchanged",
			a:       `{"list":[{"id":1,"n":"x"},2,3,4]}`,
			b:       `{"list":[3,4,{"id":1,"n":"y"}]}`,
			changes: []change{{from: "/list/0", to: "/list/2"}, {from: "/list/0/n", to: "/list/2/n"}, {from: "/list/1", to: "-"}},
			want: `list  1 removed, 1 changed, 1 moved
  ~ /list/2 moved from /list/0
    /list/2/n
      - "x"
      + "y"
  - /list/1  2
  … 2 elements unchanged
`,
		},
		{
			name:    "a document that is an array",
			a:       `[1,2,3]`,
			b:       `[1,2]`,
			changes: []change{{from: "/2", to: "-"}},
			want:    "(document)  1 removed\n  - /2  3\n  … 2 elements unchanged\n",
		},
		{
			name:    "a document of another kind",
			a:       `[1]`,
			b:       `"1"`,
			changes: nil,
			want:    "(document)\n  - [1]\n  + \"1\"\n",
		},
		{
			name:    "text that would steer the terminal",
			a:       `{"\u001b[2J":"\u001b[31m"}`,
			b:       `{"\u001b[2J":"\\u001b[31m \u202e"}`,
			changes: []change{{from: "/\x1b[2J", to: "/\x1b[2J"}},
			want:    "\\x1b[2J\n  - \"\\x1b[31m\"\n  + \"\\\\u001b[31m \\u202e\"\n",
		},
		{
			name:    "a value too long for a line",
			a:       `{"o":{}}`,
			b:       `{"o":{"a":` + `"` + long + `"}}`,
			changes: []change{{from: "-", to: "/o/a"}},
			want:    "o  1 added\n  + /o/a  \"one two three four five one two three four five one two t … 482 bytes\n",
		},
		{
			name:    "a pointer too long for its value",
			a:       `{"o":{}}`,
			b:       `{"o":{"` + strings.Repeat("name", 15) + `":"value of some length"}}`,
			changes: []change{{from: "-", to: "/o/" + strings.Repeat("name", 15)}},
			want:    "o  1 added\n  + /o/" + strings.Repeat("name", 15) + "\n      \"value of some length\"\n",
		},
		{
			name:    "a pointer too long for anything",
			a:       `{"o":{"` + strings.Repeat("name", 1000) + `":[1]}}`,
			b:       `{"o":{"` + strings.Repeat("name", 1000) + `":[2]}}`,
			changes: []change{{from: "/o/" + strings.Repeat("name", 1000) + "/0", to: "/o/" + strings.Repeat("name", 1000) + "/0"}},
			want:    "o  1 changed\n    …/0\n      - 1\n      + 2\n",
		},
		{
			name:    "words of a long string",
			a:       `{"s":"` + long + `the vendor may not terminate. ` + long + `"}`,
			b:       `{"s":"` + long + `the vendor may always terminate. ` + long + `"}`,
			changes: []change{{from: "/s", to: "/s"}},
			want: `s
  … 95 words … one two three four five the vendor may [-not-]{+always+}
  terminate. one two three four five one two … 93 words …
`,
		},
		{
			name:    "another text",
			a:       `{"s":"` + long + `"}`,
			b:       `{"s":"` + strings.Repeat("six ", 100) + `"}`,
			changes: []change{{from: "/s", to: "/s"}},
			want: `s
  "[-one two three four five one two three four five one two three four five one
  two three four five one two three four five one two three four five
  … 60 words … one two three four five one two three four five-]{+six six six
  six six six six six six six six six six six six six six six six six six six
  six six six six six six six six … 60 words … six six six six six six six six
  six six+} "
`,
		},
		{
			name:    "nothing folded or cut",
			a:       `{"s":"` + long[:96] + `end","gone":["` + long + `"]}`,
			b:       `{"s":"` + long[:96] + `END"}`,
			changes: []change{{from: "/s", to: "/s"}, {from: "/gone", to: "-"}},
			options: Options{Full: true},
			want: `s
  "one two three four five one two three four five one two three four five one
  two three four five [-end-]{+END+}"
gone
  - ["` + long + `"]
`,
		},
		{
			name:    "strings that hold JSON",
			a:       `{"call":{"arguments":"{\"q\": [1, 2]}"},"raw":"[1]"}`,
			b:       `{"call":{"arguments":"{\"q\": [1, 3], \"r\": null}"},"raw":"[ 1.0 ]"}`,
			changes: []change{{from: "/call/arguments", to: "/call/arguments", inside: inner(`{"q": [1, 2]}`, `{"q": [1, 3], "r": null}`, change{from: "/q/1", to: "/q/1"}, change{from: "-", to: "/r"})}, {from: "/raw", to: "/raw", same: true}},
			want: `call  1 changed
    /call/arguments  contains JSON: 1 added, 1 changed
    /call/arguments » /q/1
      - 2
      + 3
  + /call/arguments » /r  null
raw  the same JSON, written differently
  - "[1]"
  + "[ 1.0 ]"
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parseText(t, tt.a), parseText(t, tt.b)
			if diff := cmp.Diff(tt.want, showDiff(t, 80, false, tt.options, "", a, b, editOf(t, a, b, tt.changes...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

var errDisk = errors.New("disk full")

func TestDiffTextEnds(t *testing.T) {
	a, b := parseText(t, `{"x":1}`), parseText(t, `{"x":2}`)
	if got := showDiff(t, 80, false, Options{}, "a.json", a, a, nil); got != "" {
		t.Errorf("for no difference: %q", got)
	}
	e := editOf(t, a, b, change{from: "/x", to: "/x"})
	if got, want := showDiff(t, 80, false, Options{}, "a\x1b.json", a, b, e), "a\\x1b.json\nx\n  - 1\n  + 2\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	failing := writerFunc(func([]byte) (int, error) { return 0, errDisk })
	if err := newPrinter(failing, 80, term.NewPalette(false), Options{}).show("", a, b, e); !errors.Is(err, errDisk) {
		t.Errorf("error %v, want %v", err, errDisk)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

const handed = `{
"schemaVersion":"2.0","handoffId":"8c1f8e2c-58c5-4a40-9c56-0d2f5b0d9a11","taskId":"t",
"fromAgent":{"agentId":"legal"},"toAgent":{"agentType":"risk"},
"completedSubtasks":[{"subtaskId":"s1","result":1}],
"remainingSubtasks":[{"subtaskId":"s2"},{"subtaskId":"s3"},{"subtaskId":"s4"}],
"constraints":["a"],
"costTracking":{"costBudgetRemainingUSD":0.50,"tokenSpent":{"prompt":4200,"completion":1800}},
"conversationHistoryVerbatim":[{"role":"user","content":"Look"},{"role":"assistant","content":"I did"}],
"signature":"hmac-sha256:0"}`

const answered = `{
"schemaVersion":"2.0","handoffId":"8c1f8e2c-58c5-4a40-9c56-0d2f5b0d9a11","taskId":"t",
"fromAgent":{"agentId":"legal"},"toAgent":{"agentType":"risk"},
"completedSubtasks":[{"subtaskId":"s1","result":1},{"subtaskId":"s2"},{"subtaskId":"s3"}],
"remainingSubtasks":[],
"constraints":["a"],
"costTracking":{"costBudgetRemainingUSD":0.08,"tokenSpent":{"prompt":7300,"completion":1814}},
"conversationHistoryVerbatim":[{"role":"user","content":"Look"},{"role":"assistant","content":"I did"},
{"role":"user","content":[{"type":"text","text":"Then\nlook again, at all of the clauses that are about liability, and at their limits"}]},{"type":"message","content":""}],
"signature":"hmac-sha256:0"}`

var answeringTurns = []change{
	{from: "-", to: "/completedSubtasks/1"}, {from: "-", to: "/completedSubtasks/2"},
	{from: "/remainingSubtasks/0", to: "-"}, {from: "/remainingSubtasks/1", to: "-"}, {from: "/remainingSubtasks/2", to: "-"},
	{from: "/costTracking/costBudgetRemainingUSD", to: "/costTracking/costBudgetRemainingUSD"},
	{from: "/costTracking/tokenSpent/prompt", to: "/costTracking/tokenSpent/prompt"},
	{from: "/costTracking/tokenSpent/completion", to: "/costTracking/tokenSpent/completion"},
	{from: "-", to: "/conversationHistoryVerbatim/2"}, {from: "-", to: "/conversationHistoryVerbatim/3"},
}

func TestDiffMessage(t *testing.T) {
	a, b := parseText(t, handed), parseText(t, answered)
	want := `2 subtasks completed, 1 lost, 2 turns added, +3,114 tokens, budget −0.42 USD, signature no longer covers this

completedSubtasks  2 added
  + /completedSubtasks/1  {"subtaskId":"s2"}
  + /completedSubtasks/2  {"subtaskId":"s3"}
  … 1 element unchanged
remainingSubtasks  3 removed
  - /remainingSubtasks/0  {"subtaskId":"s2"}
  - /remainingSubtasks/1  {"subtaskId":"s3"}
  - /remainingSubtasks/2  {"subtaskId":"s4"}
costTracking  3 changed
    /costTracking/costBudgetRemainingUSD
      - 0.50
      + 0.08
    /costTracking/tokenSpent/prompt
      - 4200
      + 7300
    /costTracking/tokenSpent/completion
      - 1800
      + 1814
conversationHistoryVerbatim  2 added
  + /conversationHistoryVerbatim/2  user: Then look again, at all of  … 90 bytes
  + /conversationHistoryVerbatim/3  {"type":"message","content":""}
  … 2 turns unchanged
`
	if diff := cmp.Diff(want, showDiff(t, 80, false, Options{}, "", a, b, editOf(t, a, b, answeringTurns...))); diff != "" {
		t.Error(diff)
	}
}

func TestMeaningWords(t *testing.T) {
	route := format.Change{Was: []string{"a", "b"}, Is: []string{"b\x1b", ""}}
	tests := []struct {
		changes []format.Change
		want    string
	}{
		{nil, ""},
		{[]format.Change{{Text: "another task"}, route}, "another task, b\\x1b → ? (was a → b)"},
		{[]format.Change{{Was: []string{"?"}, Is: []string{"A, B"}}}, "A, B (was ?)"},
		{[]format.Change{{Noun: "subtask", Count: 1, Became: "lost"}, {Noun: "subtask", Count: 2, Became: "reopened"}, {Noun: "result", Count: 1, Became: "changed"}},
			"1 subtask lost, 2 reopened, 1 result changed"},
		{[]format.Change{{Noun: "turn", Count: 1200, Became: "added"}}, "1,200 turns added"},
		{[]format.Change{{Text: "% token", By: "-1"}, {Text: "budget % USD", By: "1234567.05"}}, "−1 token, budget +1,234,567.05 USD"},
		{[]format.Change{{Text: "% tokens", By: "12345678901234567890"}}, "+12345678901234567890 tokens"},
	}
	d := newPrinter(nil, 80, term.NewPalette(false), Options{})
	for _, tt := range tests {
		if got := d.meaning(tt.changes); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.changes, got, tt.want)
		}
	}
}

// A bar is never longer than the line, however many edits there are.
func TestDiffStatMany(t *testing.T) {
	a := parseText(t, `{"many":[`+strings.Repeat("0,", 999)+`0],"one":0}`)
	b := parseText(t, `{"many":[`+strings.Repeat("1,", 999)+`1],"one":1}`)
	changes := []change{{from: "/one", to: "/one"}}
	for i := range 1000 {
		at := "/many/" + strconv.Itoa(i)
		changes = append(changes, change{from: at, to: at})
	}
	want := "one                    ~1         ~\n" +
		"many                ~1.0k         " + strings.Repeat("~", 43) + "\n2 members: 1,001 changed\n"
	if diff := cmp.Diff(want, showDiff(t, 80, false, Options{Stat: true}, "", a, b, editOf(t, a, b, changes...))); diff != "" {
		t.Error(diff)
	}
}

func TestDiffStat(t *testing.T) {
	a, b := parseText(t, handed), parseText(t, answered)
	want := `2 subtasks completed, 1 lost, 2 turns added, +3,114 tokens, budget −0.42 USD, signature no longer covers this

completedSubtasks               +2                       ++
remainingSubtasks                      −3                −−−
costTracking                                  ~3         ~~~
conversationHistoryVerbatim     +2                       ++
4 members: 4 added, 3 removed, 3 changed
`
	if diff := cmp.Diff(want, showDiff(t, 80, false, Options{Stat: true}, "", a, b, editOf(t, a, b, answeringTurns...))); diff != "" {
		t.Error(diff)
	}
}

// Colours replace the marks around words.
func TestDiffColors(t *testing.T) {
	long := strings.Repeat("word ", 20)
	a, b := parseText(t, `{"n":1,"s":"`+long+`was`+`","gone":0}`), parseText(t, `{"n":2,"s":"`+long+`is`+`"}`)
	want := "\x1b[1mn\x1b[22m\n  \x1b[31m- \x1b[0m\x1b[31m1\x1b[0m\n  \x1b[32m+ \x1b[0m\x1b[32m2\x1b[0m\n" +
		"\x1b[1ms\x1b[22m\n  \x1b[2m… 12 words … \x1b[22mword word word word word word word word \x1b[31;9mwas\x1b[0;29m\x1b[32mis\x1b[0m\"\n" +
		"\x1b[1mgone\x1b[22m\n  \x1b[31m-\x1b[0m \x1b[31m0\x1b[0m\n"
	if diff := cmp.Diff(want, showDiff(t, 80, true, Options{}, "", a, b, editOf(t, a, b, change{from: "/n", to: "/n"}, change{from: "/s", to: "/s"}, change{from: "/gone", to: "-"}))); diff != "" {
		t.Error(diff)
	}
}
