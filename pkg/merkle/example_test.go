package merkle_test

import (
	"crypto/sha256"
	"fmt"

	"github.com/eaapl/handoff/pkg/merkle"
)

// A log is verified by its record hashes alone.
func ExampleBuilder() {
	b := merkle.NewBuilder(300)
	for i := range 1000 {
		for _, n := range b.Add(sha256.Sum256(fmt.Append(nil, i))) {
			fmt.Printf("level %d, node %d: %x\n", n.Level, n.Index, n.Hash[:4])
		}
	}
	root, ok := b.RootAt(300)
	fmt.Printf("root of 300: %x, %v; of %d: ", root[:4], ok, b.Size())
	root = b.Root()
	fmt.Printf("%x\n", root[:4])
	// Output:
	// level 1, node 0: 88c3ded0
	// level 1, node 1: 7aa34054
	// level 1, node 2: aba4cba0
	// root of 300: fea83b23, true; of 1000: 3b93b70e
}
