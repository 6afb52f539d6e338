#!/bin/sh
# Package:  github.com/tidwall/gjson v1.20.3 (Go)
# Guess:    the query #(id==9007199254740993) finds the element with this number and no other, because Int reads
#           such a number exactly. #(id=="17") finds texts, and #(id==17) numbers.
# Observed: above 2^53, the query finds the elements with a near number too, and #(…) the first of them. Both other
#           queries find the number and the text.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/tidwall/gjson@v1.20.3 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/tidwall/gjson"
)

const orders = `[
	{"id": 9007199254740992, "item": "lamp"},
	{"id": 9007199254740993, "item": "desk"},
	{"id": 17, "item": "chair"},
	{"id": "17", "item": "bed"},
	{"id": 18, "item": "rug"}
]`

func main() {
	fmt.Println("Int:", gjson.Get(orders, "1.id").Int())
	for _, query := range []string{
		`#(id==18)#.item`,
		`#(id==9007199254740993)#.item`,
		`#(id==9007199254740993).item`,
		`#(id>9007199254740992)#.item`,
		`#(id==17)#.item`,
		`#(id=="17")#.item`,
		`#(id=="17").item`,
	} {
		fmt.Println(query, gjson.Get(orders, query))
	}
}
GO
go run . >observed
cat observed
cat >expected <<'TEXT'
Int: 9007199254740993
#(id==18)#.item ["rug"]
#(id==9007199254740993)#.item ["lamp","desk"]
#(id==9007199254740993).item lamp
#(id>9007199254740992)#.item []
#(id==17)#.item ["chair","bed"]
#(id=="17")#.item ["chair","bed"]
#(id=="17").item chair
TEXT
diff expected observed
