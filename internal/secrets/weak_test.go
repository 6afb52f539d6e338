package secrets

import (
	"strings"
	"testing"
)

func TestWeakness(t *testing.T) {
	for name, tt := range map[string]struct{ secret, want string }{
		"none":       {"", "has 0 bytes: at least 16 are needed, 32 are better"},
		"short":      {"0123456789abcde", "has 15 bytes: at least 16 are needed, 32 are better"},
		"enough":     {"0123456789abcdef", ""},
		"zeros":      {strings.Repeat("\x00", 32), "has only zero bytes"},
		"one letter": {strings.Repeat("k", 64), "repeats one byte"},
		"two":        {strings.Repeat("k", 31) + "l", ""},
	} {
		if got := Weakness([]byte(tt.secret)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
