package chunked

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

func TestExpire(t *testing.T) {
	one, two := split(t, example(t), 600, SplitOptions{}), other(t, 3)
	a := NewAssembler(AssemblerOptions{MaxPause: time.Minute, MaxAge: time.Hour})
	at := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
	put := func(chunk []byte, minutes int) {
		t.Helper()
		if events, err := a.Add(t.Context(), jsonstream.NewRaw(chunk), at(minutes)); err != nil || events[0].Fault != nil {
			t.Fatalf("%s, error %v", shown(events), err)
		}
	}
	put(one[0], 0)
	put(two[0], 0)
	if got := a.Expire(now.Add(59 * time.Second)); len(got) != 0 {
		t.Error(shown(got))
	}
	put(two[1], 1)
	events := a.Expire(at(1))
	if f := faultOf(t, events); f.Reason != Expired || f.Stream != parse(t, string(one[0])).Root().Get("streamId").Text() || !f.Ended || f.Expected != "chunk 1" || f.Found != "nothing for 1m0s" {
		t.Error(f)
	}
	// A stream without pauses also expires.
	a.o.MaxPause = 0
	if f := faultOf(t, a.Expire(at(60))); f.Found != "no end 1h0m0s after its first chunk" || a.Open() != 0 {
		t.Error(f)
	}
	// Later chunks of it are dropped until it is sent again.
	if got := shown(add(t, a, one[1], one[0], one[1])); got != "began 0, grew 1" {
		t.Error(got)
	}
}

func TestMaxStreams(t *testing.T) {
	a := NewAssembler(AssemblerOptions{MaxStreams: 3})
	var last [][]byte
	for i := range 5 {
		m, err := example(t).Set("/handoffId", fmt.Appendf(nil, `"6f9619ff-8b86-4d01-b42d-00cf4fc9640%d"`, i))
		if err != nil {
			t.Fatal(err)
		}
		last = split(t, m, 600, SplitOptions{})
		events := add(t, a, last[0])
		if want := map[bool]string{true: "began 0", false: "failed 0 too-large"}[i < 3]; shown(events) != want {
			t.Errorf("%d: %s", i, shown(events))
		}
	}
	if events := add(t, a, last[1]); len(events) != 0 {
		t.Errorf("a stream that was not opened is reported again: %s", shown(events))
	}
	// The number of ended streams that are remembered is limited.
	for i := range 2 * maxEnded {
		m, err := example(t).Set("/handoffId", fmt.Appendf(nil, `"6f9619ff-8b86-4d01-b42d-00cf4fc9%04x"`, i))
		if err != nil {
			t.Fatal(err)
		}
		add(t, a, split(t, m, 600, SplitOptions{})[1])
	}
	if len(a.ended) != maxEnded || len(a.forget) != maxEnded {
		t.Errorf("%d streams are remembered", len(a.ended))
	}
}

// The total memory of all streams is limited, even if each uses little.
func TestStreamsTogether(t *testing.T) {
	one, two := split(t, example(t), 600, SplitOptions{}), other(t, 3)
	a := NewAssembler(AssemblerOptions{})
	add(t, a, one[0])
	a = NewAssembler(AssemblerOptions{MaxBytes: a.total * 3 / 2})
	if got := shown(add(t, a, one[0])); got != "began 0" {
		t.Error(got)
	}
	if got := shown(add(t, a, two[0])); got != "failed 0 too-large" {
		t.Error(got)
	}
}

// bomb returns an endless series of chunks that all append the same part.
func bomb(t testing.TB, part string) (first []byte, next func() []byte) {
	first = split(t, example(t), 0, SplitOptions{})[0]
	sequence, before := 0, chainDigest(first)
	return first, func() []byte {
		sequence++
		chunk := fmt.Appendf(nil, `{"handoffChunk":"1.0","streamId":%q,"sequence":%d,"kind":"append","previous":%q,"parts":[%s]}`,
			example(t).HandoffID(), sequence, before, strings.ReplaceAll(part, "@", fmt.Sprint(sequence)))
		before = chainDigest(chunk)
		return chunk
	}
}

// A stream never takes more memory than permitted, whatever its chunks contain.
func TestMemoryBound(t *testing.T) {
	const bound = 1 << 20
	many := func(one string) string { return strings.TrimSuffix(strings.Repeat(one+",", 2000), ",") }
	var members []string
	for i := range 2000 {
		members = append(members, fmt.Sprintf(`"@_%d":0`, i))
	}
	wide := strings.Join(members, ",")
	for _, tt := range []struct{ name, part string }{
		{"characters", `{"at":"/conversationHistorySummary","add":"` + strings.Repeat("x", 10_000) + `"}`},
		{"empty arrays", `{"at":"/relatedWork","add":[` + many("[]") + `]}`},
		{"numbers", `{"at":"/relatedWork","add":[` + many("0") + `]}`},
		{"members", `{"at":"/currentState","add":{` + wide + `}}`},
		{"members of the message", `{"at":"","add":{` + wide + `}}`},
		{"empty chunks", `{"at":"/currentState","add":{}}`},
		{"parts", many(`{"at":"/relatedWork","add":[0]}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first, next := bomb(t, tt.part)
			first = replaced(t, first, `"message":{`, `"message":{"relatedWork":[],`)
			sequence := 0
			a := NewAssembler(AssemblerOptions{MaxStreamBytes: bound})
			add(t, a, first)
			if a.order[0].message == nil {
				t.Fatal("not begun")
			}
			before := heap()
			peak := uint64(0)
			// The chain begins with the digest of the changed first chunk.
			fixedNext := next
			prior := chainDigest(first)
			next = func() []byte {
				sequence++
				c := fixedNext()
				m := parse(t, string(c))
				m, err := m.Set("/previous", []byte(`"`+prior+`"`))
				if err != nil {
					t.Fatal(err)
				}
				prior = chainDigest(m.Raw())
				return m.Raw()
			}
			for i := 0; ; i++ {
				if i > 200_000 {
					t.Fatal("there is no bound")
				}
				events := add(t, a, next())
				if i%256 == 0 {
					peak = max(peak, heap())
				}
				if f := events[len(events)-1].Fault; f != nil {
					if f.Reason != TooLarge {
						t.Fatal(f)
					}
					break
				}
			}
			if used := int64(peak) - int64(before); used > 3*bound {
				t.Errorf("%d bytes were used", used)
			}
			if a.total != 0 {
				t.Errorf("%d bytes are counted after the end", a.total)
			}
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The depth limit of messages also applies to streams that grow in small steps.
func TestDepthBound(t *testing.T) {
	first, _ := bomb(t, "")
	doc, err := jsonstream.Parse(jsonstream.NewRaw(first), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	g := newGrowth(doc.Root().Get("message"), jsonstream.Limits{MaxDepth: 40})
	pointer := "/currentState"
	one, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"x":{}}`)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		if err = g.append(pointer, one.Root()); err != nil {
			break
		}
		if i > 40 {
			t.Fatal("there is no bound")
		}
		pointer += "/x"
	}
	if err != errTooDeep {
		t.Error(err)
	}
}

// The size limit of messages also applies to streams.
func TestMessageBound(t *testing.T) {
	m := longMessage(t, 100_000)
	a := NewAssembler(AssemblerOptions{Limits: jsonstream.Limits{MaxBytes: 20_000}})
	if f := faultOf(t, add(t, a, split(t, m, 4000, SplitOptions{})...)); f.Reason != Invalid || !strings.Contains(f.Error(), "too large") {
		t.Error(f)
	}
}

// Splitting takes hardly more memory than the message: it keeps no chunks.
func TestSplitStreams(t *testing.T) {
	m := longMessage(t, 4<<20)
	before, longest := heap(), uint64(0)
	n := 0
	if err := NewSplitter(SplitOptions{}).Split(m, func([]byte) error {
		if n++; n%16 == 0 {
			longest = max(longest, heap())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if used := int64(longest) - int64(before); n < 50 || used > int64(2*len(m.Raw())) {
		t.Errorf("%d chunks, %d bytes for a message of %d", n, used, len(m.Raw()))
	}
}

func TestBuilder(t *testing.T) {
	key := secret(t, "team")
	full := longMessage(t, 30_000)
	first := full
	for _, name := range []string{"completedSubtasks", "conversationHistoryVerbatim", "toolCallHistory"} {
		var err error
		if first, err = first.Set("/"+name, []byte("[]")); err != nil {
			t.Fatal(err)
		}
	}
	var chunks [][]byte
	b, err := Begin(first, BuilderOptions{SplitOptions: SplitOptions{ChunkBytes: 4000, Key: key}}, func(c []byte) error {
		chunks = append(chunks, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"completedSubtasks", "conversationHistoryVerbatim", "toolCallHistory"} {
		for _, element := range full.Root().Get(name).Elements() {
			if err := b.Append(Addition{"/" + name, []byte("[ " + string(element.Raw()) + "]")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	// A turn is also written word by word.
	n := full.Root().Get("conversationHistoryVerbatim").Len()
	if err := b.Append(Addition{"/conversationHistoryVerbatim", []byte(`[{"role":"assistant","content":""}]`)}); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{`"It "`, `"is \ud83d\ude00 "`, `"done."`} {
		if err := b.Append(Addition{fmt.Sprintf("/conversationHistoryVerbatim/%d/content", n), []byte(word)}); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := b.End()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verifier(t, key).Verify(parse(t, string(whole))); err != nil {
		t.Error(err)
	}
	want, err := full.Set("/conversationHistoryVerbatim/-", []byte(`{"role":"assistant","content":"It is \ud83d\ude00 done."}`))
	if err != nil {
		t.Fatal(err)
	}
	o := AssemblerOptions{}
	o.Validate.Verifier = verifier(t, key)
	events := add(t, NewAssembler(o), chunks...)
	last := events[len(events)-1]
	if last.Kind != Completed || !bytes.Equal(last.Message, whole) {
		t.Fatalf("%s: %v", shown(events), last.Fault)
	}
	unsigned := parse(t, string(whole))
	for _, name := range []string{"/signature", "/signatureKeyId"} {
		if unsigned, err = unsigned.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(unsigned.Raw(), want.Raw()) {
		t.Errorf("got %s\nwant %s", unsigned.Raw(), want.Raw())
	}
}

func TestBuilderErrors(t *testing.T) {
	begin := func(m *message.Message) (*Builder, error) {
		return Begin(m, BuilderOptions{}, func([]byte) error { return nil })
	}
	if _, err := begin(parse(t, `{}`)); err == nil {
		t.Error("no error without a handoffId")
	}
	if _, err := begin(parse(t, `{"handoffId":"x","signature":"s"}`)); err == nil {
		t.Error("no error for a signed message")
	}
	for _, tt := range []struct{ at, add, says string }{
		{"/constraints", `["x"]`, "complete in the first chunk"},
		{"/currentState", `7`, "can be appended"},
		{"/currentState", `{`, ""},
		{"/currentState", `[1]`, "is an object"},
		{"/nothing", `[1]`, "no member"},
		{"x", `[1]`, "not a JSON Pointer"},
		{"/currentState/nothing/deeper", `[1]`, ""},
	} {
		b, err := begin(example(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Append(Addition{tt.at, []byte(tt.add)}); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v", tt.at, err)
		}
	}
}
