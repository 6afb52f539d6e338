#!/bin/sh
# Package:  @nats-io/kv 3.4.0 with @nats-io/transport-node 3.4.0 (npm) and github.com/nats-io/nats.go v1.55.0 (Go), with
#           NATS and JetStream on 127.0.0.1
# Guess:    get of a deleted key is null in JavaScript, as of a key that never was, and ErrKeyNotFound in Go for both.
# Observed: in JavaScript it is an entry with an empty text, which a stored empty text is too: only its operation
#           differs. Go has the error for both.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
npm install --silent --no-audit --no-fund @nats-io/kv@3.4.0 @nats-io/transport-node@3.4.0
go mod init example.com/finding >init 2>&1
go get github.com/nats-io/nats.go@v1.55.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	connection, err := nats.Connect("nats://127.0.0.1:4222")
	check(err)
	defer connection.Close()
	stream, err := jetstream.New(connection)
	check(err)
	bucket, err := stream.KeyValue(context.Background(), os.Args[1])
	check(err)
	for _, key := range []string{"never", "empty", "deleted"} {
		entry, err := bucket.Get(context.Background(), key)
		if err != nil {
			fmt.Println("Go", key, err)
			continue
		}
		fmt.Printf("Go %s %q\n", key, entry.Value())
	}
}
GO
go build -o read . >build 2>&1 || { cat build && exit 1; }
cat >deleted.mjs <<'JS'
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { execFileSync } from "node:child_process";
const connection = await connect({ servers: "127.0.0.1:4222" }).catch(() => process.exit(77));
const name = `finding_${process.pid}`;
const bucket = await new Kvm(connection).create(name);
try {
  await bucket.put("empty", "");
  await bucket.put("deleted", "order 17");
  await bucket.delete("deleted");
  for (const key of ["never", "empty", "deleted"]) {
    const entry = await bucket.get(key);
    console.log("JavaScript", key, entry && `${JSON.stringify(entry.string())} ${entry.operation}`);
  }
  process.stdout.write(execFileSync("./read", [name]));
} finally {
  await bucket.destroy();
  await connection.close();
}
JS
status=0
node deleted.mjs >observed || status=$?
[ "$status" != 77 ] || { echo "no NATS on 127.0.0.1:4222" && exit 77; }
cat observed
cat >expected <<'TEXT'
JavaScript never null
JavaScript empty "" PUT
JavaScript deleted "" DEL
Go never nats: key not found
Go empty ""
Go deleted nats: key not found
TEXT
[ "$status" = 0 ] && diff expected observed
