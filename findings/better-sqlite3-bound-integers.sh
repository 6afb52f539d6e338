#!/bin/sh
# Package:  better-sqlite3 12.11.1 (npm)
# Guess:    the number 17 as a parameter is the integer 17 for SQLite, or 17.0 is written as 17, as JavaScript does.
# Observed: it is the real 17.0. A column of texts stores it as "17.0", json_object as 17.0, and a comparison with
#           the text "17" finds nothing. A column of integers stores 17, and a BigInt is an integer.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund better-sqlite3@12.11.1
cat >integers.mjs <<'JS'
import Database from "better-sqlite3";
const db = new Database(":memory:");
db.exec("create table orders (number integer, id text)");
for (const id of [17, 17n, "17"]) {
  console.log(typeof id, JSON.stringify({ number: Number(id), id: String(id) }));
  db.exec("delete from orders");
  db.prepare("insert into orders values (?, ?)").run(id, id);
  console.log("  stored:", JSON.stringify(db.prepare("select * from orders").get()), "type:", db.prepare("select typeof(?)").pluck().get(id));
  console.log("  JSON:", db.prepare("select json_object('id', ?)").pluck().get(id), "text:", db.prepare("select 'order-' || ?").pluck().get(id));
  db.exec("update orders set id = '17'");
  console.log("  found by id:", db.prepare("select count(*) from orders where id = ?").pluck().get(id));
}
JS
node integers.mjs >observed
cat observed
cat >expected <<'TEXT'
number {"number":17,"id":"17"}
  stored: {"number":17,"id":"17.0"} type: real
  JSON: {"id":17.0} text: order-17.0
  found by id: 0
bigint {"number":17,"id":"17"}
  stored: {"number":17,"id":"17"} type: integer
  JSON: {"id":17} text: order-17
  found by id: 1
string {"number":17,"id":"17"}
  stored: {"number":17,"id":"17"} type: text
  JSON: {"id":"17"} text: order-17
  found by id: 1
TEXT
diff expected observed
