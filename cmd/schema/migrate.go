package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/migrate"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/registry"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// migrateFlags are the flags of schema migrate.
type migrateFlags struct {
	cli.Rewriting
	versionsFlags
	to     string
	format string
	quiet  bool

	migrations []*migrate.Migration
	schema     *validate.Schema // of the version to migrate to
}

func newMigrate(g *cli.Globals) *cobra.Command {
	f := &migrateFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "migrate --schema-registry DIR [FILE|DIR|-]...",
		Short: "Migrate messages to another version of their schema",
		Long: `Migrate applies the migrations of a registry to messages. The file NAME/FROM-to-TO.json,
such as message/2.0-to-2.1.json, migrates from one version to the next; several are
applied in sequence. A migration is a JSON Patch (RFC 6902), or a table:

  {"steps": [{"rename": "/constraints/budget", "to": "budgetUSD"},
             {"replace": "/subtasks/*/status", "values": {"done": "COMPLETED"}},
             {"remove": "/debug"},
             {"add": "/priority", "value": "normal"}]}

The schemaVersion of a message is its version, and is set to --to-version. Each change
is reported on stderr with its place; values from an add are reported as made up. The
result must be valid under the schema of its version.

Exit code 0: all messages are migrated, or already had that version; 1: a message could
not be migrated, and is left out; 2: an input could not be read.`,
		Example: `  handoff schema migrate --schema-registry registry/ --to-version 2.1 message.json
  handoff schema migrate --schema-registry registry/ --to-version 2.1 -i queue/`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.register(c)
	flags := c.Flags()
	flags.StringVar(&f.to, "to-version", "", "`VERSION` to migrate to (default: the latest)")
	cli.RegisterFormat(c, &f.format, "report format: text, json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "report only values that are made up")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	return c
}

// A migrateRecord is the report on one message.
type migrateRecord struct {
	Source string         `json:"source"`
	Index  int            `json:"index"`
	From   string         `json:"from"`
	To     string         `json:"to"`
	Done   []migrate.Done `json:"done"`
	// Signature is "broken" if the signature covers the message before the migration.
	Signature string `json:"signature,omitzero"`
	place     input.Origin
}

func (f *migrateFlags) run(c *cobra.Command, args []string) error {
	r, versions, err := f.open(f.Limits)
	if err != nil {
		return err
	}
	if f.to == "" {
		f.to = versions[len(versions)-1].Version
	}
	target := registry.For(versions, f.to)
	if target == nil || target.Version != f.to {
		return fmt.Errorf("--to-version %s: the registry has %s", term.Visible(f.to), cli.ShownVersions(versions))
	}
	if f.schema, err = cli.CompileRegistered(r, target); err != nil {
		return err
	}
	if f.migrations, err = migrate.Open(regular.DirFS(f.at), target.Name, f.Limits); err != nil {
		return fmt.Errorf("%s: %w", term.Visible(f.at), err)
	}
	f.Rewrite = f.migrate
	f.Publish = func(news []any) error {
		for _, one := range news {
			if err := f.say(one.(migrateRecord)); err != nil {
				return err
			}
		}
		return nil
	}
	return f.Run(c, args)
}

// migrate migrates one message. It may run concurrently.
func (f *migrateFlags) migrate(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return nil, input.InFile(d.Source.Name, err)
	}
	reject := func(format string, args ...any) ([]byte, error) {
		return nil, cli.Reject(fmt.Errorf("%s: %s", d.Origin(), term.Visible(fmt.Sprintf(format, args...))))
	}
	version := doc.Root().Get("schemaVersion")
	if version.Kind() != jsonstream.String {
		return reject("the version of the message is unknown: it has no schemaVersion")
	}
	record := migrateRecord{Source: d.Source.Name, Index: d.Index, From: version.Text(), To: f.to, Done: []migrate.Done{}, place: d.Origin()}
	path, err := migrate.Path(f.migrations, record.From, f.to)
	if err != nil {
		return reject("from version %s to %s: %v", finding.Shorten(record.From), f.to, err)
	}
	for _, m := range path {
		var done []migrate.Done
		if doc, done, err = m.Apply(doc, f.Limits); err != nil {
			return reject("%v", err)
		}
		record.Done = append(record.Done, done...)
	}
	text := doc.Raw().Bytes
	if len(path) > 0 {
		if text, err = jsonstream.Set(doc, "/schemaVersion", []byte(strconv.Quote(f.to))); err != nil {
			return reject("%v", err)
		}
		if doc, err = jsonstream.Parse(jsonstream.NewRaw(text), f.Limits); err != nil {
			return nil, input.InFile(d.Source.Name, err)
		}
		if doc.Root().Get(sign.Member).Exists() {
			record.Signature = "broken"
		}
	}
	if found := f.schema.Check(doc.Root()); len(found) > 0 {
		return reject("is not valid in version %s after the migration: %s", f.to, finding.Details(found))
	}
	publish(record)
	return jsonstream.AppendCompact(dst, text), nil
}

// say writes the report on one message.
func (f *migrateFlags) say(r migrateRecord) error {
	if f.format == "json" {
		if f.quiet {
			return nil
		}
		return report.WriteJSON(f.Stderr, r)
	}
	var b strings.Builder
	for _, d := range r.Done {
		if f.quiet && !d.MadeUp {
			continue
		}
		fmt.Fprintf(&b, "handoff: %s: %s to %s: ", r.place, d.From, d.To)
		if d.Place != "" {
			fmt.Fprintf(&b, "%s: ", term.Visible(d.Place))
		}
		fmt.Fprintf(&b, "%s: %s\n", d.Did, term.Visible(d.Detail))
	}
	if r.Signature != "" {
		fmt.Fprintf(&b, "handoff: %s: the signature covers the message before the migration: sign it again with handoff sign\n", r.place)
	}
	_, err := fmt.Fprint(f.Stderr, b.String())
	return err
}
