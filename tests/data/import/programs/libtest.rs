// Small libtest benchmarks; WORK says how often the work is done.
#![feature(test)]
extern crate test;

fn work() -> u32 {
    std::env::var("WORK").ok().and_then(|w| w.parse().ok()).unwrap_or(1)
}

mod sums {
    #[bench]
    fn fold(b: &mut test::Bencher) {
        let times = crate::work();
        b.bytes = 8000;
        b.iter(|| {
            for _ in 0..times {
                test::black_box((0..1000u64).fold(0, |total, i| test::black_box(total ^ i)));
            }
        });
    }
}

#[bench]
fn short(b: &mut test::Bencher) {
    let times = work();
    b.iter(|| {
        for _ in 0..times {
            test::black_box((0..100u64).fold(0, |total, i| test::black_box(total ^ i)));
        }
    });
}

#[test]
fn not_a_benchmark() {}
