package quantity

import (
	"math"
	"testing"
)

func TestQuantitiesAreInTheUnitOfTheResource(t *testing.T) {
	for _, c := range []struct {
		resource, text string
		want           int64
	}{
		{"cpu", "500m", 500},
		{"cpu", "2", 2000},
		{"cpu", "0.5", 500},
		{"cpu", ".5", 500},
		{"cpu", "1.", 1000},
		{"cpu", "0.0001", 1},
		{"cpu", "1n", 1},
		{"cpu", "100u", 1},
		{"memory", "1Gi", 1 << 30},
		{"memory", "1.1Gi", 1181116007},
		{"memory", "5M", 5_000_000},
		{"memory", "1.5", 2},
		{"memory", "-1.5", -2},
		{"memory", "+3k", 3000},
		{"memory", "2e3", 2000},
		{"memory", "2E3", 2000},
		{"memory", "2E", 2e18},
		{"memory", "7Ei", 7 << 60},
		{"memory", "8Ei", math.MaxInt64},
		{"memory", "1e999", math.MaxInt64},
		{"memory", "0e999999", 0},
		{"memory", "1e-999999", 1},
		{"memory", "0", 0},
		{"memory", "000000000000000000000000001", 1},
		{"memory", "9223372036854775807", math.MaxInt64},
		{"memory", "0.000000000000000000000000000001", 1},
		{"nvidia.com/gpu", "8", 8},
	} {
		if got, err := Parse(c.resource, c.text); err != nil || got != c.want {
			t.Errorf("%s %s: got %d, %v, want %d", c.resource, c.text, got, err, c.want)
		}
	}
}

func TestOtherTextsAreRefused(t *testing.T) {
	for _, text := range []string{"", "a", "1x", "1.2.3", "--1", "1e", "Ki", ".", "1 Gi", "1mi", "1e99999999999"} {
		if got, err := Parse("memory", text); err == nil {
			t.Errorf("%q: got %d", text, got)
		}
	}
}
