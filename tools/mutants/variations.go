package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/patch"
	"github.com/eaapl/handoff/vectors"
)

// vary returns variations of cases: each has an input with a few changes.
func vary(groups []vectors.Group, perCase int, seed uint64) []vectors.Case {
	r := rand.New(rand.NewPCG(seed, 1))
	var all []vectors.Case
	for _, g := range groups {
		for _, c := range g.Cases {
			for i := range perCase {
				v := c
				v.ID = fmt.Sprintf("%s~%d", c.ID, i)
				if varied(r, &v.Input) {
					all = append(all, v)
				}
			}
		}
	}
	return all
}

// varied changes an input, and reports whether it could.
func varied(r *rand.Rand, in *vectors.Input) bool {
	in.Messages, in.Records = append([]vectors.Text(nil), in.Messages...), append([]vectors.Text(nil), in.Records...)
	switch {
	case in.Session != "":
		text, ok := changedLines(r, string(in.Session))
		in.Session = vectors.Lines(text)
		return ok
	case in.History != "" && strings.Contains(string(in.History), "}\n{"):
		text, ok := changedLines(r, string(in.History))
		in.History = vectors.Text(text)
		return ok
	case in.History != "":
		return changedText(r, &in.History)
	case in.Message != "":
		return changedText(r, &in.Message)
	case in.Card != "":
		return changedText(r, &in.Card)
	case len(in.Messages) > 0:
		return changedText(r, &in.Messages[r.IntN(len(in.Messages))])
	case len(in.Records) > 0:
		return changedText(r, &in.Records[r.IntN(len(in.Records))])
	case in.Text != "":
		i := r.IntN(len(in.Text))
		in.Text = in.Text[:i] + string(`0123456789.eE+-"\{}[],:ab`[r.IntN(25)]) + in.Text[i+r.IntN(2):]
		return true
	case in.Proof != "":
		i := r.IntN(len(in.Proof))
		in.Proof = in.Proof[:i] + string("0aA\n =+/"[r.IntN(8)]) + in.Proof[i+r.IntN(2):]
		return true
	case in.Checkpoint != "":
		i := r.IntN(len(in.Checkpoint))
		in.Checkpoint = in.Checkpoint[:i] + string("0aA\n =+/"[r.IntN(8)]) + in.Checkpoint[i+r.IntN(2):]
		return true
	}
	return false
}

func changedText(r *rand.Rand, t *vectors.Text) bool {
	text, ok := changed(r, string(*t))
	*t = vectors.Text(text)
	return ok
}

// changedLines changes a file of documents as one array.
func changedLines(r *rand.Rand, text string) (string, bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		if !jsontext.Value(line).IsValid() {
			return "", false
		}
	}
	array, ok := changed(r, "["+strings.Join(lines, ",")+"]")
	if !ok {
		return "", false
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(array)), jsonstream.Unlimited())
	if err != nil || doc.Root().Kind() != jsonstream.Array {
		return "", false
	}
	var out strings.Builder
	for _, v := range doc.Root().Elements() {
		out.Write(jsonstream.AppendCompact(nil, v.Raw()))
		out.WriteByte('\n')
	}
	return out.String(), true
}

// changed makes one to three changes in a document.
func changed(r *rand.Rand, text string) (string, bool) {
	for range 1 + r.IntN(3) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
		if err != nil {
			return "", false
		}
		var all []jsonstream.Value
		for v := range doc.Root().All() {
			all = append(all, v)
		}
		if len(all) < 2 {
			return "", false
		}
		at, other := all[1+r.IntN(len(all)-1)], all[1+r.IntN(len(all)-1)]
		where, _ := jsontext.AppendQuote(nil, at.Pointer())
		from, _ := jsontext.AppendQuote(nil, other.Pointer())
		value := func(text string) string { return fmt.Sprintf(`{"op":"replace","path":%s,"value":%s}`, where, text) }
		var op string
		switch r.IntN(9) {
		case 0, 1:
			op = fmt.Sprintf(`{"op":"remove","path":%s}`, where)
		case 2: // an element twice, or a member with another value
			op = fmt.Sprintf(`{"op":"copy","from":%s,"path":%s}`, where, where)
		case 3:
			op = fmt.Sprintf(`{"op":"copy","from":%s,"path":%s}`, from, where)
		case 4:
			op = fmt.Sprintf(`{"op":"move","from":%s,"path":%s}`, from, where)
		case 5:
			op = value(string(other.Raw()))
		case 6:
			op = value([]string{"null", "true", "0", `""`, "[]", "{}", `" "`, "-1", "1e400", `"x y"`, `"user"`, `"assistant"`}[r.IntN(12)])
		case 7:
			for at.Kind() != jsonstream.String { // the root has one, or the loop ends by its length
				if at = all[r.IntN(len(all))]; r.IntN(50) == 0 {
					return "", false
				}
			}
			where, _ = jsontext.AppendQuote(nil, at.Pointer())
			changes := []string{at.Text() + "x", strings.ToUpper(at.Text()), strings.Repeat(at.Text(), 1+r.IntN(70)), at.Text() + " ", "[" + at.Text()}
			quoted, _ := jsontext.AppendQuote(nil, changes[r.IntN(len(changes))])
			op = value(string(quoted))
		case 8:
			for tries := 0; at.Kind() != jsonstream.String || other.Kind() != jsonstream.String; tries++ {
				if at, other = all[r.IntN(len(all))], all[r.IntN(len(all))]; tries > 200 {
					return "", false
				}
			}
			where, _ = jsontext.AppendQuote(nil, at.Pointer())
			op = value(string(other.Raw()))
		}
		changes, err := jsonstream.Parse(jsonstream.NewRaw([]byte("["+op+"]")), jsonstream.Unlimited())
		if err != nil {
			return "", false
		}
		p, err := patch.Parse(changes, patch.Auto)
		if err != nil {
			return "", false
		}
		next, err := p.Apply(doc, jsonstream.Unlimited())
		if err != nil {
			return "", false
		}
		text = string(next.Root().Raw())
	}
	return text, true
}
