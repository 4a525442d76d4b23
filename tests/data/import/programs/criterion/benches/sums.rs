// Small Criterion benchmarks; WORK says how often the work is done.
use criterion::{black_box, criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};

fn work() -> u32 {
    std::env::var("WORK").ok().and_then(|w| w.parse().ok()).unwrap_or(1)
}

fn sum(n: u64) -> u64 {
    (0..n).fold(0, |total, i| black_box(total ^ i))
}

fn sums(c: &mut Criterion) {
    let times = work();
    let mut group = c.benchmark_group("sums");
    for n in [100u64, 1000] {
        group.throughput(Throughput::Elements(n));
        group.bench_with_input(BenchmarkId::new("fold", n), &n, |b, &n| {
            b.iter(|| for _ in 0..times { black_box(sum(n)); })
        });
    }
    group.finish();
    c.bench_function("alone", |b| b.iter(|| for _ in 0..times { black_box(sum(50)); }));
}

criterion_group!(benches, sums);
criterion_main!(benches);
