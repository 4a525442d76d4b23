//! The kernel `alu` of bench/kernels.c for Criterion; STEPS is fixed when it is built.
use criterion::{criterion_group, criterion_main, Criterion};
use std::hint::black_box;

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

fn bench(c: &mut Criterion) {
    let steps = steps();
    c.bench_function("alu", |b| {
        b.iter(|| alu(black_box(88172645463325252), steps))
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
