package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/checkup"
	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/settings"
	"github.com/eaapl/handoff/relay/audit/personal/sqlkeys"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/internal/relayflags"
	"github.com/eaapl/handoff/relay/probe"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
)

// A doctor checks stores, URLs and transports for handoff's command doctor.
type doctor struct {
	*cli.Globals
	log     relayflags.AuditLogFlag
	store   relayflags.StoreFlag
	posting postingFlags
	timeout time.Duration // for each check
}

// newDoctor returns the command that prints a [checkup.Report] as JSON. It prints no warnings about settings:
// handoff's command doctor, which runs it, has printed them.
func newDoctor(g *cli.Globals, tree settings.Tree) *cobra.Command {
	d := &doctor{Globals: g}
	c := &cobra.Command{
		Use:         "doctor [ADDRESS]...",
		Short:       "Check stores, URLs and transports",
		Annotations: map[string]string{settings.WarningsPrinted: ""},
		RunE: func(c *cobra.Command, addresses []string) error {
			list, _, err := tree.Effective(g)
			if err != nil {
				return err
			}
			if err := d.posting.load(g, c); err != nil {
				return err
			}
			stores := d.stores(c, list)
			servers, err := d.servers(list, addresses)
			if err != nil {
				return err
			}
			results := checkup.Run(c.Context(), d.timeout, append(stores, servers...))
			return report.WriteJSON(c.OutOrStdout(), checkup.Report{Stores: results[:len(stores)], Servers: results[len(stores):]})
		},
	}
	d.log.Register(g, c)
	d.store.Register(g, c)
	d.posting.register(c)
	c.Flags().DurationVar(&d.timeout, "check-timeout", 5*time.Second, "timeout of each check")
	return c
}

// stores returns the checks of the audit log, the outbox and the keys of data subjects.
func (d *doctor) stores(c *cobra.Command, list []settings.Setting) []checkup.Check {
	var checks []checkup.Check
	for _, s := range []struct {
		kind, flag, file, given string
		probe                   func(context.Context, string) (probe.Answer, error)
		tables                  func() (string, int)
	}{
		{"audit log", "audit-log", "audit.db", d.log.Address, sqlstore.Probe, sqlstore.Tables},
		{"outbox", "store", "state.db", d.store.Address, deliver.Probe, deliver.Tables},
		{"subject keys", "subject-keys", "subject-keys.db", "", sqlkeys.Probe, sqlkeys.Tables},
	} {
		places := checkup.PlacesOf(list, s.flag)
		if c.Flags().Changed(s.flag) && s.given != "" {
			places = []checkup.Place{{Value: s.given, Origin: "command line"}}
		}
		if len(places) == 0 && cli.StateDir() != "" {
			places = []checkup.Place{{Value: filepath.Join(cli.StateDir(), s.file), Origin: "default"}}
		}
		for _, p := range places {
			checks = append(checks, checkup.Check{Kind: s.kind, Place: shownAddress(p.Value), Origin: p.Origin, Look: func(ctx context.Context, r *checkup.Result) error {
				a, err := s.probe(ctx, p.Value)
				if err != nil {
					return orAbsent(err, p.Origin)
				}
				note(r, a)
				name, newest := s.tables()
				return compareTables(r, name, newest)
			}})
		}
	}
	return checks
}

// servers returns the checks of the configured URLs, and of the transports at addresses.
func (d *doctor) servers(list []settings.Setting, addresses []string) ([]checkup.Check, error) {
	var checks []checkup.Check
	for _, name := range []string{"claim-check", "alert-url", "summarizer-url"} {
		for _, p := range checkup.PlacesOf(list, name) {
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
	return checks, nil
}

// orAbsent turns the error that a file does not exist into [checkup.ErrAbsent] if the file's name is the
// default.
func orAbsent(err error, origin string) error {
	if errors.Is(err, fs.ErrNotExist) && origin == "default" {
		return checkup.ErrAbsent
	}
	return err
}

// note adds a server's information to a result.
func note(r *checkup.Result, a probe.Answer) {
	const limit = 5 * time.Second
	r.Server, r.Tables = a.Server, a.Tables
	if a.Clock == nil {
		return
	}
	r.Clock = &checkup.Clock{Ahead: a.Clock.Ahead.Seconds(), Within: a.Clock.Within.Seconds()}
	if a.Clock.Differs(limit) {
		way := "ahead of"
		if a.Clock.Ahead < 0 {
			way = "behind"
		}
		r.Notes = append(r.Notes, fmt.Sprintf("its clock is %v %s the local clock: one of them is wrong", a.Clock.Ahead.Abs().Round(time.Second), way))
	}
}

// compareTables returns an error if the tables of a store have another version.
func compareTables(r *checkup.Result, name string, newest int) error {
	switch version := r.Tables[name]; {
	case version > newest:
		return fmt.Errorf("the tables of the %s have version %d, but this program supports versions up to %d: use a newer handoff", name, version, newest)
	case version == 0:
		r.Notes = append(r.Notes, "the tables of the "+name+" do not exist yet")
	case version < newest:
		r.Notes = append(r.Notes, fmt.Sprintf("the tables of the %s have version %d: they are upgraded to version %d when they are used", name, version, newest))
	}
	return nil
}

// checkURL returns the check of a folder, or of a URL that is not a receiver's.
func (d *doctor) checkURL(kind string, p checkup.Place) checkup.Check {
	return checkup.Check{Kind: kind, Place: shownAddress(p.Value), Origin: p.Origin, Look: func(ctx context.Context, r *checkup.Result) error {
		if !strings.HasPrefix(p.Value, "http://") && !strings.HasPrefix(p.Value, "https://") {
			return checkup.LookAtFolder(p.Value, r)
		}
		u, err := url.Parse(p.Value)
		if err != nil {
			return errors.New("is not a URL")
		}
		a, err := http.Probe(ctx, u, http.PostOptions{Timeout: d.timeout})
		if answer := (*http.StatusError)(nil); errors.As(err, &answer) && answer.Code >= 400 && answer.Code < 500 {
			err = nil // its path, token or method may differ
		}
		note(r, a)
		return err
	}}
}

// checkTransport returns the check of a transport at an address.
func (d *doctor) checkTransport(address string) (checkup.Check, error) {
	row, u, err := transportOf(address)
	if err != nil {
		return checkup.Check{}, err
	}
	k := checkup.Check{Kind: "transport", Place: transport.Shown(u)}
	switch {
	case row.name == "dir":
		k.Look = func(_ context.Context, r *checkup.Result) error { return checkup.LookAtFolder(u.Opaque+u.Path, r) }
	case row.probe == nil:
		k.Look = func(_ context.Context, r *checkup.Result) error {
			r.Server = programs + row.name
			return child.FindAgent(r.Server)
		}
	default:
		k.Look = func(ctx context.Context, r *checkup.Result) error {
			a, err := row.probe(ctx, u, d.posting.optionsFor(u))
			note(r, a)
			if row.name == "sqlite" && errors.Is(err, fs.ErrNotExist) {
				return checkup.ErrAbsent
			}
			return err
		}
	}
	return k, nil
}

// shownAddress returns an address or a path without its secrets.
func shownAddress(address string) string {
	if row, u, err := transportOf(address); err == nil && row.name != "" && u.Host != "" {
		return transport.Shown(u)
	}
	return cli.ShownSetting(address)
}
