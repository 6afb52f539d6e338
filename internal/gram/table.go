package gram

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// A Model is the result of training: a gate and the weights of features. It is safe for
// concurrent use.
type Model struct {
	gate        Gate
	scale, bias float64
	// Each bucket is a little-endian number of eight bytes with four slots of two bytes, a check and a weight
	// of a feature. The buckets are part of the encoding.
	buckets *[8 * buckets]byte
}

const (
	bucketBits = 15
	buckets    = 1 << bucketBits
	slotsEach  = 4
	slots      = slotsEach * buckets
	headerLen  = 12
	modelLen   = headerLen + gateLen + 8*buckets
)

// Weights are the weights of a trained model before packing.
type Weights struct {
	Keys   []uint64  // of features, by descending weight: a full bucket takes no more
	Values []float64 // their weights
	Bias   float64
	Gate   Gate
}

// Append appends the encoding of w to dst.
func (w *Weights) Append(dst []byte) []byte {
	scale := math.Abs(w.Values[0]) / math.MaxInt8
	var packed [buckets]uint64
	for i, key := range w.Keys {
		weight := uint64(uint8(int8(math.Round(w.Values[i] / scale))))
		b := &packed[bucket(key)]
		for s := 0; s < 64 && weight != 0; s += 16 {
			if *b>>s&0xFFFF == 0 {
				*b |= (check(key) | weight<<8) << s
				break
			}
		}
	}
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(scale)))
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(w.Bias)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(w.Gate.Limit))
	dst = append(dst, w.Gate.Words[:]...)
	for _, b := range packed {
		dst = binary.LittleEndian.AppendUint64(dst, b)
	}
	return dst
}

// Decode decodes the output of [Weights.Append]. The model refers to data, which must not change afterwards,
// and reads only the parts that a text needs.
func Decode(data []byte) (*Model, error) {
	if len(data) != modelLen {
		return nil, fmt.Errorf("weights of %d bytes, want %d", len(data), modelLen)
	}
	number := func(b []byte) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	m := &Model{scale: number(data), bias: number(data[4:])}
	m.gate.Limit = int(binary.LittleEndian.Uint32(data[8:]))
	data = data[headerLen:]
	m.gate.Words = (*Entries)(data)
	m.buckets = (*[8 * buckets]byte)(data[gateLen:])
	return m, nil
}

func bucket(key uint64) uint64 { return key & (buckets - 1) }

// check is never 0, so that an empty slot matches nothing.
func check(key uint64) uint64 { return key>>56 | 1 }

// lookup returns the slot of a feature and its weight in units of scale, 0 if it has none.
func (m *Model) lookup(key uint64) (slot, weight int) {
	b := binary.LittleEndian.Uint64(m.buckets[8*bucket(key):])
	// The lowest zero byte of diff is found exactly; only checks, not weights, are looked at.
	diff := b ^ check(key)*0x0001000100010001 | 0xFF00FF00FF00FF00
	zero := (diff - 0x0001000100010001) &^ diff & 0x0080008000800080
	if zero == 0 {
		return 0, 0
	}
	shift := bits.TrailingZeros64(zero) - 7
	return int(bucket(key))*slotsEach + shift/16, int(int8(b >> (shift + 8)))
}
