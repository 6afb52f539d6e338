package chat_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/eaapl/handoff/internal/summarize/chat"
	"github.com/eaapl/handoff/pkg/summarize"
	"github.com/eaapl/handoff/relay/post"
)

func Example() {
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"choices":[{"message":{"content":"The budget is 4,200 EUR."},"finish_reason":"stop"}],"usage":{"prompt_tokens":310,"completion_tokens":9}}`)
	}))
	defer endpoint.Close()
	s, err := chat.New(chat.Options{Post: post.Do, URL: endpoint.URL + "/v1", Model: "small"})
	if err != nil {
		fmt.Println(err)
		return
	}
	summary, err := s.Summarize(context.Background(), summarize.Request{
		Turns:     []summarize.Turn{{Role: "user", Text: "Our budget is 4,200 EUR, as I said before."}},
		MaxTokens: 50,
		Count:     func(text string) int { return len(strings.Fields(text)) },
	})
	fmt.Println(summary.Text, summary.Usage, err)
	// Output:
	// The budget is 4,200 EUR. {310 9  } <nil>
}
