package tier

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// cleared are the environment variables that handoff, or a program that tests start, goes by. A name
// that ends in "_" stands for all that begin so.
var cleared = []string{
	"HANDOFF_", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "TRACEPARENT", "OPENAI_",
	"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM",
	"LANG", "LANGUAGE", "LC_",
	"CLAUDE_CONFIG_DIR", "CODEX_HOME", "SHELL", "BASH_COMPLETION_USER_DIR", "ZDOTDIR", "BASH_ENV", "ENV", "CDPATH",
	"EDITOR", "VISUAL", "PAGER", "LESS", "GIT_", "GITHUB_", "JQ_COLORS", "PYTHONWARNINGS", "PYTHONPATH",
	"PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGSERVICE", "PGSSLMODE", "PGOPTIONS", "PGAPPNAME",
}

// kept are those of them that are for tests themselves, or by which git is allowed to connect.
var kept = []string{"HANDOFF_TEST_", "HANDOFF_MEASURE", "HANDOFF_SCREENSHOTS", "HANDOFF_TEMPORAL_SERVER", "GIT_SSL_"}

func names(list []string, name string) bool {
	return slices.ContainsFunc(list, func(n string) bool { return n == name || strings.HasSuffix(n, "_") && strings.HasPrefix(name, n) })
}

// CleanStart makes tests independent of how their process was started: what it unsets, or sets, is
// what they and the programs that they start would find in most places. Call it from TestMain in
// packages that read the environment or start processes, unless this process is such a program. Run
// calls it.
func CleanStart() {
	usualUmask()
	leaveHome()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); names(cleared, name) && !names(kept, name) {
			os.Unsetenv(name)
		}
	}
	// Tests listen on this host, which no proxy reaches.
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		os.Setenv(name, strings.TrimPrefix(os.Getenv(name)+",127.0.0.1,localhost,::1", ","))
	}
	// A signal that is ignored, as by nohup, stays ignored in processes that are started; one that is
	// caught is not. These two are all that Go does not catch where they are ignored. Nothing reads the
	// channel, so that this process goes on ignoring them.
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// leaveHome unsets HOME: what users have there, such as settings of handoff, is not for tests, and what
// tests have is not for users. The go command, and the SDKs that tests install, are told where theirs is.
func leaveHome() {
	if runtime.GOOS == "windows" { // whose programs need it
		return
	}
	used := []string{"GOCACHE", "GOENV", "GOMODCACHE", "GOPATH"}
	if out, err := exec.Command("go", append([]string{"env"}, used...)...).Output(); err == nil { // else no test needs it
		for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
			os.Setenv(used[i], value)
		}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		os.Setenv("XDG_CACHE_HOME", cache)
	}
	if home := os.Getenv("HOME"); home != "" {
		for name, file := range map[string]string{"npm_config_cache": ".npm", "npm_config_userconfig": ".npmrc"} {
			if os.Getenv(name) == "" {
				os.Setenv(name, filepath.Join(home, file))
			}
		}
	}
	os.Unsetenv("HOME")
}

// Clean runs the tests of M after [CleanStart]. It is for testscript.Main, which
// runs programs that are in the same binary, and those see the environment as it is.
type Clean struct{ M *testing.M }

// Run returns the exit code.
func (c Clean) Run() int {
	CleanStart()
	return c.M.Run()
}
