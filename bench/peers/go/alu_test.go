// The kernel alu of bench/kernels.c as a Go benchmark. The linker sets how many steps:
// go test -c -ldflags '-X peers.stepsText=1030'
package peers

import (
	"strconv"
	"testing"
)

var stepsText = "1000"

var seed, sink uint64 = 88172645463325252, 0

func BenchmarkAlu(b *testing.B) {
	steps, err := strconv.Atoi(stepsText)
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; n < b.N; n++ {
		x := seed
		for i := 0; i < steps; i++ {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		sink = x
	}
}
