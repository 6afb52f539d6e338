package guard_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/eaapl/handoff/relay/guard"
)

const token = "0123456789abcdefghijklmnopqrstuv"

// TestIsHost checks that a request is for the server if it uses one of its addresses, localhost, or one of its
// names, and no other name that resolves to it.
func TestIsHost(t *testing.T) {
	for _, tt := range []struct {
		listen string
		names  []string
		is     []string
		isNot  []string
	}{
		{
			"127.0.0.1", nil,
			[]string{"127.0.0.1:8320", "127.0.0.1", "[::1]:8320", "[::1]", "localhost", "LocalHost.:1"},
			[]string{"", ":8320", "evil.example", "evil.example:8320", "127.0.0.1.evil.example", "localhost.evil.example", "10.1.2.3:8320", "[fe80::1%25lo]:1"},
		},
		{"0.0.0.0", nil, []string{"10.1.2.3:8320", "[2001:db8::1]", "localhost"}, []string{"evil.example"}},
		{"Pages.Example", []string{"other.example."}, []string{"pages.example:1", "PAGES.example.", "other.example"}, []string{"example", "x.pages.example"}},
		{"localhost", nil, []string{"127.0.0.1", "localhost:1"}, []string{"10.1.2.3"}},
	} {
		g := guard.New(guard.Options{Token: token, Listen: tt.listen, Names: tt.names})
		for _, host := range slices.Concat(tt.is, tt.isNot) {
			if want := slices.Contains(tt.is, host); g.IsHost(&http.Request{Host: host}) != want {
				t.Errorf("%s: %q is its host: %t, want %t", tt.listen, host, !want, want)
			}
		}
	}
}

func TestOrigin(t *testing.T) {
	for _, tt := range []struct {
		secure bool
		header http.Header
		want   guard.Origin
	}{
		{false, http.Header{}, guard.Unsaid},
		{false, http.Header{"Origin": {"null"}}, guard.Unsaid},
		{false, http.Header{"Origin": {"http://127.0.0.1:8320"}}, guard.Own},
		{true, http.Header{"Origin": {"https://127.0.0.1:8320"}}, guard.Own},
		{false, http.Header{"Origin": {"https://127.0.0.1:8320"}}, guard.Foreign},
		{false, http.Header{"Origin": {"http://127.0.0.1:8321"}}, guard.Foreign},
		{false, http.Header{"Origin": {"http://127.0.0.1:8320@evil.example"}}, guard.Foreign},
		{false, http.Header{"Origin": {"http://evil.example"}}, guard.Foreign},
		{false, http.Header{"Origin": {"http://127.0.0.1:8320", "http://evil.example"}}, guard.Foreign},
		{false, http.Header{"Origin": {":"}}, guard.Foreign},
		{false, http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {"null"}}, guard.Own},
		{false, http.Header{"Sec-Fetch-Site": {"same-site"}}, guard.Foreign},
		{false, http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"http://127.0.0.1:8320"}}, guard.Foreign},
	} {
		g := guard.New(guard.Options{Token: token, Listen: "127.0.0.1", Secure: tt.secure})
		if got := g.Origin(&http.Request{Host: "127.0.0.1:8320", Header: tt.header}); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.header, got, tt.want)
		}
	}
}

// TestHasToken follows RFC 6750, section 2.1: the name of the scheme is case-insensitive (RFC 9110, section
// 11.1), the token is not.
func TestHasToken(t *testing.T) {
	g := guard.New(guard.Options{Token: token})
	for header, want := range map[string]bool{
		"Bearer " + token: true, "bearer " + token: true, "Bearer  " + token: true,
		"": false, "Bearer": false, "Bearer ": false, token: false, "Basic " + token: false, "Bearer " + token[1:]: false, "Bearer " + token + "x": false, "Bearer " + token + " x": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/?access_token="+token, nil)
		r.Header.Set("Authorization", header)
		if g.HasToken(r) != want {
			t.Errorf("%q: %t", header, !want)
		}
	}
}

// TestSecret checks that secrets for two purposes, or from two tokens, are unrelated.
func TestSecret(t *testing.T) {
	a, b := guard.New(guard.Options{Token: token}), guard.New(guard.Options{Token: guard.NewToken()})
	if a.Secret("form") != guard.New(guard.Options{Token: token}).Secret("form") {
		t.Error("the secret of a token changes")
	}
	all := []string{a.Secret("form"), a.Secret("cookie"), b.Secret("form"), b.Secret("cookie"), token}
	slices.Sort(all)
	if len(slices.Compact(all)) != 5 {
		t.Errorf("the same one twice: %v", all)
	}
}

// TestShortToken checks that a token that can be guessed is rejected.
func TestShortToken(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it is taken")
		}
	}()
	guard.New(guard.Options{Token: token[:guard.MinToken-1]})
}
