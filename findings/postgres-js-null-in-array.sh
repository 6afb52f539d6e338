#!/bin/sh
# Package:  postgres 3.4.9 (npm), with PostgreSQL on 127.0.0.1 (user postgres, no password); pg 8.23.1 as the reference
# Guess:    a NULL in an array that PostgreSQL returns, as array_agg makes it, is null in JavaScript, as a NULL in
#           a column is.
# Observed: it is the text "NULL", which a real text NULL is too, or NaN or false, without an error. An array with
#           null that postgres writes reaches the server as it is. pg reads null.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund postgres@3.4.9 pg@8.23.1
cat >arrays.mjs <<'JS'
import pg from "pg";
import postgres from "postgres";
const url = "postgres://postgres@127.0.0.1:5432/postgres";
const client = new pg.Client({ connectionString: url });
await client.connect().catch(() => process.exit(77));
const sql = postgres(url);
try {
  for (const query of [
    "select null::text as value",
    "select array_agg(name) as value from (values ('Ada'), (null), ('NULL')) as people (name)",
    "select '{1,NULL}'::int[] as value",
    "select '{t,f,NULL}'::bool[] as value",
  ]) {
    console.log(query);
    console.log("  pg:", (await client.query(query)).rows[0].value, "postgres:", (await sql.unsafe(query))[0].value);
  }
  const [sent] = await sql`select ${["Ada", null]}::text[]::text as text`;
  console.log("sent by postgres:", sent.text);
} finally {
  await sql.end();
  await client.end();
}
JS
status=0
node arrays.mjs >observed || status=$?
[ "$status" != 77 ] || { echo "no PostgreSQL on 127.0.0.1:5432" && exit 77; }
cat observed
cat >expected <<'TEXT'
select null::text as value
  pg: null postgres: null
select array_agg(name) as value from (values ('Ada'), (null), ('NULL')) as people (name)
  pg: [ 'Ada', null, 'NULL' ] postgres: [ 'Ada', 'NULL', 'NULL' ]
select '{1,NULL}'::int[] as value
  pg: [ 1, null ] postgres: [ 1, NaN ]
select '{t,f,NULL}'::bool[] as value
  pg: [ true, false, null ] postgres: [ true, false, false ]
sent by postgres: {Ada,NULL}
TEXT
[ "$status" = 0 ] && diff expected observed
