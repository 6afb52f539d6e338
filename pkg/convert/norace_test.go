//go:build !race

package convert

const underRace = false
