// Small Go benchmarks; WORK says how often the work is done.
package sums

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

var sink int

func work() int {
	times, _ := strconv.Atoi(os.Getenv("WORK"))
	return times
}

func sum(n int) int {
	total := 0
	for i := 0; i < n; i++ {
		total += i ^ (total >> 3)
	}
	return total
}

func BenchmarkSum(b *testing.B) {
	times := work()
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for i := 0; i < b.N; i++ {
				for t := 0; t < times; t++ {
					sink += sum(n)
				}
			}
			b.ReportMetric(float64(n*times), "adds/op")
		})
	}
}

func BenchmarkAllocate(b *testing.B) {
	times := work()
	for i := 0; i < b.N; i++ {
		for t := 0; t < times; t++ {
			text := make([]byte, 64)
			sink += len(append(text, byte(i)))
		}
	}
}
