package dictionary

import (
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/klauspost/compress/zstd"
)

// Limits of training.
const (
	// DefaultMaxBytes is the default of [Options].MaxBytes.
	DefaultMaxBytes = 64 << 10
	// MinMaxBytes and MaxMaxBytes bound [Options].MaxBytes.
	MinMaxBytes = 1 << 10
	MaxMaxBytes = 128 << 10
	// MinSamples is the minimum number of samples of [MinSampleBytes] or more.
	MinSamples = 8
	// MinSampleBytes is the minimum length of a sample; shorter ones are ignored.
	MinSampleBytes = 32

	// maxSampleBytes is the maximum number of bytes used of a sample: a dictionary does not help
	// beyond the first block.
	maxSampleBytes = 128 << 10
	// maxTotalBytes is the maximum number of bytes used of all samples.
	maxTotalBytes = 64 << 20
	// maxTableSamples is the maximum number of samples for the entropy tables.
	maxTableSamples = 512
	// minHistory is the minimum length of a dictionary's content.
	minHistory = 128
)

// ErrSamples reports samples that a dictionary cannot be trained on.
var ErrSamples = errors.New("no dictionary can be made from these samples")

// Options configure training. The zero value is a good default.
type Options struct {
	// MaxBytes is the maximum size of the dictionary, from [MinMaxBytes] to [MaxMaxBytes]; 0 means
	// [DefaultMaxBytes]. The dictionary is smaller if the samples have less in common.
	MaxBytes int
	// ID is the dictionary's id, from [MinID] to [MaxID]; 0 means an id derived from the content,
	// other than [BuiltinID].
	ID uint32
}

// Train returns a zstd dictionary for data like the samples. These should be single messages, a
// hundred or more and together at least ten times the size of the dictionary. The result is
// deterministic for the same samples in the same order.
//
// Train uses the first 128 KiB of each sample and, if there are more than 64 MiB in all, an even
// selection. It needs at most about 100 MiB in addition to the samples. The error wraps
// [ErrSamples] if there are too few samples or they have nothing in common.
func Train(samples [][]byte, o Options) ([]byte, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxBytes < MinMaxBytes || o.MaxBytes > MaxMaxBytes {
		return nil, fmt.Errorf("a dictionary of %d bytes: it must have %d to %d", o.MaxBytes, MinMaxBytes, MaxMaxBytes)
	}
	if o.ID != 0 && (o.ID < MinID || o.ID > MaxID) {
		return nil, fmt.Errorf("dictionary id %d: it must be from %d to %d, the range for private use", o.ID, MinID, MaxID)
	}
	usable := selectSamples(samples)
	if len(usable) < MinSamples {
		return nil, fmt.Errorf("%w: %d of them have %d bytes or more, at least %d are needed",
			ErrSamples, len(usable), MinSampleBytes, MinSamples)
	}
	history := cover(usable, o.MaxBytes)
	for {
		if len(history) < minHistory {
			return nil, fmt.Errorf("%w: they have only %d bytes in common, at least %d are needed",
				ErrSamples, len(history), minHistory)
		}
		dict, err := build(history, thin(usable, maxTableSamples), o.ID)
		if err != nil {
			return nil, err
		}
		excess := len(dict) - o.MaxBytes
		if excess <= 0 {
			return dict, nil
		}
		history = history[min(excess, len(history)):] // the most valuable content is at the end
	}
}

// selectSamples returns the used part of each usable sample, within maxTotalBytes.
func selectSamples(samples [][]byte) [][]byte {
	var usable [][]byte
	total := 0
	for _, s := range samples {
		if len(s) >= MinSampleBytes {
			s = s[:min(len(s), maxSampleBytes)]
			usable = append(usable, s)
			total += len(s)
		}
	}
	if total <= maxTotalBytes {
		return usable
	}
	usable = thin(usable, int(int64(len(usable))*maxTotalBytes/int64(total)))
	total = 0
	for i, s := range usable {
		if total += len(s); total > maxTotalBytes {
			return usable[:i]
		}
	}
	return usable
}

// thin returns at most n of the samples, evenly distributed.
func thin(samples [][]byte, n int) [][]byte {
	if len(samples) <= n {
		return samples
	}
	kept := make([][]byte, n)
	for i := range kept {
		kept[i] = samples[int64(i)*int64(len(samples))/int64(n)]
	}
	return kept
}

// build puts the header before the history, with the entropy tables of the samples compressed with
// that history.
func build(history []byte, samples [][]byte, id uint32) (dict []byte, err error) {
	// The library can panic on unusual statistics that have no table.
	defer func() {
		if r := recover(); r != nil {
			dict, err = nil, fmt.Errorf("%w: building the tables: %v", ErrSamples, r)
		}
	}()
	if id == 0 {
		id = deriveID(history)
	}
	dict, err = zstd.BuildDict(zstd.BuildDictOptions{
		ID:         id,
		Contents:   samples,
		History:    history,
		Offsets:    [3]int{1, 4, 8},
		CompatV155: true,
		Level:      zstd.SpeedBestCompression,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: building the tables: %w", ErrSamples, err)
	}
	return dict, nil
}

func deriveID(history []byte) uint32 {
	h := fnv.New64a()
	h.Write(history)
	id := MinID + uint32(h.Sum64()%uint64(MaxID-MinID+1))
	if id == BuiltinID {
		id++
	}
	return id
}
