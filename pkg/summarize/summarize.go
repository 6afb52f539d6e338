// Package summarize makes a short text of the turns of a conversation that no longer fit
// (section 6.4), and keeps what later agents need: decisions with their reasons,
// constraints, figures, identifiers, flags and warnings.
//
// [Extractive] does so without a model. [Complete] adds to the answer of a model the
// facts that it lacks.
package summarize

import "context"

// A Summarizer makes summaries of removed turns. The text of a summary never exceeds the
// request's MaxTokens; if nothing fits, it is "".
type Summarizer interface {
	Summarize(ctx context.Context, r Request) (Summary, error)
}

// A Request asks for a summary of turns, oldest first.
type Request struct {
	Previous  string           // the summary of an earlier trim; its facts are folded in
	Turns     []Turn           // the removed turns
	Kept      []Turn           // turns that stay as they are: what they say need not be said, and what they use counts
	MaxTokens int              // the limit of the summary, counted by Count
	Count     func(string) int // counts the tokens of a text
}

// A Turn is one removed turn of a conversation.
type Turn struct {
	Role string // user, assistant, tool, …
	Name string // the speaker or tool, may be ""
	Text string // the content as text: parts joined, tool calls as "name arguments"
	JSON []byte // the turn as it is in the message
}

// A Summary is the result of a [Summarizer].
type Summary struct {
	Text  string
	Usage Usage
}

// Usage is the cost of a summary, zero without a model.
type Usage struct {
	PromptTokens, CompletionTokens int
	CostUSD                        string // a decimal number of US dollars; "" if only the tokens are known
	Model                          string // that wrote the summary, "" if nobody says
}

// Completing is a summariser whose texts get the facts that they lack: see [Complete].
type Completing struct{ Summarizer }

// Summarize implements [Summarizer].
func (s Completing) Summarize(ctx context.Context, r Request) (Summary, error) {
	summary, err := s.Summarizer.Summarize(ctx, r)
	if err == nil && r.Count(summary.Text) <= r.MaxTokens {
		summary.Text = Complete(summary.Text, r)
	}
	return summary, err
}
