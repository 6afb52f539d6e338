//go:build !unix

package regular

// Opening a pipe never blocks here.
const (
	nonBlock = 0
	noFollow = 0
)
