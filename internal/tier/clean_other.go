//go:build !unix

package tier

func usualUmask() {}
