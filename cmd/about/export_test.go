package about

// For tests of the flags of all commands, which need package cmd.
type FlagUse = flagUse

var (
	Describe = describe
	FlagsOf  = flagsOf
	Meanings = meanings
)
