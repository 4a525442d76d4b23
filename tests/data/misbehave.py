#!/usr/bin/env python3
"""A benchmark program that speaks the protocol and then does one thing wrong.

Usage: misbehave.py MODE. Every mode is a way in which a real program has failed; 'none' behaves."""
import json
import os
import signal
import sys
import time

mode = sys.argv[1]
requests, replies = (int(fd) for fd in os.environ["TARE_PROTOCOL_FDS"].split(","))
source = os.fdopen(requests, "r")


def raw(data):
    os.write(replies, data)


def say(**message):
    raw((json.dumps(message) + "\n").encode())


def on_list():
    names = {"zero": [], "twins": ["same", "same"], "long": ["x" * 10000], "bell": ["a\x07b"],
             "quotes": ["it's \"quoted\" <script>"]}.get(mode, ["work"])
    for number, name in enumerate(names):
        say(benchmark=number, name=name)
    say(ok="list", count=len(names) + (mode == "miscount"))


def on_run(iterations):
    started = time.perf_counter_ns()
    while mode != "zero-time" and time.perf_counter_ns() - started < 100 * iterations:
        pass
    time_ns = {"nan": float("nan"), "negative": -5.0, "absurd": 1e40, "zero-time": 0,
               "lie": 1e9 * iterations}.get(mode, 100.0 * iterations)
    if mode == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "exit":
        print("giving up: no licence", file=sys.stderr, flush=True)
        os._exit(7)
    if mode == "hang":
        signal.pause()
    if mode == "half-line":
        raw(b'{"ok":"run","itera')
        os._exit(0)
    if mode == "close":
        os.close(replies)
        signal.pause()
    if mode == "garbage":
        raw(b"\x00\xff\x1b[31mnot json\n")
    if mode == "endless-line":
        for _ in range(80):
            raw(b"x" * 65536)
    if mode == "flood":
        for _ in range(200):
            sys.stdout.write("noise " * 2000 + "\n")
        sys.stdout.flush()
    if mode == "child":
        if os.fork() == 0:
            time.sleep(3600)
    if mode == "wrong-count":
        iterations += 1
    extra = {"metrics": {"surprise": 1.0}} if mode == "undeclared" else {}
    say(ok="run", iterations=iterations, time_ns=time_ns, **extra)


for line in source:
    request = json.loads(line)
    operation = request["op"]
    if operation == "hello":
        if mode == "old":
            say(ok="hello", protocol=0)
        else:
            say(ok="hello", protocol=1)
    elif operation == "list":
        on_list()
    elif operation == "open":
        if mode == "check":
            say(ok="open", check="failed", detail="max difference 0.3 > 1e-5")
        elif mode == "skip":
            say(skip="no GPU here")
        elif mode == "error":
            say(error="cannot open \x1b]0;title\x07 device")
        else:
            say(ok="open")
    elif operation == "run":
        on_run(request["iterations"])
    elif operation == "quit":
        say(ok="quit")
        sys.exit(9 if mode == "bad-exit" else 0)
    else:
        say(ok=operation)
