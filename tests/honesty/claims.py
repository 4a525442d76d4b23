#!/usr/bin/python3
"""A benchmark program that speaks the protocol and reports what claims.json in its folder says.

claims.json: a list of benchmarks, each with "name", and optionally "params", "metrics" (as in a list line), "values" (of
those metrics), "time_ns" (of one iteration; 100), "check", "skip", "error" (replies to open), "crash" (true: dies in run)."""
import json
import os
import signal
import sys

folder = os.path.dirname(os.path.abspath(sys.argv[0]))
with open(os.path.join(folder, "claims.json"), encoding="utf-8") as file:
    claims = json.load(file)


def listed(number, claim):
    return {"benchmark": number, "name": claim["name"], "params": claim.get("params", {}),
            "metrics": claim.get("metrics", {})}


def opened(claim):
    for key in ("skip", "error"):
        if key in claim:
            return {key: claim[key]}
    return {"ok": "open", **({"check": claim["check"]} if "check" in claim else {})}


def ran(claim, iterations):
    if claim.get("crash"):
        os.kill(os.getpid(), signal.SIGSEGV)
    return {"ok": "run", "iterations": iterations, "time_ns": claim.get("time_ns", 100) * iterations,
            "metrics": claim.get("values", {})}


def answer(request):
    operation = request["op"]
    if operation == "hello":
        return [{"ok": "hello", "protocol": 1}]
    if operation == "list":
        return [listed(i, c) for i, c in enumerate(claims)] + [{"ok": "list", "count": len(claims)}]
    if operation == "open":
        return [opened(claims[request["benchmark"]])]
    if operation == "run":
        return [ran(claims[request["benchmark"]], request["iterations"])]
    return [{"ok": operation}]


requests, replies = (int(fd) for fd in os.environ["TARE_PROTOCOL_FDS"].split(","))
with os.fdopen(requests) as source, os.fdopen(replies, "w") as sink:
    for line in source:
        lines = answer(json.loads(line))
        sink.write("".join(json.dumps(reply) + "\n" for reply in lines))
        sink.flush()
        if lines[-1].get("ok") == "quit":
            break
