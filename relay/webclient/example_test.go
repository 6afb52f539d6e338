package webclient_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/eaapl/handoff/relay/webclient"
)

// A redirect is an answer: the server has not accepted the request.
func Example() {
	server := httptest.NewServer(http.RedirectHandler("https://elsewhere.example/login?back=secret", http.StatusFound))
	defer server.Close()
	request, err := http.NewRequest(http.MethodPost, server.URL, nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := webclient.New(webclient.Options{}).Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	fmt.Println(webclient.Took(answer))
	// Output: 302 Found: it redirects to https://elsewhere.example, but redirects are not followed: use the new URL if it is correct
}
