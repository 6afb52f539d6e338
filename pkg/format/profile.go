package format

// A Profile holds the format-specific details of a message. Texts are unmodified, so they
// may be long or hostile.
type Profile struct {
	From, To string // the agents
	Task     string // the subject of the handoff
	Time     string // of the message

	// Details are written as JSON in a member named after the format's system.
	Details any

	Labels   []Label
	Sections []Section
}

// A Label is a named value. Of adjacent labels with the same name, only the first few are
// shown.
type Label struct {
	Name, Value string
	Amounts     []Amount // instead of Value
	Optional    bool     // omitted without a value
}

// An Amount is a count with its noun, in the singular, or with an invariable word.
type Amount struct {
	Count      int
	Noun, Word string
}

// A Section is a table with a title. Without a title, it continues the previous section.
type Section struct {
	Title   string
	Summary []Amount
	Rows    [][]Cell // the last cell takes the remaining width
}

// A Cell is a text, or amounts, in a number of Columns. With 0 Columns it is as wide as
// needed, up to MaxLength if that is not 0.
type Cell struct {
	Text               string
	Amounts            []Amount
	Columns, MaxLength int
	Tone               Tone
}

// A Tone is the significance of a text.
type Tone string

// The tones.
const (
	Plain   Tone = ""
	Good    Tone = "good"
	Bad     Tone = "bad"
	Pending Tone = "pending"
	ID      Tone = "id" // an identifier
)

// A Count is the number of things with one name.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Amounts returns counts as amounts.
func Amounts(counts []Count) []Amount {
	var all []Amount
	for _, c := range counts {
		all = append(all, Amount{Count: c.Count, Word: c.Name})
	}
	return all
}

// Counted increments the count of a name, which it appends if it is new. It may modify counts.
func Counted(counts []Count, name string) []Count {
	for i := range counts {
		if counts[i].Name == name {
			counts[i].Count++
			return counts
		}
	}
	return append(counts, Count{name, 1})
}
