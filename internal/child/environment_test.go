package child

import (
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironment(t *testing.T) {
	environ := []string{
		"PATH=/bin", "HOME=/home/a", "LC_ALL=C", "TZ=UTC", "TERM=xterm", "EMPTY=", "API_URL=https://h/?a=b",
		"HANDOFF_KEY=k", "HANDOFF_SUMMARIZER_KEY=k", "OPENAI_API_KEY=k", "path_=k", "PATHS=k", "ENV=k", "BASH_ENV=k", "LD_PRELOAD=k", "=C:=k", "home=/other",
	}
	usual := []string{"PATH=/bin", "HOME=/home/a", "LC_ALL=C", "TZ=UTC", "TERM=xterm"}
	if runtime.GOOS == "windows" {
		usual = append(usual, "home=/other") // the same name
	}
	tests := []struct {
		name string
		also []string
		want []string // in addition to the usual ones
	}{
		{"usual", nil, nil},
		{"named", []string{"API_URL", "EMPTY", "HANDOFF_KEY"}, []string{"EMPTY=", "API_URL=https://h/?a=b", "HANDOFF_KEY=k"}},
		{"not set", []string{"MISSING", "API"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := append(slices.Clone(usual), tt.want...)
			got := Environment(environ, tt.also)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
