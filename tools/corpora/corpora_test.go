package main

import (
	"strconv"
	"strings"
	"testing"
)

func TestHolds(t *testing.T) {
	tests := []struct {
		name, text, value string
		want              bool
	}{
		{"case", "The Hotpot is expensive.", "the hotpot", true},
		{"space before a unit", "at 7 pm, please", "7pm", true},
		{"no space before a unit", "at 7pm", "7 pm", true},
		{"thousands", "it has 1,200 pages", "1200", true},
		{"other digits", "الساعة ٧", "7", true},
		{"fullwidth digits", "１２０円", "120", true},
		{"underscores", "the_hotpot is good", "the hotpot", true},
		{"part of a word", "the party is on", "art", false},
		{"part of a number", "room 1200", "120", false},
		{"Chinese has no spaces", "我想去天平山景区玩", "天平山 景区", true},
		{"Korean endings", "서울에서 출발", "서울", true},
		{"Hindi words", "मुझे सस्ता खाना चाहिए", "सस्ता", true},
		{"nothing", "text", "", false},
	}
	for _, test := range tests {
		if got := holds(normal(test.text), normal(test.value)); got != test.want {
			t.Errorf("%s: %q in %q: %v, want %v", test.name, test.value, test.text, got, test.want)
		}
	}
}

func TestSettle(t *testing.T) {
	c := &conversation{id: "1"}
	c.say("user", "Two tickets for Friday at 7 pm.")
	c.use("book", map[string]string{"day": "Friday"}, `{"code":"XK4"}`)
	for _, value := range []string{"Friday", "friday", "7pm", "XK4", "Monday", "yes"} {
		c.label("slot", value)
	}
	c.settle()
	var kept []string
	for _, f := range c.facts {
		kept = append(kept, f.Value)
	}
	if got, want := strings.Join(kept, " "), "Friday 7pm XK4"; got != want {
		t.Errorf("facts %q, want %q", got, want)
	}
}

func TestChoices(t *testing.T) {
	text := "The cat sat on the mat. The cat saw the mat!\nA dog barked? 猫在这里。狗也在。"
	all := sentences(text)
	if len(all) != 5 {
		t.Fatalf("sentences %q", all)
	}
	if got := lexRank(all, 25); !strings.HasPrefix(got, "The cat") {
		t.Errorf("LexRank chose %q", got)
	}
	if got := randomSentences(all, 30, 1); len(got) > 30 || got == "" || got != randomSentences(all, 30, 1) {
		t.Errorf("chance chose %q", got)
	}
}

func TestRealUse(t *testing.T) {
	for name, c := range map[string]struct{ kind, lines, arguments, result string }{
		"a command":           {"shell", "<summary>Tool use: **Bash**</summary>\nList `x`\n\n`ls | wc`\n\n```text\n1\n```\n</details>", `{"command":"ls | wc"}`, "1"},
		"in the summary":      {"shell", "<details><summary>Tool use: **exec** `ls`</summary>\n```\n1\n```", `{"command":"ls"}`, "1"},
		"of several lines":    {"shell", "\n```bash\nls\npwd\n```\n\n```text\n1\n```", `{"command":"ls\npwd"}`, "1"},
		"a path in a result":  {"write", "\n```go\npackage x\n```\n\n```text\nFile created successfully at: /a/x.go\n```", `{"file_path":"/a/x.go"}`, "File created successfully at: /a/x.go"},
		"a path of a patch":   {"write", "**Update: `a/x.md`**\n\n```diff\n+x\n```", `{"file_path":"a/x.md"}`, "+x"},
		"a path of an action": {"write", "<details><summary>Tool use: **edit** • Edit file: a/x.go</summary>\n\n```diff\n+x\n```", `{"file_path":"a/x.go"}`, "+x"},
		"no path":             {"write", "\n```\nok\n```", `{}`, "ok"},
	} {
		got := realUseOf(c.kind, strings.Split(c.lines, "\n"))
		if arguments := compact(got.arguments); arguments != c.arguments || strings.TrimSpace(got.result) != c.result {
			t.Errorf("%s: got %s and %q, want %s and %q", name, arguments, got.result, c.arguments, c.result)
		}
	}
}

// TestPlant checks that a planted claim is found again, and that the variants depend only on the conversation.
func TestPlant(t *testing.T) {
	c := &conversation{id: "1"}
	c.say("user", "Go.")
	c.useLogged("Edit", nil, "ok", &realUse{map[string]string{"file_path": "/a/x.go"}, "ok"})
	c.say("assistant", "<think>Updated y.go.</think>Updated `x.go`.")
	set := &corpus{name: "x"}
	all := set.variants(c)
	if want := 1 + 2*len(plantings) + 1; len(all) != want || compact(all[3].turns) != compact(set.variants(c)[3].turns) {
		t.Fatalf("got %d variants, want the same %d twice", len(all), want)
	}
	if removed := all[len(all)-1]; removed.claim != "x.go" || len(removed.turns) != 2 || removed.turns[1].Content != "Updated `x.go`." {
		t.Errorf("without the call: %+v", removed)
	}
	lie := all[3]
	found := []foundClaim{{lie.kind, "contradicted", lie.claim, "", "/0/content"}, {lie.kind, "shown", lie.claim, "", "/" + strconv.Itoa(len(lie.turns)-1) + "/content"}}
	if got := lie.verdict(found); got != "shown" {
		t.Errorf("the verdict is %q, want that in the last turn", got)
	}
}

func TestTable(t *testing.T) {
	names, held := map[string]bool{}, map[string]bool{}
	for _, c := range corpora {
		if names[c.name] || len(c.commit) != 40 || tasks[c.kind] == "" {
			t.Errorf("%s: name used twice, or no commit or kind", c.name)
		}
		names[c.name] = true
		source := c.kind + " " + c.repository
		if before, seen := held[source]; seen && before != c.held {
			t.Errorf("%s: a part of %s is held back", c.name, c.repository)
		}
		held[source] = c.held
	}
	for kind := range tasks {
		all, back := 0, 0
		for source, h := range held {
			if strings.HasPrefix(source, kind+" ") {
				all++
				if h {
					back++
				}
			}
		}
		if back == 0 || 3*back < all {
			t.Errorf("%s: %d of %d sources are held back", kind, back, all)
		}
	}
}
