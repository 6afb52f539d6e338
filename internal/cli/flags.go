package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ByteSize is a flag value for a number of bytes: 1000, 64MiB, 10MB.
type ByteSize struct{ Bytes *int64 }

func NewByteSize(p *int64, value int64) ByteSize {
	*p = value
	return ByteSize{p}
}

var byteUnits = []struct {
	suffix string
	bytes  int64
}{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"B", 1}, {"", 1},
}

func (b ByteSize) Set(text string) error {
	for _, unit := range byteUnits {
		number, ok := strings.CutSuffix(text, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n <= 0 || n > math.MaxUint32/unit.bytes {
			return fmt.Errorf("%q is not a size from 1 to 4294967295 bytes: write it like 500000 or 64MiB", text)
		}
		*b.Bytes = n * unit.bytes
		return nil
	}
	return nil
}

func (b ByteSize) String() string {
	for _, unit := range byteUnits {
		if unit.bytes >= 1<<10 && *b.Bytes > 0 && *b.Bytes%unit.bytes == 0 {
			return fmt.Sprint(*b.Bytes/unit.bytes, unit.suffix)
		}
	}
	return strconv.FormatInt(*b.Bytes, 10)
}

func (ByteSize) Type() string { return "size" }

// SizeOrZero is a [ByteSize] that may be 0.
type SizeOrZero struct{ ByteSize }

func (s SizeOrZero) Set(text string) error {
	if text == "0" {
		*s.Bytes = 0
		return nil
	}
	return s.ByteSize.Set(text)
}

// MaxDuration is a flag value for a maximum duration, 0 for no limit.
type MaxDuration time.Duration

const anyDuration = "any"

func (l *MaxDuration) Set(text string) error {
	if text == anyDuration {
		*l = 0
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a duration above 0 and below 292 years: write it like 15m or 24h, or %s for no limit", text, anyDuration)
	}
	*l = MaxDuration(d)
	return nil
}

func (l *MaxDuration) String() string {
	if *l == 0 {
		return anyDuration
	}
	return time.Duration(*l).String()
}

func (*MaxDuration) Type() string { return "duration" }
