package sqlstore

import (
	"fmt"
	"strconv"
	"strings"
)

// rejectedEvents are the numbers of the events that [audit.Batch.RemoveRejected] may remove.
const rejectedEvents = "6, 10, 19, 20"

// frozen are the append-only tables, with the conditions under which a row may be changed or deleted. The
// conditions refer to audit_archive and audit_removal, whose rows are permanent.
var frozen = []struct{ table, key, update, remove string }{
	{"audit_record", "sequence", "NEW.sequence = OLD.sequence AND NEW.hash = OLD.hash AND NEW.event = -1 AND OLD.event NOT BETWEEN " + strconv.Itoa(firstKept) + " AND " + strconv.Itoa(lastKept) + " AND (OLD.sequence < (SELECT max(before) FROM audit_removal) OR OLD.event IN (" + rejectedEvents + ") AND OLD.key_id IS NULL AND OLD.sequence < (SELECT -min(before) FROM audit_removal))", ""},
	{"audit_message", "sequence", "", "EXISTS (SELECT 1 FROM audit_archive WHERE OLD.sequence BETWEEN first AND last) OR OLD.sequence < (SELECT max(before) FROM audit_removal) OR EXISTS (SELECT 1 FROM audit_record WHERE sequence = OLD.sequence AND event = -1)"},
	{"audit_personal", "sequence", "", "OLD.sequence < (SELECT max(before) FROM audit_removal) OR EXISTS (SELECT 1 FROM audit_record WHERE sequence = OLD.sequence AND event = -1)"},
	{"audit_node", "level,position", "", ""},
	{"audit_archive", "first", "", ""},
	{"audit_removal", "before", "", ""},
}

// A Role is a set of permissions of a database role.
type Role string

// The roles.
const (
	Writer Role = "writer" // add records, and read
	Keeper Role = "keeper" // move messages to an archive, and remove records after the retention period
	Viewer Role = "viewer" // read
)

// Roles returns all roles.
func Roles() []Role { return []Role{Writer, Keeper, Viewer} }

// reading grants the permissions of all roles.
var reading = "GRANT SELECT ON " + strings.Join(tables, ", ") + ", handoff_version TO %s;"

// grants are the statements of each role.
var grants = map[Role][]string{
	Viewer: {reading},
	Writer: {
		reading,
		"GRANT INSERT ON audit_record, audit_message, audit_node, audit_personal TO %s;",
		"GRANT INSERT, UPDATE, DELETE ON audit_pending TO %s; -- messages in flight: not evidence",
	},
	Keeper: {
		reading,
		"GRANT INSERT ON audit_record, audit_node, audit_archive, audit_removal TO %s;",
		"GRANT DELETE ON audit_message, audit_personal TO %s; -- the triggers allow it for messages that are archived or older than the retention period",
		"GRANT UPDATE ON audit_record TO %s;",
	},
}

// Triggers returns the statements that make the tables of an audit log append-only for all roles, as long as
// the triggers exist.
func Triggers(postgres bool) string {
	var b strings.Builder
	if postgres {
		b.WriteString(`CREATE OR REPLACE FUNCTION audit_forbid() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the audit log is append-only: no % of %', TG_OP, TG_TABLE_NAME; END $$;
CREATE OR REPLACE FUNCTION audit_removed() RETURNS bigint LANGUAGE sql STABLE AS
  $$ SELECT max(before) FROM audit_removal $$;
CREATE OR REPLACE FUNCTION audit_rejected() RETURNS bigint LANGUAGE sql STABLE AS
  $$ SELECT -min(before) FROM audit_removal $$;
CREATE OR REPLACE FUNCTION audit_buried(n bigint) RETURNS boolean LANGUAGE sql STABLE AS
  $$ SELECT EXISTS (SELECT 1 FROM audit_record WHERE sequence = n AND event = -1) $$;
CREATE OR REPLACE FUNCTION audit_archived(n bigint) RETURNS boolean LANGUAGE sql STABLE AS
  $$ SELECT EXISTS (SELECT 1 FROM audit_archive WHERE n BETWEEN first AND last) $$;
`)
	}
	for _, f := range frozen {
		for _, event := range []struct{ name, unless string }{{"update", f.update}, {"delete", f.remove}} {
			name := f.table + "_no_" + event.name
			when := ""
			if event.unless != "" {
				when = " WHEN (NOT coalesce(" + event.unless + ", false))"
			}
			if !postgres {
				fmt.Fprintf(&b, "DROP TRIGGER IF EXISTS %[1]s;\nCREATE TRIGGER %[1]s BEFORE %[2]s ON %[3]s%[4]s\n  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;\n", name, strings.ToUpper(event.name), f.table, when)
				continue
			}
			// Conditions of triggers cannot contain queries in PostgreSQL.
			when = strings.NewReplacer(
				"(SELECT max(before) FROM audit_removal)", "audit_removed()",
				"(SELECT -min(before) FROM audit_removal)", "audit_rejected()",
				"EXISTS (SELECT 1 FROM audit_record WHERE sequence = OLD.sequence AND event = -1)", "audit_buried(OLD.sequence)",
				"EXISTS (SELECT 1 FROM audit_archive WHERE OLD.sequence BETWEEN first AND last)", "audit_archived(OLD.sequence)",
			).Replace(when)
			fmt.Fprintf(&b, "CREATE OR REPLACE TRIGGER %s BEFORE %s ON %s\n  FOR EACH ROW%s EXECUTE FUNCTION audit_forbid();\n", name, strings.ToUpper(event.name), f.table, when)
		}
		if postgres {
			fmt.Fprintf(&b, "CREATE OR REPLACE TRIGGER %s_no_truncate BEFORE TRUNCATE ON %s\n  FOR EACH STATEMENT EXECUTE FUNCTION audit_forbid();\n", f.table, f.table)
			continue
		}
		// INSERT OR REPLACE deletes rows without firing the DELETE trigger.
		var same []string
		for key := range strings.SplitSeq(f.key, ",") {
			same = append(same, key+" = NEW."+key)
		}
		fmt.Fprintf(&b, "CREATE TRIGGER IF NOT EXISTS %s_no_replace BEFORE INSERT ON %s WHEN EXISTS (SELECT 1 FROM %s WHERE %s)\n  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;\n", f.table, f.table, f.table, strings.Join(same, " AND "))
	}
	return b.String()
}

// Grants returns the statements that give an existing PostgreSQL role the permissions of role and no others.
func Grants(role Role, name string) string {
	quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	var b strings.Builder
	for _, statement := range grants[role] {
		fmt.Fprintf(&b, statement+"\n", quoted)
	}
	return b.String()
}
