package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/relay/probe"
	"github.com/eaapl/handoff/relay/webclient"
)

// Probe requests the headers of an address (HEAD), and posts nothing. The error also reports why no
// message would be accepted: the token, the path, or a receiver that is out of order.
func Probe(ctx context.Context, u *url.URL, o PostOptions) (a probe.Answer, err error) {
	publisher, err := newPublisher(u, o)
	if err != nil {
		return a, err
	}
	defer publisher.client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, publisher.address.String(), nil)
	if err != nil {
		return a, errors.New("the address is not valid") // err has the password
	}
	publisher.introduce(request.Header)
	asked := time.Now()
	response, err := publisher.send(request)
	if err != nil {
		return a, err
	}
	answered := time.Now()
	_ = response.Body.Close() // there is no body
	a.Server = response.Header.Get("Server")
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		a.Clock = probe.Compare(date, asked, answered, time.Second)
	}
	switch code := response.StatusCode; {
	case code/100 == 3:
		return a, &StatusError{code, strings.TrimPrefix(webclient.Status(response), strconv.Itoa(code)+" ")}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return a, &StatusError{code, "the token is missing or wrong"}
	case code == http.StatusMisdirectedRequest:
		return a, &StatusError{code, "it does not have that name"}
	case code == http.StatusNotFound:
		return a, &StatusError{code, "the path does not exist"}
	case code >= http.StatusInternalServerError && code != http.StatusNotImplemented: // to HEAD
		return a, &StatusError{code, "the server has failed"}
	}
	return a, nil
}

// A StatusError reports a server that answered, but would take no message.
type StatusError struct {
	Code   int // of the answer
	Reason string
}

func (e *StatusError) Error() string { return fmt.Sprintf("answers %d: %s", e.Code, e.Reason) }
