#!/usr/bin/env python3
"""protocol.py: Tare's protocol in Python: `tare run --protocol ./examples/protocol.py`.

Two benchmarks, one with a parameter and a check. What a request and its reply hold is told in
docs/protocol.md; this program is the whole of what another language needs."""
import json
import os
import time
import zlib


def sort_setup(params):
    return [(i * 7919) % int(params["n"]) for i in range(int(params["n"]))]


def sort_body(numbers):
    sorted(numbers)


def sort_check(numbers):
    result = sorted(numbers)
    return all(a <= b for a, b in zip(result, result[1:]))


def checksum_setup(params):
    return bytes(65536)


# name, parameters, set-up, body, check (or None), bytes per iteration (or None)
BENCHMARKS = [
    ("sort", {"n": "1000"}, sort_setup, sort_body, sort_check, None),
    ("sort", {"n": "10000"}, sort_setup, sort_body, sort_check, None),
    ("checksum", {}, checksum_setup, zlib.crc32, None, 65536),
]
THROUGHPUT = {"throughput": {"unit": "B/s", "better": "higher", "exact": False}}
data = {}  # by number, while open


def answer(request):
    """The lines that answer one request."""
    operation = request["op"]
    if operation == "hello":
        return [{"ok": "hello", "protocol": 1, "harness": "protocol.py 1.0"}]
    if operation == "list":
        lines = [{"benchmark": i, "name": b[0], "params": b[1], "metrics": THROUGHPUT if b[5] else {}}
                 for i, b in enumerate(BENCHMARKS)]
        return lines + [{"ok": "list", "count": len(lines)}]
    if operation == "quit":
        return [{"ok": "quit"}]
    number = request["benchmark"]
    _, params, setup, body, check, size_bytes = BENCHMARKS[number]
    if operation == "open":
        data[number] = setup(params)
        if check is None:
            return [{"ok": "open"}]
        return [{"ok": "open", "check": "passed" if check(data[number]) else "failed"}]
    if operation == "run":
        iterations, value = request["iterations"], data[number]
        start = time.perf_counter_ns()
        for _ in range(iterations):
            body(value)
        time_ns = time.perf_counter_ns() - start
        metrics = {"throughput": size_bytes * iterations / time_ns * 1e9} if size_bytes else {}
        return [{"ok": "run", "iterations": iterations, "time_ns": time_ns, "metrics": metrics}]
    data.pop(number, None)
    return [{"ok": "close"}]


read_fd, write_fd = map(int, os.environ["TARE_PROTOCOL_FDS"].split(","))
with os.fdopen(read_fd) as requests, os.fdopen(write_fd, "w") as replies:
    for line in requests:
        try:
            lines = answer(json.loads(line))
        except Exception as problem:  # a benchmark that fails must not end the conversation
            lines = [{"error": str(problem)}]
        replies.write("".join(json.dumps(reply) + "\n" for reply in lines))
        replies.flush()
        if lines[-1].get("ok") == "quit":
            break
