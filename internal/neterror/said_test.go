package neterror_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/neterror"
)

func TestSaid(t *testing.T) {
	u := &url.URL{Scheme: "x", Host: "h", User: url.UserPassword("me", "p/w d")}
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{" a\n\tb\x1b[31m\x00c\u202ed\xff ", "a b [31m c d"},
		{"login with p/w d, p%2Fw%20d or p%2Fw+d", "login with xxxxx, xxxxx or xxxxx"},
		{"p/w\x00d p/\xffw d", "xxxxx p/ w d"},
		{strings.Repeat("é", 300), strings.Repeat("é", 250) + "…"},
		{"x" + strings.Repeat("é", 300), "x" + strings.Repeat("é", 249) + "…"},
	} {
		if got := neterror.PeerText(tt.text, u); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := neterror.PeerText("no user", &url.URL{}); got != "no user" {
		t.Errorf("got %q", got)
	}
}
