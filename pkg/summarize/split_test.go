package summarize

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{name: "sentences", in: "We took it. It is cheap! Why not B?", want: []string{"We took it.", "It is cheap!", "Why not B?"}},
		{name: "full stops inside", in: "Version 2.1.0 costs 4.50 EUR, e.g. for Dr. Okafor at 10.0.0.1.", want: []string{"Version 2.1.0 costs 4.50 EUR, e.g. for Dr. Okafor at 10.0.0.1."}},
		{name: "ordinals", in: "Bis 15. März gilt es. Dann nicht.", want: []string{"Bis 15. März gilt es.", "Dann nicht."}},
		{name: "wrapped lines", in: "The budget\nis 4,200 EUR.\n\nNext.", want: []string{"The budget\nis 4,200 EUR.", "Next."}},
		{name: "list", in: "- first one\n* second one\n3. third one", want: []string{"first one", "second one", "third one"}},
		{name: "no list", in: "#4711 is open", want: []string{"#4711 is open"}},
		{name: "Chinese", in: "预算为4200欧元。不要租车！", want: []string{"预算为4200欧元。", "不要租车！"}},
		{name: "table", in: "| a | b | c |\n|---|:-:|---|\n| 1 | 2 | 3 |", want: []string{"a | b | c", "1 | 2 | 3"}},
		{name: "fence", in: "Do this:\n```\nx := 1\n```\nDone.", want: []string{"Do this:", "x := 1", "Done."}},
		{name: "object", in: `{"id":"A1","price":{"amount":4.50,"vat":null},"tags":["x","y"]}`, want: []string{"id: A1; price.amount: 4.50; tags: x; tags: y"}},
		{name: "objects", in: `{"took":3,"items":[{"id":1},{"id":2}],"more":false}`, want: []string{"took: 3", "id: 1", "id: 2", "more: false"}},
		{name: "escapes", in: `{"a":"say \"hi\"\u0041","b":"C:\\"}`, want: []string{`a: say "hi"A; b: C:\`}},
		{name: "text in an object", in: `[{"type":"text","text":"One fact.\nAnother fact."}]`, want: []string{"type: text", "One fact.", "Another fact."}},
		{name: "tool call", in: `search {"q":"flights"}`, want: []string{"search", "q: flights"}},
		{name: "JSON, then text", in: `{"a":1} That is all.`, want: []string{"a: 1", "That is all."}},
		{name: "cut JSON", in: `{"a":1,"b":"no end`, want: []string{"a: 1", "no end"}},
		{name: "brackets of prose", in: "[x] done", want: []string{"[x] done"}},
		{name: "nothing", in: " \n\t\r\n", want: nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			s := splitter{emit: func(text string, _ kind) { got = append(got, text) }}
			s.split(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("units (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSplitLongSentence(t *testing.T) {
	for _, text := range []string{strings.Repeat("word ", 1e5), strings.Repeat("ä", 1e5), strings.Repeat("a", 1e5)} {
		got := ""
		s := splitter{emit: func(part string, _ kind) {
			if len(part) > maxUnit {
				t.Errorf("a unit of %d bytes", len(part))
			}
			got += strings.ReplaceAll(part, " ", "")
		}}
		s.split(text)
		if got != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%.10s… is not all there", text)
		}
	}
}

func TestClassify(t *testing.T) {
	tests := []struct {
		line string
		want kind
	}{
		{"The budget is 4,200 EUR.", prose},
		{"Budget: 4,200 EUR", keyed},
		{"| Alpenbyte | 1,089 | 28 |", row},
		{"417,order form,34.7,2026-09-19,ok", row},
		{"-rw-r--r-- 1 app app 1234 Jun 01 10:00 a_01.txt", row},
		{"2026-05-11T14:07:01Z connection refused", logged},
		{"ERROR payments: connection refused", logged},
		{"    return x + 1", code},
		{"if err != nil {", code},
	}
	for _, tt := range tests {
		if got := classify(tt.line, strings.TrimSpace(tt.line), false); got != tt.want {
			t.Errorf("%q is of kind %d, want %d", tt.line, got, tt.want)
		}
	}
}

func TestWeigh(t *testing.T) {
	tests := []struct {
		token string
		fact  bool
	}{
		{"4,200", true}, {"€4.200", true}, {"23.4%", true}, {"2026-03-01", true}, {"14:07", true}, {"12ms", true},
		{"MSA-2026-0417", true}, {"v3.18.1", true}, {"8c41f0e", true}, {"#3391", true}, {"ap@lumenworks.example", true},
		{"https://example.com/a?b=c", true}, {"billing/legacy/pdf.py", true}, {"/etc/hosts", true}, {"snake_case", true},
		{"§4.2", true}, {"MAX_ITEMS", true}, {"camelCase", true},
		{"budget", false}, {"and/or", false}, {"e.g.", false}, {"well-known", false}, {"...", false}, {"—", false},
		{strings.Repeat("a1", 500), false},
	}
	for _, tt := range tests {
		r := reader{text: tt.token, table: cues()}
		var token token
		r.next(&token)
		if got := weigh(tt.token, &token, true); got > 0 != tt.fact {
			t.Errorf("%.40q weighs %d, want a fact: %v", tt.token, got, tt.fact)
		}
	}
}

func TestCues(t *testing.T) {
	tests := []struct {
		text string
		want class
	}{
		{"we agreed", decision},
		{"they went with B", decision},
		{"vereinbarte Frist", decision | constraint},
		{"it can't", constraint},
		{"it can’t", constraint},
		{"L'ÉCHÉANCE", constraint},
		{"no longer", correction | constraint},
		{"a non-refundable ticket", warning},
		{"porque", reason},
		{"the table", 0},
	}
	for _, tt := range tests {
		r := reader{text: tt.text, table: cues()}
		var token token
		var got class
		for r.next(&token) {
			got |= token.classes
		}
		if got &^= stop | name; got&tt.want != tt.want || tt.want == 0 && got != 0 {
			t.Errorf("%q has classes %b, want %b", tt.text, got, tt.want)
		}
	}
}

// TestLexiconHasRoom checks that the lexicon is not too full: in a full one, lookups would not end.
func TestLexiconHasRoom(t *testing.T) {
	used := 0
	for _, place := range cues() {
		if place.classes != 0 {
			used++
		}
	}
	if used == 0 || used*2 > len(lexicon{}) {
		t.Errorf("%d of %d places are used, want at most half", used, len(lexicon{}))
	}
}
