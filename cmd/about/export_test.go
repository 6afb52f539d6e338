package about

// Exported for the tests of package cmd.
type FlagUse = flagUse

var (
	Describe = describe
	FlagsOf  = flagsOf
	Meanings = meanings
)
