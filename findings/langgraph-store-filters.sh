#!/bin/sh
# Package:  @langchain/langgraph-checkpoint-postgres 1.0.5 and @langchain/langgraph-checkpoint 1.2.2 (npm), with
#           pg 8.23.1 and PostgreSQL on 127.0.0.1 (user postgres, no password)
# Guess:    PostgresStore and InMemoryStore, which tests use in its place, find the same items with the same filter.
# Observed: in PostgreSQL, the number 9 finds the text "9" too, null finds no item, and $ne leaves out the items
#           without the member. An object finds the items with these members, and in memory none. Both find the
#           same items by a comparison of numbers.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/langgraph-checkpoint-postgres@1.0.5 @langchain/langgraph-checkpoint@1.2.2 @langchain/core@1.4.0 pg@8.23.1
cat >filters.mjs <<'JS'
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import pg from "pg";
const connectionString = "postgres://postgres@127.0.0.1:5432/postgres", schema = `finding_${process.pid}`;
const client = new pg.Client({ connectionString });
await client.connect().catch(() => process.exit(77));
const postgres = new PostgresStore({ connectionOptions: { connectionString }, schema });
try {
  await postgres.setup();
  const memory = new InMemoryStore();
  const items = {
    number: { rooms: 9, sold: null },
    text: { rooms: "9" },
    larger: { rooms: 12, place: { city: "Rome", floor: 2 } },
    none: { place: { city: "Rome" } },
  };
  for (const store of [postgres, memory]) for (const [key, value] of Object.entries(items)) await store.put(["houses"], key, value);
  for (const filter of [{ rooms: { $gt: 9 } }, { rooms: 9 }, { sold: null }, { rooms: { $ne: 12 } }, { place: { city: "Rome" } }]) {
    const found = async (store) => (await store.search(["houses"], { filter })).map((item) => item.key).sort().join() || "-";
    console.log(JSON.stringify(filter), "memory:", await found(memory), "PostgreSQL:", await found(postgres));
  }
} finally {
  await postgres.stop();
  await client.query(`drop schema if exists ${schema} cascade`);
  await client.end();
}
JS
status=0
node filters.mjs >observed || status=$?
[ "$status" != 77 ] || { echo "no PostgreSQL on 127.0.0.1:5432" && exit 77; }
cat observed
cat >expected <<'TEXT'
{"rooms":{"$gt":9}} memory: larger PostgreSQL: larger
{"rooms":9} memory: number PostgreSQL: number,text
{"sold":null} memory: number PostgreSQL: -
{"rooms":{"$ne":12}} memory: none,number,text PostgreSQL: number,text
{"place":{"city":"Rome"}} memory: - PostgreSQL: larger,none
TEXT
[ "$status" = 0 ] && diff expected observed
