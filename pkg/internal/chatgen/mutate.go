package chatgen

import (
	"bytes"
	"math/rand/v2"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Mutate returns a document with some random changes, mostly one: a member or element is removed,
// duplicated or replaced by a value of another kind, or a text by another text of the document. It
// changes values at any depth except the root.
func Mutate(r *rand.Rand, root jsonstream.Value) []byte {
	var all []jsonstream.Value
	var texts []string
	for v := range root.All() {
		if v != root {
			all = append(all, v)
		}
		if v.Kind() == jsonstream.String && len(v.Text()) < 40 {
			texts = append(texts, v.Text())
		}
	}
	m := mutation{r, texts, map[jsonstream.Value]bool{}}
	for n := 1; len(all) > 0 && n > 0; n-- {
		m.at[all[r.IntN(len(all))]] = true
		if r.IntN(4) == 0 {
			n++
		}
	}
	return m.append(nil, root)
}

type mutation struct {
	*rand.Rand
	texts []string
	at    map[jsonstream.Value]bool
}

// kinds are values of every kind.
var kinds = []string{`null`, `true`, `0`, `1.5`, `""`, `"x"`, `[]`, `{}`, `[{}]`, `{"type":"text"}`}

// change returns the replacements of a value: none, one or two values.
func (m *mutation) change(v jsonstream.Value) []string {
	was := string(m.append(nil, v))
	switch n := m.IntN(8); {
	case n < 3:
		return nil
	case n == 3 && v.Name() == "":
		return []string{was, was}
	case n < 6 && v.Kind() == jsonstream.String && len(m.texts) > 0:
		return []string{quote(m.texts[m.IntN(len(m.texts))])}
	default:
		return []string{kinds[m.IntN(len(kinds))]}
	}
}

func (m *mutation) append(dst []byte, v jsonstream.Value) []byte {
	var inside []string
	add := func(name string, child jsonstream.Value) {
		values := []string{""}
		if m.at[child] {
			values = m.change(child)
		} else {
			values[0] = string(m.append(nil, child))
		}
		for _, value := range values {
			if v.Kind() == jsonstream.Object {
				value = quote(name) + ":" + value
			}
			inside = append(inside, value)
		}
	}
	switch v.Kind() {
	case jsonstream.Object:
		for name, member := range v.Members() {
			add(name, member)
		}
		return append(dst, "{"+strings.Join(inside, ",")+"}"...)
	case jsonstream.Array:
		for _, element := range v.Elements() {
			add("", element)
		}
		return append(dst, array(inside)...)
	default:
		return append(dst, bytes.TrimSpace(v.Raw())...)
	}
}
