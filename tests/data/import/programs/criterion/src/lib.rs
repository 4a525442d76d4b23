// Nothing: the benchmarks bring their own code.
