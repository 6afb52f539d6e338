package format

// A Profile is what a person wants to know of a message that only messages of its format
// have. Texts are as long and as hostile as the message has them.
type Profile struct {
	From, To string // the agents
	Task     string // what the handoff is about
	Time     string // of the message

	// Details are encoded as JSON in a member that has the name of the format's system.
	Details any

	Labels   []Label
	Sections []Section
}

// A Label is a named value. Where several that follow each other have one name, the first
// are shown.
type Label struct {
	Name, Value string
	Amounts     []Amount // instead of Value
	Optional    bool     // it is left out where it has no value
}

// An Amount is a number of things: of a noun in the singular, which is put into the plural
// as needed, or of what a word describes.
type Amount struct {
	Count      int
	Noun, Word string
}

// A Section is a table below a title; without one, it continues the section before.
type Section struct {
	Title   string
	Summary []Amount
	Rows    [][]Cell // the last cell has the room that the others leave
}

// A Cell is a text, or amounts, in a number of Columns. With 0 Columns it takes as many as
// it needs, up to MaxLength, if that is not 0.
type Cell struct {
	Text               string
	Amounts            []Amount
	Columns, MaxLength int
	Tone               Tone
}

// A Tone says what a text means to the reader.
type Tone string

// The tones.
const (
	Plain   Tone = ""
	Good    Tone = "good"
	Bad     Tone = "bad"
	Pending Tone = "pending"
	ID      Tone = "id" // a name of one thing
)

// A Count is how many there are of something that has a name.
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

// Counted returns counts with one more of a name, in order of appearance. It may change counts.
func Counted(counts []Count, name string) []Count {
	for i := range counts {
		if counts[i].Name == name {
			counts[i].Count++
			return counts
		}
	}
	return append(counts, Count{name, 1})
}
