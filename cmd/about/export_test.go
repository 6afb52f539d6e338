package about

// For tests in package cmd of the flags of all commands.
type FlagUse = flagUse

var (
	Describe = describe
	FlagsOf  = flagsOf
	Meanings = meanings
)
