# SPDX-License-Identifier: Apache-2.0
"""What the tests of experiments with translators share: corpora, and a command that trains nothing. It notes the configurations, "translates"
by the references of the texts that were picked, and does all else by the command itself, with the built-in model for any other."""
import lzma
import os
import subprocess
import sys

STAND_IN = r"""#!/usr/bin/env python3
import json, os, subprocess, sys, time
command = sys.argv[1:]
with open(os.environ["SEEN"], "a") as file:
    file.write(" ".join(command) + "\n")
if command[:2] == ["model", "vocabulary"]:
    open(command[command.index("--out") + 1], "w").close()
elif command[:2] == ["model", "train"]:
    if command[command.index("--device") + 1] == os.environ.get("BROKEN"):
        sys.exit("there is no such device")
    if os.environ.get("SLOW") and os.environ["SLOW"] in command[2]:
        open(os.environ["SEEN"] + ".slow", "w").close()
        time.sleep(60)
    config = json.load(open(command[2]))
    os.makedirs(config["out"])
    with open(os.path.join(config["out"], "model.safetensors"), "w") as file:
        json.dump(config, file)
elif command[:2] == ["model", "translate"]:
    config = json.load(open(os.path.join(command[2], "model.safetensors")))
    columns = slice(1, 3) if "mix" in config["train"][0] else slice(0, 2)
    known = dict(line.rstrip("\n").split("\t")[columns] for line in open(next(iter(config["train"][0].values()))))
    words = {word: other for text in known for word, other in zip(text.split(), known[text].split())}
    with open(command[command.index("--out") + 1], "w") as file:
        for line in open(command[3]):
            file.write(" ".join(words.get(word, "-") for word in line.split()) + "\n")
elif command[:2] == ["model", "score"]:
    with open(command[command.index("--out") + 1], "w") as file:
        for number, line in enumerate(open(command[4])):
            file.write("%d\t-%d -1\n" % (number + 1, len(line)))
else:
    # The models are none: the built-in one stands in.
    while "--model" in command and "=" in command[command.index("--model") + 1]:
        at = command.index("--model")
        del command[at:at + 2]
    sys.exit(subprocess.run([os.environ["REAL"]] + command).returncode)
"""


class Experiment:
    """A script of examples/experiments/ with small corpora in a folder, of which it makes the tables in the folder `worth`."""

    def __init__(self, root, alcore, script, folder, **settings):
        self.script, self.folder, self.seen = os.path.join(root, "examples", "experiments", script), folder, os.path.join(folder, "seen")
        stand_in = os.path.join(folder, "stand_in")
        with open(stand_in, "w") as file:
            file.write(STAND_IN)
        os.chmod(stand_in, 0o755)
        self.env = dict(os.environ, ALCORE=stand_in, REAL=alcore, SEEN=self.seen, ALCORE_SHARED_DATA=folder, WORTH=os.path.join(folder, "worth"),
                        **settings)
        # A word that translations have five times is rare, one that they have six times is not.
        often = lambda i: " OPEN" * (i < 6) + " COPY" * (i < 5)
        self.write("en-de", "general", "split en de", [("train", "we say %d" % i, "wir sagen %d%s" % (i, often(i))) for i in range(30)] +
                   [("train", "long " * 61, "lang"), ("test", "unseen", "ungesehen")])
        self.write("en-de", "it", "split en de", [("train" if i % 3 else "test", self.text(i), self.text(i).upper()) for i in range(90)])

    def write(self, corpus, name, columns, rows):
        os.makedirs(os.path.join(self.folder, corpus), exist_ok=True)
        with lzma.open(os.path.join(self.folder, corpus, name + ".tsv.xz"), "wt", encoding="utf-8", newline="\n") as file:
            file.write("".join("\t".join(row) + "\n" for row in [columns.split(), *rows]))

    @staticmethod
    def text(i):
        verbs, nouns = "open close move copy print save".split(), "files windows tabs pages fonts".split()
        return "%s the %s of %s" % (verbs[i % 6], nouns[i % 5], nouns[i * i % 4])

    def at(self, *names):
        return os.path.join(self.folder, "worth", *names)

    def run(self, *arguments, **settings):
        """(what came out, the calls of the command)."""
        program = sys.executable if self.script.endswith(".py") else "bash"
        done = subprocess.run([program, self.script, *arguments], env=dict(self.env, **settings), capture_output=True, text=True, timeout=300)
        calls = ""
        if os.path.exists(self.seen):
            with open(self.seen) as file:
                calls = file.read()
            os.remove(self.seen)
        return done, calls
