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

// cleared are the environment variables that configure handoff or programs that tests start. A name that ends
// in "_" is a prefix.
var cleared = []string{
	"HANDOFF_", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "TRACEPARENT", "OPENAI_",
	"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM",
	"LANG", "LANGUAGE", "LC_",
	"CLAUDE_CONFIG_DIR", "CODEX_HOME", "SHELL", "BASH_COMPLETION_USER_DIR", "ZDOTDIR", "BASH_ENV", "ENV", "CDPATH",
	"EDITOR", "VISUAL", "PAGER", "LESS", "GIT_", "GITHUB_", "JQ_COLORS", "PYTHONWARNINGS", "PYTHONPATH",
	"PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGSERVICE", "PGSSLMODE", "PGOPTIONS", "PGAPPNAME",
}

// kept are exceptions to cleared: the variables of the tests themselves, and the certificates for git's
// connections.
var kept = []string{"HANDOFF_TEST_", "HANDOFF_MEASURE", "HANDOFF_SCREENSHOTS", "HANDOFF_TEMPORAL_SERVER", "GIT_SSL_"}

func matches(list []string, name string) bool {
	return slices.ContainsFunc(list, func(n string) bool { return n == name || strings.HasSuffix(n, "_") && strings.HasPrefix(name, n) })
}

// CleanStart gives this process, and the programs that it starts, the usual umask, environment and
// signals, so that no test depends on how it was started. Call it from TestMain in packages that
// read the environment or start processes, but not where the test binary runs as such a process.
// [Run] calls it.
func CleanStart() {
	usualUmask()
	leaveHome()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); matches(cleared, name) && !matches(kept, name) {
			os.Unsetenv(name)
		}
	}
	// The servers of tests are on this host.
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		os.Setenv(name, strings.TrimPrefix(os.Getenv(name)+",127.0.0.1,localhost,::1", ","))
	}
	// A child process inherits that a signal is ignored, as by nohup, but not that it is caught. Go catches
	// all other signals by itself. This process continues to ignore these two signals, since nothing reads
	// the channel.
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// leaveHome unsets HOME, so that no test reads or writes the user's files. It sets the locations of the go
// command's and npm's settings and caches, which they derive from HOME.
func leaveHome() {
	if runtime.GOOS == "windows" { // programs fail without it
		return
	}
	used := []string{"GOCACHE", "GOENV", "GOMODCACHE", "GOPATH"}
	if out, err := exec.Command("go", append([]string{"env"}, used...)...).Output(); err == nil {
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

// A Clean runs the tests of M after a [CleanStart], for testscript.Main, which also runs other programs in
// the same binary: the other programs must see the original environment.
type Clean struct{ M *testing.M }

// Run returns the exit code.
func (c Clean) Run() int {
	CleanStart()
	return c.M.Run()
}
