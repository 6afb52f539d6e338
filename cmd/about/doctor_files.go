package about

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/eaapl/handoff/internal/checkup"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/settings"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/sign"
)

// fileChecks returns the checks of the configured files, other than stores, which handoff-relay checks.
func fileChecks(list []settings.Setting) []checkup.Check {
	var checks []checkup.Check
	for _, s := range list {
		if settings.NamesFile(s.Flag) && !slices.Contains([]string{"audit-log", "store", "subject-keys"}, s.Flag.Name) {
			checks = appendFiles(checks, checkup.PlacesOf([]settings.Setting{s}, s.Flag.Name), s.Flag.Name)
		}
	}
	return checks
}

// appendFiles appends a check for each place that has none.
func appendFiles(checks []checkup.Check, places []checkup.Place, flag string) []checkup.Check {
	for _, p := range places {
		if p.Value == "-" {
			continue
		}
		place, known := cli.ShownSetting(p.Value), false
		for _, k := range checks {
			known = known || k.Kind == flag && k.Place == place
		}
		if !known {
			checks = append(checks, checkup.Check{Kind: flag, Place: place, Origin: p.Origin, Look: func(_ context.Context, r *checkup.Result) error { return lookAtFile(flag, p.Value, r) }})
		}
	}
	return checks
}

// lookAtFile checks that a file is readable and, if it holds a secret, that only its owner can read it.
func lookAtFile(flag, path string, r *checkup.Result) error {
	info, err := os.Stat(path)
	if err != nil {
		return term.PlainError(err)
	}
	if regular.Check(info) != nil {
		r.Notes = append(r.Notes, "it is not a regular file, so it was not opened")
		return nil
	}
	f, err := regular.Open(path)
	if err != nil {
		return term.PlainError(err)
	}
	defer f.Close() // read only: nothing can be lost
	secret := slices.Contains([]string{"token-file", "tls-key", "secret-file"}, flag)
	if flag == "key-file" && info.Size() < 1<<20 {
		text, err := io.ReadAll(f)
		if err != nil {
			return term.PlainError(err)
		}
		keys, err := sign.ParseKeys(text)
		if err != nil {
			if keys, err = sign.ParseJWSKeys(text); err != nil {
				return err
			}
		}
		for _, key := range keys {
			secret = secret || !key.IsPublic()
		}
	}
	if mode := info.Mode(); secret && mode.Perm()&0o044 != 0 && runtime.GOOS != "windows" {
		r.Notes = append(r.Notes, fmt.Sprintf("other users can read it (mode %04o): protect it with chmod 600", mode.Perm()))
	}
	return nil
}
