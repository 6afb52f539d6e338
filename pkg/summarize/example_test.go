package summarize_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/summarize"
)

func ExampleExtractive() {
	summary, err := summarize.Extractive{}.Summarize(context.Background(), summarize.Request{
		Turns: []summarize.Turn{
			{Role: "user", Text: "Hello there! Our budget is 4,200 EUR, and we must be back by 2026-03-01."},
			{Role: "assistant", Text: "Sure. Let me see what I can do for you."},
			{Role: "tool", Name: "search_flights", Text: `{"id":"TP567","price":398}`},
		},
		MaxTokens: 40,
		Count:     func(text string) int { return len(strings.Fields(text)) },
	})
	fmt.Println(summary.Text, err)
	// Output:
	// 3 earlier turns:
	// user: Our budget is 4,200 EUR, and we must be back by 2026-03-01.
	// tool search_flights: id: TP567; price: 398 <nil>
}
