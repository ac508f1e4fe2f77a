// Package quantity parses Kubernetes' resource quantities, such as `500m`, `1.5`, `4Gi` or `2e3`.
package quantity

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// mostDigits is the number of significant digits that Parse computes with. A longer number is rounded away from zero.
const mostDigits = 18

// scale is the factor of a suffix: 10^ten × 2^two.
type scale struct {
	ten int
	two uint
}

var suffixes = map[string]scale{
	"n": {ten: -9}, "u": {ten: -6}, "m": {ten: -3}, "": {},
	"k": {ten: 3}, "M": {ten: 6}, "G": {ten: 9}, "T": {ten: 12}, "P": {ten: 15}, "E": {ten: 18},
	"Ki": {two: 10}, "Mi": {two: 20}, "Gi": {two: 30}, "Ti": {two: 40}, "Pi": {two: 50}, "Ei": {two: 60},
}

// Parse returns a quantity in the resource's unit: millicores for cpu, base units (such as bytes) for all other
// resources. The amount is rounded away from zero and limited to the range of an int64, as Kubernetes does.
func Parse(resource, text string) (int64, error) {
	unsigned, negative := strings.CutPrefix(text, "-")
	if !negative {
		unsigned = strings.TrimPrefix(text, "+")
	}
	end := strings.IndexFunc(unsigned, func(c rune) bool { return c != '.' && (c < '0' || c > '9') })
	if end < 0 {
		end = len(unsigned)
	}
	whole, fraction, _ := strings.Cut(unsigned[:end], ".")
	factor, known := scaleOf(unsigned[end:])
	if whole+fraction == "" || strings.Contains(fraction, ".") || !known {
		return 0, fmt.Errorf("%s: %q is not a quantity (examples: 100m, 1.5, 128Mi, 2e3)", resource, text)
	}
	if resource == "cpu" {
		factor.ten += 3
	}
	factor.ten -= len(fraction)
	amount := product(strings.TrimLeft(whole+fraction, "0"), factor)
	if negative {
		return -amount, nil
	}
	return amount, nil
}

func scaleOf(suffix string) (scale, bool) {
	if known, ok := suffixes[suffix]; ok {
		return known, true
	}
	if suffix[0] != 'e' && suffix[0] != 'E' {
		return scale{}, false
	}
	ten, err := strconv.ParseInt(suffix[1:], 10, 32)
	return scale{ten: int(ten)}, err == nil
}

// product returns digits × factor, rounded up and at most the largest int64.
func product(digits string, factor scale) int64 {
	more := false
	if excess := len(digits) - mostDigits; excess > 0 {
		more = strings.Trim(digits[mostDigits:], "0") != ""
		digits, factor.ten = digits[:mostDigits], factor.ten+excess
	}
	// 18 digits are always a number. No digits are 0.
	number, _ := strconv.ParseUint(digits, 10, 64)
	if more {
		number++
	}
	high, low := bits.Mul64(number, 1<<factor.two)
	for ; factor.ten < 0 && (high > 0 || low > 1); factor.ten++ {
		var rest uint64
		high, rest = high/10, high%10
		low, rest = bits.Div64(rest, low, 10)
		if rest > 0 {
			var carry uint64
			low, carry = bits.Add64(low, 1, 0)
			high += carry
		}
	}
	for ; factor.ten > 0 && high == 0 && low > 0; factor.ten-- {
		high, low = bits.Mul64(low, 10)
	}
	if high > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}
