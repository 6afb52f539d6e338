package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
)

func newGrants(g *cli.Globals) *cobra.Command {
	var roles []string
	var sqlite bool
	c := &cobra.Command{
		Use:   "grants [--grant ROLE=NAME]... [--sqlite]",
		Short: "Print SQL that makes the audit log append-only",
		Long: `Grants prints SQL for the owner of the tables: triggers that prevent all users from
changing or deleting records, messages and nodes, and for each --grant the permissions
of an existing PostgreSQL role:

  writer   add records and read: sufficient for handoff accept
  keeper   move messages to an archive, remove records after their retention period
  viewer   read

SQLite has no roles: --sqlite prints only the triggers. The owner of the tables or the
file can drop the triggers: audit verify detects the consequences with a checkpoint.`,
		Example: `  handoff audit grants --grant writer=agents --grant viewer=auditors | psql "$OWNER"
  handoff audit grants --sqlite | sqlite3 audit.db`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var b strings.Builder
			if sqlite && len(roles) > 0 {
				return fmt.Errorf("--grant: SQLite has no roles")
			}
			b.WriteString(sqlstore.Triggers(!sqlite))
			for _, text := range roles {
				role, name, ok := strings.Cut(text, "=")
				if !ok || name == "" || !slices.Contains(sqlstore.Roles(), sqlstore.Role(role)) {
					return fmt.Errorf("--grant %q: write it as writer=NAME, keeper=NAME or viewer=NAME", text)
				}
				b.WriteString(sqlstore.Grants(sqlstore.Role(role), name))
			}
			return g.WriteData("", c.OutOrStdout(), []byte(b.String()))
		},
	}
	c.Flags().StringArrayVar(&roles, "grant", nil, "permission of a role, as `ROLE=NAME`; may be repeated")
	c.Flags().BoolVar(&sqlite, "sqlite", false, "print SQL for SQLite instead of PostgreSQL")
	return c
}
