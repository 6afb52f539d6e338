package privacy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// samples are texts that are personal data without context.
var samples = []struct {
	class Class
	text  string
}{
	{Email, "ada.lovelace@example.com"}, {Phone, "+44 20 7946 0958"}, {Phone, "(212) 555-0123"},
	{IBAN, "DE89 3704 0044 0532 0130 00"}, {Card, "4111 1111 1111 1111"}, {NationalID, "219-09-9999"},
	{NationalID, "529.982.247-25"}, {NationalID, "RSSMRA85T10A562S"}, {IP, "203.0.113.7"}, {MAC, "00:1B:44:11:3A:B7"},
	{NationalID, "11010519491231002X"}, {NationalID, "12345678Z"}, {IP, "2001:db8::8a2e:370:7334"},
}

// TestSurroundings checks that a match is found again in any text around it.
func TestSurroundings(t *testing.T) {
	s, _ := New(Policy{})
	word := rapid.SampledFrom([]string{"the", "of", "you", "und", "très", "из", "请", "we", "\n", "it", "said:", "(", "«", "=> ", "yes,", "{\"a\":"})
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SampledFrom(samples).Draw(t, "sample")
		before := strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "before"), " ")
		after := strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "after"), " ")
		text := before + " " + sample.text + " " + after
		start := len(before) + 1
		for _, m := range s.Find(nil, "", text) {
			if m.Class == sample.class && m.Start == start && m.End == start+len(sample.text) {
				return
			}
		}
		t.Fatalf("%q: not found in %q: %q", sample.text, text, found("", text))
	})
}

// checkMatches reports invalid matches in a text.
func checkMatches(t interface{ Errorf(string, ...any) }, text string, matches []Match) {
	end := 0
	for _, m := range matches {
		switch {
		case m.Start < end || m.End <= m.Start || m.End > len(text):
			t.Errorf("%q: %v is not after %d, or empty, or beyond the text", text, m, end)
			return
		case utf8.ValidString(text) && !utf8.ValidString(text[m.Start:m.End]):
			t.Errorf("%q: %v begins or ends in a character", text, m)
		case m.Score < DefaultThreshold || m.Score > 1 || m.Class == "":
			t.Errorf("%q: %v has no such score or class", text, m)
		}
		end = m.End
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range samples {
		f.Add("", s.text)
	}
	f.Add("firstName", "Ada")
	f.Add("dob", "1990-05-17")
	f.Add("", "请联系王小明先生 Hauptstraße 12, 10115 Berlin 12 Main Street\nSpringfield, IL 62704 Mr. José O’Brien-Núñez III J. R. R. Tolkien")
	s, _ := New(Policy{})
	f.Fuzz(func(t *testing.T, name, text string) {
		checkMatches(t, text, s.Find(nil, name, text))
	})
}

// TestHostile checks that no text takes much longer than others of its length, at two lengths. Only
// texts that are too slow in every attempt fail, because other work on the machine only affects
// some attempts.
func TestHostile(t *testing.T) {
	s, _ := New(Policy{})
	for _, part := range []string{"@", "a@a.", "1", "1 ", "phone 0123 456 789 ", "A ", "Ada, ", "Ada and ", "12 Main ", "1:", "::1 ", "4111 ", "-", "Herr ", "王", "先生", "a'", "é", "O’", "DE89 ", "born 1.1.", "Straße 1 ", "mr. x "} {
		took := func(n int) time.Duration {
			text := strings.Repeat(part, n/len(part))
			checkMatches(t, text[:min(len(text), 200)], s.Find(nil, "", text[:min(len(text), 200)]))
			begun := time.Now()
			s.Find(nil, "", text)
			return time.Since(begun)
		}
		short, long := time.Hour, time.Hour
		for try := 0; long > 60*short+50*time.Millisecond || try < 3; try++ {
			if try == 50 {
				t.Fatalf("%q: %v for 20,000 bytes, %v for ten times as much", part, short, long)
			}
			short, long = min(short, took(20_000)), min(long, took(200_000))
		}
	}
}

// messages returns the texts of messages without personal data, and the total size of the messages.
func messages(tb testing.TB) (texts []string, size int) {
	files, _ := filepath.Glob("../../schemas/examples/*.json")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
		if err != nil {
			continue
		}
		for v := range doc.Root().All() {
			if v.Kind() == jsonstream.String {
				texts = append(texts, v.Text())
			}
		}
		size += len(text)
	}
	if len(texts) == 0 {
		tb.Fatal("no messages in schemas/examples")
	}
	return texts, size
}

func BenchmarkFind(b *testing.B) {
	texts, size := messages(b)
	s, _ := New(Policy{})
	s.Find(nil, "", "Ada 1") // reads the lists
	var found []Match
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, text := range texts {
			found = s.Find(found[:0], "", text)
		}
	}
}

func BenchmarkProse(b *testing.B) {
	const text = "The receiver of a handoff reads the summary first and then looks at what the sender has left to do. " +
		"It asks for what is missing, checks the budget of 4 steps, and goes on from there. On Monday the Planner finished 3 of 12 tasks; " +
		"the others wait for an answer of the Billing service, which is slow in the morning."
	s, _ := New(Policy{})
	var found []Match
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		found = s.Find(found[:0], "", text)
	}
	if len(found) > 0 {
		b.Fatal(found)
	}
}
