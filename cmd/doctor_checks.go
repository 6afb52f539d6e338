package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/audit/personal/sqlkeys"
	"github.com/eaapl/handoff/pkg/audit/sqlstore"
	"github.com/eaapl/handoff/pkg/child"
	"github.com/eaapl/handoff/pkg/deliver"
	"github.com/eaapl/handoff/pkg/probe"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/transport"
	"github.com/eaapl/handoff/pkg/transport/http"
)

// A named place is a value of a setting.
type namedPlace struct{ value, origin string }

// placesOf returns the values of the settings with a flag's name, of all commands, each once.
func placesOf(list []setting, name string) []namedPlace {
	var places []namedPlace
	seen := map[string]bool{}
	for _, s := range list {
		if s.Origin == "default" || s.flag.Name != name {
			continue
		}
		values := []string{s.flag.Value.String()}
		if many, ok := s.flag.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, value := range values {
			if value != "" && !seen[value] {
				seen[value] = true
				places = append(places, namedPlace{value, s.Origin})
			}
		}
	}
	return places
}

// checks lists what is to be looked at.
func (d *doctor) checks(c *cobra.Command, list []setting, addresses []string) ([]check, error) {
	if err := d.posting.load(d.Globals, c); err != nil {
		return nil, err
	}
	var checks []check
	for _, s := range []struct {
		kind, flag, file, given string
		probe                   func(context.Context, string) (probe.Answer, error)
		tables                  func() (string, int)
	}{
		{"audit log", "audit-log", "audit.db", d.log.Address, sqlstore.Probe, sqlstore.Tables},
		{"outbox", "store", "state.db", d.store.Address, deliver.Probe, deliver.Tables},
		{"subject keys", "subject-keys", "subject-keys.db", "", sqlkeys.Probe, sqlkeys.Tables},
	} {
		places := placesOf(list, s.flag)
		if c.Flags().Changed(s.flag) && s.given != "" {
			places = []namedPlace{{s.given, "command line"}}
		}
		if len(places) == 0 && cli.StateDir() != "" {
			places = []namedPlace{{filepath.Join(cli.StateDir(), s.file), "default"}}
		}
		for _, p := range places {
			checks = append(checks, check{s.kind, shownAddress(p.value), p.origin, func(ctx context.Context, r *checkResult) error {
				a, err := s.probe(ctx, p.value)
				if err != nil {
					return orAbsent(err, p.origin)
				}
				r.note(a)
				name, newest := s.tables()
				return r.compareTables(name, newest)
			}})
		}
	}
	for _, s := range list {
		if namesFile(s.flag) && !slices.Contains([]string{"audit-log", "store", "subject-keys"}, s.flag.Name) {
			checks = appendFiles(checks, placesOf([]setting{s}, s.flag.Name), s.flag.Name)
		}
	}
	for _, name := range []string{"claim-check", "alert-url", "summarizer-url"} {
		for _, p := range placesOf(list, name) {
			checks = append(checks, d.checkURL(name, p))
		}
	}
	for _, address := range addresses {
		k, err := d.checkTransport(address)
		if err != nil {
			return nil, err
		}
		checks = append(checks, k)
	}
	return append(checks, folderChecks()...), nil
}

// orAbsent makes an error of what is not there one of what is not made yet, if nobody has named it.
func orAbsent(err error, origin string) error {
	if errors.Is(err, fs.ErrNotExist) && origin == "default" {
		return errAbsent
	}
	return err
}

// note takes over what a server has said.
func (r *checkResult) note(a probe.Answer) {
	const limit = 5 * time.Second
	r.Server, r.Tables = a.Server, a.Tables
	if a.Clock == nil {
		return
	}
	r.Clock = &clockFacts{a.Clock.Ahead.Seconds(), a.Clock.Within.Seconds()}
	if a.Clock.Differs(limit) {
		way := "ahead of"
		if a.Clock.Ahead < 0 {
			way = "behind"
		}
		r.Notes = append(r.Notes, fmt.Sprintf("its clock is %v %s the one here: one of them is wrong", a.Clock.Ahead.Abs().Round(time.Second), way))
	}
}

// compareTables says what is wrong with the tables of a store.
func (r *checkResult) compareTables(name string, newest int) error {
	switch version := r.Tables[name]; {
	case version > newest:
		return fmt.Errorf("the tables of the %s have version %d, and this program knows versions up to %d: use a newer handoff", name, version, newest)
	case version == 0:
		r.Notes = append(r.Notes, "there are no tables of the "+name+" yet")
	case version < newest:
		r.Notes = append(r.Notes, fmt.Sprintf("the tables of the %s have version %d: they get version %d when they are used", name, version, newest))
	}
	return nil
}

// appendFiles adds checks of files that are configured, without those that are checked already.
func appendFiles(checks []check, places []namedPlace, flag string) []check {
	for _, p := range places {
		if p.value == "-" {
			continue
		}
		place, known := shownAddress(p.value), false
		for _, k := range checks {
			known = known || k.kind == flag && k.place == place
		}
		if !known {
			checks = append(checks, check{flag, place, p.origin, func(_ context.Context, r *checkResult) error { return lookAtFile(flag, p.value, r) }})
		}
	}
	return checks
}

// lookAtFile checks that a file can be read, and, where it has to be secret, that it is.
func lookAtFile(flag, path string, r *checkResult) error {
	info, err := os.Stat(path)
	if err != nil {
		return term.PlainError(err)
	}
	if regular.Check(info) != nil {
		r.Notes = append(r.Notes, "it is not a regular file, and was not opened")
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
		r.Notes = append(r.Notes, fmt.Sprintf("other users can read it (mode %04o): chmod 600 keeps it to its owner", mode.Perm()))
	}
	return nil
}

// checkURL checks a URL that is not that of a receiver, or a folder.
func (d *doctor) checkURL(kind string, p namedPlace) check {
	return check{kind, shownAddress(p.value), p.origin, func(ctx context.Context, r *checkResult) error {
		if !strings.HasPrefix(p.value, "http://") && !strings.HasPrefix(p.value, "https://") {
			return lookAtFolder(p.value, r)
		}
		u, err := url.Parse(p.value)
		if err != nil {
			return errors.New("is no URL")
		}
		a, err := http.Probe(ctx, u, http.PostOptions{Timeout: d.timeout})
		if answer := (*http.StatusError)(nil); errors.As(err, &answer) && answer.Code >= 400 && answer.Code < 500 {
			err = nil // it has a path, a token or a method of its own
		}
		r.note(a)
		return err
	}}
}

// checkTransport checks a transport at an address.
func (d *doctor) checkTransport(address string) (check, error) {
	row, u, err := transportOf(address)
	if err != nil {
		return check{}, err
	}
	k := check{kind: "transport", place: transport.Shown(u)}
	switch {
	case row.name == "dir":
		k.look = func(_ context.Context, r *checkResult) error { return lookAtFolder(u.Opaque+u.Path, r) }
	case row.probe == nil:
		k.look = func(_ context.Context, r *checkResult) error {
			r.Server = programs + row.name
			return child.FindAgent(r.Server)
		}
	default:
		k.look = func(ctx context.Context, r *checkResult) error {
			a, err := row.probe(ctx, u, d.posting.optionsFor(u))
			r.note(a)
			if row.name == "sqlite" && errors.Is(err, fs.ErrNotExist) {
				return errAbsent
			}
			return err
		}
	}
	return k, nil
}

// folderChecks checks the folders that the program writes to.
func folderChecks() []check {
	var checks []check
	for _, f := range []struct{ kind, path string }{
		{"state folder", cli.StateDir()},
		{"working folder", "."},
		{"temporary folder", os.TempDir()},
	} {
		if f.path == "" {
			continue
		}
		path, err := filepath.Abs(f.path)
		if err != nil {
			path = f.path
		}
		checks = append(checks, check{kind: f.kind, place: path, look: func(_ context.Context, r *checkResult) error { return lookAtFolder(path, r) }})
	}
	return checks
}

// lookAtFolder checks that a folder can be written to, or made, and how much space there is.
func lookAtFolder(path string, r *checkResult) error {
	const little = 100 << 20
	there := path
	info, err := os.Stat(there)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(there) != there {
		there = filepath.Dir(there)
		info, err = os.Stat(there)
	}
	switch {
	case err != nil:
		return term.PlainError(err)
	case !info.IsDir():
		return fmt.Errorf("%s: is not a directory", there)
	case !mayWrite(there):
		return fmt.Errorf("%s: cannot be written to", there)
	}
	if free, ok := freeSpace(there); ok {
		if r.Free = free; free < little {
			r.Notes = append(r.Notes, "there is little space")
		}
	}
	if there != path {
		return errAbsent
	}
	return nil
}
