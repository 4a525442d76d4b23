window.BENCHMARK_DATA = {
  "lastUpdate": 1600000300000,
  "repoUrl": "https://example.com/x",
  "entries": {
    "Rust Benchmark": [
      {
        "commit": {"author": {"name": "A"}, "id": "1111111111111111111111111111111111111111", "message": "First\n\nbody", "timestamp": "2020-09-13T12:26:40Z"},
        "date": 1600000000000,
        "tool": "cargo",
        "benches": [{"name": "parse", "value": 1200, "range": "± 30", "unit": "ns/iter"}, {"name": "write", "value": 90, "unit": "ns/iter"}]
      },
      {
        "commit": {"id": "2222222222222222222222222222222222222222", "message": "Slower"},
        "date": 1600000100000,
        "tool": "cargo",
        "benches": [{"name": "parse", "value": 2400, "range": "± 40", "unit": "ns/iter"}]
      },
      {"commit": {"id": "3333333333333333333333333333333333333333", "message": "Nothing"}, "date": 1600000200000, "tool": "cargo", "benches": []}
    ],
    "Speed": [
      {"commit": {"id": "2222222222222222222222222222222222222222"}, "date": 1600000100000, "tool": "customBiggerIsBetter", "benches": [{"name": "tokens", "value": 80.5, "unit": "tok/s"}]}
    ]
  }
}
