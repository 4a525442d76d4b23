#!/usr/bin/env python3
"""ask.py PROGRAM REQUEST…: holds a conversation in Tare's protocol; one line of reply per request is printed."""
import os
import subprocess
import sys

to_program, to_us = os.pipe(), os.pipe()
environment = dict(os.environ, TARE_PROTOCOL_FDS=f"{to_program[0]},{to_us[1]}")
if "ASK_PRELOAD" in environment:
    environment["LD_PRELOAD"] = environment["ASK_PRELOAD"]
program = subprocess.Popen([sys.argv[1]], env=environment, pass_fds=(to_program[0], to_us[1]))
os.close(to_program[0])
os.close(to_us[1])
with os.fdopen(to_program[1], "w") as requests, os.fdopen(to_us[0]) as replies:
    for request in sys.argv[2:]:
        requests.write(request + "\n")
        requests.flush()
        while True:
            reply = replies.readline()
            if not reply:
                sys.exit("the program left")
            print(reply, end="")
            if not reply.startswith('{"benchmark"'):
                break
sys.exit(program.wait())
