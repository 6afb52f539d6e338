package chatgen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Session returns a session of Claude Code or Codex as lines: the turns of several histories in
// sequence, with other lines between them. If damaged, some turns are changed, removed, duplicated
// or moved, possibly far, and the parent of some lines is not the preceding line.
func Session(r *rand.Rand, f format.Format, histories int, damaged bool) []byte {
	of := format.OpenAIResponses
	if f == format.ClaudeCode {
		of = format.Anthropic
	}
	var turns [][]byte
	for range histories {
		text := HistoryIn(r, of, "array")
		root := parse(text)
		if damaged && r.IntN(3) == 0 {
			root = parse(Mutate(r, root))
		}
		for _, v := range root.Elements() {
			if v.Get("role").Text() != "system" || r.IntN(4) == 0 {
				turns = append(turns, v.Raw())
			}
		}
	}
	for n := r.IntN(6); damaged && n > 0 && len(turns) > 3; n-- {
		i, j := r.IntN(len(turns)), r.IntN(len(turns))
		switch r.IntN(3) {
		case 0:
			turns = slices.Delete(turns, i, i+1)
		case 1:
			turns = slices.Insert(turns, i, turns[j])
		case 2:
			turns[i], turns[j] = turns[j], turns[i]
		}
	}
	var b bytes.Buffer
	if f == format.ClaudeCode {
		writeClaude(&b, r, turns, damaged)
	} else {
		writeCodex(&b, r, turns)
	}
	return b.Bytes()
}

func parse(text []byte) jsonstream.Value {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		panic(err) // generated here
	}
	return doc.Root()
}

func writeClaude(b *bytes.Buffer, r *rand.Rand, turns [][]byte, damaged bool) {
	parent := "null"
	for i, turn := range turns {
		kind := "user"
		if parse(turn).Get("role").Text() == "assistant" {
			kind = "assistant"
		}
		if r.IntN(5) == 0 {
			fmt.Fprintf(b, `{"type":"file-history-snapshot","messageId":"m%d","snapshot":{"n":%d}}`+"\n", i, i)
		}
		if damaged && i > 3 && r.IntN(60) == 0 {
			parent = fmt.Sprintf("%q", fmt.Sprintf("u%d", r.IntN(i)))
		}
		fmt.Fprintf(b, `{"parentUuid":%s,"type":%q,"uuid":"u%d","sessionId":"s","timestamp":"2026-06-12T09:%02d:%02d.000Z","isSidechain":%t,"message":%s}`+"\n",
			parent, kind, i, i/60%60, i%60, damaged && r.IntN(50) == 0, turn)
		parent = fmt.Sprintf("%q", fmt.Sprintf("u%d", i))
	}
}

func writeCodex(b *bytes.Buffer, r *rand.Rand, turns [][]byte) {
	b.WriteString(`{"timestamp":"2026-06-12T09:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/work"}}` + "\n")
	compacted := r.IntN(2 * len(turns))
	for i, turn := range turns {
		if r.IntN(5) == 0 {
			fmt.Fprintf(b, `{"timestamp":"2026-06-12T09:00:00.000Z","type":"event_msg","payload":{"type":"agent_message","message":"%d"}}`+"\n", i)
		}
		if i == compacted {
			b.WriteString(`{"timestamp":"2026-06-12T09:00:00.000Z","type":"compacted","payload":{"message":"summary"}}` + "\n")
		}
		fmt.Fprintf(b, `{"timestamp":"2026-06-12T09:00:00.000Z","type":"response_item","payload":%s}`+"\n", turn)
	}
}
