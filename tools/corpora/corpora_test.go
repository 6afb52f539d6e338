package main

import (
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
