package term

import (
	"io"
	"testing"
)

// TestUseColor checks the precedence of the variables. No stream in it is a terminal.
func TestUseColor(t *testing.T) {
	for _, tt := range []struct {
		name, mode string
		env        map[string]string
		want       bool
	}{
		{name: "nothing", mode: "auto", want: false},
		{name: "flag on", mode: "always", env: map[string]string{"NO_COLOR": "1", "CLICOLOR": "0"}, want: true},
		{name: "flag off", mode: "never", env: map[string]string{"CLICOLOR_FORCE": "1", "FORCE_COLOR": "1"}, want: false},
		{name: "CLICOLOR_FORCE", mode: "auto", env: map[string]string{"CLICOLOR_FORCE": "1"}, want: true},
		{name: "CLICOLOR_FORCE=0", mode: "auto", env: map[string]string{"CLICOLOR_FORCE": "0"}, want: false},
		{name: "FORCE_COLOR", mode: "auto", env: map[string]string{"FORCE_COLOR": "3"}, want: true},
		{name: "FORCE_COLOR=0", mode: "auto", env: map[string]string{"FORCE_COLOR": "0"}, want: false},
		{name: "NO_COLOR first", mode: "auto", env: map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1", "FORCE_COLOR": "1"}, want: false},
		{name: "CLICOLOR_FORCE before FORCE_COLOR", mode: "auto", env: map[string]string{"CLICOLOR_FORCE": "1", "FORCE_COLOR": "0"}, want: true},
		{name: "FORCE_COLOR before CLICOLOR", mode: "auto", env: map[string]string{"FORCE_COLOR": "1", "CLICOLOR": "0"}, want: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "CLICOLOR"} {
				t.Setenv(name, tt.env[name])
			}
			if got := UseColor(tt.mode, io.Discard); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR"} {
		t.Setenv(name, "")
	}
	t.Setenv("CLICOLOR", "0")
	if wanted, says := environmentColor(); wanted || !says {
		t.Error("CLICOLOR=0 leaves it to the terminal")
	}
}
