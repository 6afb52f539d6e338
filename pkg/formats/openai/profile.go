package openai

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Facts are the details of a HandoffInputData for [format.Profile].
type Facts struct {
	Lists     []ItemList `json:"lists"` // the lists present
	Agents    []Made     `json:"agents"`
	Transfers []Transfer `json:"transfers"`
	Nested    int        `json:"nested"` // summaries of nested histories in input_history
}

// An ItemList describes one of the lists of items.
type ItemList struct {
	Name  string         `json:"name"`
	Items int            `json:"items"`
	Types []format.Count `json:"types"` // in order of appearance; items with only a role are messages
}

// Made describes adjacent run items of one agent.
type Made struct {
	Agent string         `json:"agent"` // its name
	First string         `json:"first"` // JSON Pointers
	Last  string         `json:"last"`
	Items int            `json:"items"`
	Types []format.Count `json:"types"`
	list  int
}

// A Transfer is a call to a handoff tool.
type Transfer struct {
	Tool  string `json:"tool"`
	Agent string `json:"agent"` // as named in the tool's output, "" without output
}

func factsOf(root jsonstream.Value, turns []conversation.Turn) *Facts {
	f := &Facts{Lists: []ItemList{}, Agents: []Made{}, Transfers: []Transfer{}}
	s := spellingOf(root)
	lists := s.lists
	if !isInputData(root) {
		s, lists = &javaScriptSpelling, javaScriptLists
	}
	types := make([]map[string]int, len(lists)) // for items with a type
	for i, name := range lists {
		types[i] = map[string]int{}
		f.Lists = append(f.Lists, ItemList{Name: name, Types: []format.Count{}})
	}
	calls := map[string]int{} // transfers, by the ids of their calls
	for _, t := range turns {
		item := t.Item()
		kind := item.Get("type").Text()
		if kind == "" && t.Role != "" {
			kind = "message"
		}
		list := &f.Lists[t.List]
		list.Items++
		i, known := types[t.List][kind]
		if !known {
			i = len(list.Types)
			types[t.List][kind] = i
			list.Types = append(list.Types, format.Count{Name: kind})
		}
		list.Types[i].Count++
		if agent := t.Value.Get("agent").Get("name").Text(); agent != "" {
			f.made(agent, t, kind)
		}
		id := callID(item).Text()
		if name := item.Get("name").Text(); kind == "function_call" && isHandoffName(name) {
			calls[id] = len(f.Transfers)
			f.Transfers = append(f.Transfers, Transfer{Tool: name})
		}
		if at, ok := calls[id]; ok && isResult(item) {
			f.Transfers[at].Agent = transferredTo(outputText(item))
		}
		if t.List == inHistory && isNested(t, s) {
			f.Nested++
		}
	}
	if root.Kind() == jsonstream.Array {
		f.Lists = f.Lists[:1]
		f.Lists[0].Name = "items"
		return f
	}
	f.Lists = slices.DeleteFunc(f.Lists, func(l ItemList) bool {
		kind := root.Get(l.Name).Kind()
		return kind != jsonstream.Array && kind != jsonstream.String
	})
	return f
}

// made adds a run item of an agent.
func (f *Facts) made(agent string, t conversation.Turn, kind string) {
	n := len(f.Agents)
	if n == 0 || f.Agents[n-1].Agent != agent || f.Agents[n-1].list != t.List {
		f.Agents = append(f.Agents, Made{Agent: agent, First: t.Value.Pointer(), list: t.List})
		n++
	}
	m := &f.Agents[n-1]
	m.Last = t.Value.Pointer()
	m.Items++
	i := slices.IndexFunc(m.Types, func(c format.Count) bool { return c.Name == kind })
	if i < 0 {
		i = len(m.Types)
		m.Types = append(m.Types, format.Count{Name: kind})
	}
	m.Types[i].Count++
}

// isNested reports whether a turn is the summary of a nested history.
func isNested(t conversation.Turn, s *spelling) bool {
	text := s.textOf(t.Item()).Text()
	return t.Role == "assistant" && strings.Contains(text, DefaultStart+"\n") && strings.HasSuffix(text, "\n"+DefaultEnd)
}

// transferredTo returns the agent named in the output of a handoff tool.
func transferredTo(output string) string {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(output)), jsonstream.Limits{})
	if err != nil {
		return ""
	}
	return doc.Root().Get("assistant").Text()
}

func profile(doc *jsonstream.Document, _ jsonstream.Value, turns []conversation.Turn) format.Profile {
	f := factsOf(doc.Root(), turns)
	p := format.Profile{Details: f}
	for _, t := range f.Transfers {
		p.To = t.Agent
		text := t.Tool
		if t.Agent != "" {
			text += " → " + t.Agent
		}
		p.Labels = append(p.Labels, format.Label{Name: "transfer", Value: text})
	}
	nested := format.Label{Name: "nested", Value: "no"}
	if f.Nested > 0 {
		nested.Amounts = []format.Amount{{Count: f.Nested, Noun: "summary message"}}
	}
	p.Labels = append(p.Labels, nested)
	names := 0
	for _, list := range f.Lists {
		names = max(names, len(list.Name))
	}
	items := format.Section{Title: "Items"}
	for _, list := range f.Lists {
		items.Rows = append(items.Rows, []format.Cell{
			{Text: list.Name, Columns: names},
			{Amounts: []format.Amount{{Count: list.Items, Noun: "item"}}, Columns: 10},
			{Amounts: format.Amounts(list.Types)},
		})
	}
	p.Sections = []format.Section{items}
	if len(f.Agents) > 0 {
		p.Sections = append(p.Sections, madeBy(f.Agents))
	}
	return p
}

// madeBy lists the agents and the items that each of them made.
func madeBy(agents []Made) format.Section {
	const longest = 24 // maximum length of an uncut name
	s := format.Section{Title: "Agents"}
	names, places := 0, 0
	for _, m := range agents {
		place := m.First[1:]
		if m.Last != m.First {
			place += "–" + m.Last[strings.LastIndexByte(m.Last, '/')+1:]
		}
		names, places = min(max(names, utf8.RuneCountInString(m.Agent)), longest), max(places, utf8.RuneCountInString(place))
		s.Rows = append(s.Rows, []format.Cell{{Text: m.Agent, MaxLength: longest}, {Text: place}, {Amounts: format.Amounts(m.Types)}})
	}
	for _, row := range s.Rows {
		row[0].Columns, row[1].Columns = names, places
	}
	return s
}
