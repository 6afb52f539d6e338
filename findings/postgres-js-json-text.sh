#!/bin/sh
# Package:  postgres 3.4.9 (npm), with PostgreSQL on 127.0.0.1 (user postgres, no password); pg 8.23.1 as the reference
# Guess:    a text for a parameter of the type jsonb is JSON, as PostgreSQL takes it, such as the arguments of a
#           tool call. sql.json(null) is the JSON null.
# Observed: the text becomes a JSON text with the JSON in it, in which no operator finds a member, without an error.
#           pg stores the object. sql.json(null) is the NULL of SQL. An object is stored as one by both.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund postgres@3.4.9 pg@8.23.1
cat >json.mjs <<'JS'
import pg from "pg";
import postgres from "postgres";
const url = "postgres://postgres@127.0.0.1:5432/postgres";
const client = new pg.Client({ connectionString: url });
await client.connect().catch(() => process.exit(77));
const sql = postgres(url);
const show = (row) => `${row.type} ${row.stored} order: ${row.order}`;
try {
  for (const value of [{ order: 17 }, '{"order":17}']) {
    const query = "select jsonb_typeof($1::jsonb) as type, $1::jsonb::text as stored, $1::jsonb->'order' as order";
    console.log(typeof value);
    console.log("  pg:", show((await client.query(query, [value])).rows[0]));
    console.log("  postgres:", show((await sql`select jsonb_typeof(${value}::jsonb) as type, ${value}::jsonb::text as stored, ${value}::jsonb->'order' as order`)[0]));
  }
  for (const value of [null, "null", [null]]) {
    const [row] = await sql`select jsonb_typeof(${sql.json(value)}::jsonb) as type, ${sql.json(value)}::jsonb is null as missing`;
    console.log("sql.json:", JSON.stringify(value), "type:", row.type, "NULL:", row.missing);
  }
} finally {
  await sql.end();
  await client.end();
}
JS
status=0
node json.mjs >observed || status=$?
[ "$status" != 77 ] || { echo "no PostgreSQL on 127.0.0.1:5432" && exit 77; }
cat observed
cat >expected <<'TEXT'
object
  pg: object {"order": 17} order: 17
  postgres: object {"order": 17} order: 17
string
  pg: object {"order": 17} order: 17
  postgres: string "{\"order\":17}" order: null
sql.json: null type: null NULL: true
sql.json: "null" type: string NULL: false
sql.json: [null] type: array NULL: false
TEXT
[ "$status" = 0 ] && diff expected observed
