//go:build !unix

package regular

// Opening a pipe waits for nobody here.
const (
	nonBlock = 0
	noFollow = 0
)
