#!/bin/sh
# Package:  pg 8.23.1 (npm), with PostgreSQL on 127.0.0.1 (user postgres, no password)
# Guess:    the elements of a numeric[] are texts, as a numeric is, because a number would change them. Those of
#           an int8[] are texts, as an int8 is.
# Observed: the elements of a numeric[] are numbers, which have lost their last digits, without an error. An int8[]
#           has texts.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund pg@8.23.1
cat >numeric.mjs <<'JS'
import pg from "pg";
const client = new pg.Client({ connectionString: "postgres://postgres@127.0.0.1:5432/postgres" });
await client.connect().catch(() => process.exit(77));
const query = `select amount, array_agg(amount) as amounts, id, array_agg(id) as ids
  from (values (12345678901234567.89::numeric, 9007199254740993::int8), (19.90, 17)) as bills (amount, id) group by amount, id order by id`;
for (const row of (await client.query(query)).rows) console.log(row);
await client.end();
JS
status=0
node numeric.mjs >observed || status=$?
[ "$status" != 77 ] || { echo "no PostgreSQL on 127.0.0.1:5432" && exit 77; }
cat observed
cat >expected <<'TEXT'
{ amount: '19.90', amounts: [ 19.9 ], id: '17', ids: [ '17' ] }
{
  amount: '12345678901234567.89',
  amounts: [ 12345678901234568 ],
  id: '9007199254740993',
  ids: [ '9007199254740993' ]
}
TEXT
[ "$status" = 0 ] && diff expected observed
