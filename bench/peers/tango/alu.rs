//! The kernel `alu` of bench/kernels.c for Tango; STEPS is fixed when it is built.
use std::hint::black_box;
use tango_bench::{benchmark_fn, tango_benchmarks, tango_main, IntoBenchmarks};

fn steps() -> u32 {
    env!("STEPS").parse().expect("STEPS is a number")
}

fn alu(seed: u64, steps: u32) -> u64 {
    let mut x = seed;
    for _ in 0..steps {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    x
}

fn benchmarks() -> impl IntoBenchmarks {
    let steps = steps();
    [benchmark_fn("alu", move |b| {
        b.iter(move || alu(black_box(88172645463325252), steps))
    })]
}

tango_benchmarks!(benchmarks());
tango_main!();
