// Package summarize summarises the turns of a conversation that no longer fit (section 6.4), and
// keeps the content that later agents need: decisions with their reasons, constraints, figures,
// identifiers, flags and warnings.
//
// [Extractive] works without a model. [Complete] adds missing facts to the answer of a model.
package summarize

import "context"

// A Summarizer summarises removed turns. The text of a summary never exceeds the request's
// MaxTokens; if nothing fits, it is "".
type Summarizer interface {
	Summarize(ctx context.Context, r Request) (Summary, error)
}

// A Request asks for a summary of turns, oldest first.
type Request struct {
	Previous  string           // the summary of an earlier trim, to be included
	Turns     []Turn           // the removed turns
	Kept      []Turn           // turns that stay: their content need not be repeated, and the values that they use count
	MaxTokens int              // the limit of the summary, as counted by Count
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
	Model                          string // the author of the summary, "" if unknown
}

// Completing wraps a Summarizer and adds missing facts to its texts: see [Complete].
type Completing struct{ Summarizer }

// Summarize implements [Summarizer].
func (s Completing) Summarize(ctx context.Context, r Request) (Summary, error) {
	summary, err := s.Summarizer.Summarize(ctx, r)
	if err == nil && r.Count(summary.Text) <= r.MaxTokens {
		summary.Text = Complete(summary.Text, r)
	}
	return summary, err
}
