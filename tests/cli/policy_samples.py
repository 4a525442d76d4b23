#!/usr/bin/env python3
"""Holds tare's reader and the editors' schema against the same policies.

    policy_samples.py TARE SCHEMA SAMPLES

The schema is judged by python3-jsonschema, which knows nothing of Tare. Prints each sample on which either
says something else than its headline, and how many there were; exits 1 when there is one.
"""
import json
import os
import subprocess
import sys
import tempfile

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """Days stay texts, as YAML 1.2 and editors have them; yes and no too."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs
            if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", __import__("re").compile("^(true|false)$"), list("tf"))


def samples_of(path):
    kind, lines = None, []
    for line in open(path, encoding="utf-8"):
        if line.startswith("=== "):
            if kind is not None:
                yield kind, "".join(lines)
            kind, lines = line[4:].strip(), []
        elif kind is not None:
            lines.append(line)
    yield kind, "".join(lines)


def tare_accepts(tare, text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "tare.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([tare, "run", "--list", "--", "true"], cwd=folder, capture_output=True,
                              text=True, check=False)
        if done.returncode not in (0, 2) or (done.returncode == 2 and "tare.yaml:" not in done.stderr):
            sys.exit(f"exit {done.returncode} of tare on:\n{text}\n{done.stderr}")
        return done.returncode == 0


def main():
    tare, schema_path, samples_path = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    wanted = {"good": (True, True), "bad": (False, False), "bad for tare only": (False, True)}
    counts = dict.fromkeys(wanted, 0)
    wrong = 0
    for kind, text in samples_of(samples_path):
        counts[kind] += 1
        found = (tare_accepts(tare, text), validator.is_valid(yaml.load(text, Loader)))
        if found != wanted[kind]:
            wrong += 1
            words = ["accepts" if accepts else "refuses" for accepts in found]
            print(f"{kind}, but tare {words[0]} it and the schema {words[1]} it:\n{text}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
