# SPDX-License-Identifier: Apache-2.0
"""Rounds of selections with max_age, whose model is trained in between: what the tests of engines and of ranks compare with one machine."""
import alcore

ROUNDS = {"nnll": {"max_age": 1}, "huds": {"max_age": 2, "refresh_factor": 2}}


def trained(number, asked):
    """A class of the model after so many trainings, which writes down the texts that it scores."""
    class Trained:
        name, version = "trained", number

        def embed(self, texts):
            return [[float(text.split()[1]) * 37 % 101, len(text)] for text in texts]

        def token_logprobs(self, texts):
            with open(asked, "a") as file:
                file.write("".join("%d %s\n" % (number, text) for text in texts))
            return [[-(float(text.split()[1]) * (36 + 4 * number) % 101) - 1, -len(text)] for text in texts]
    return Trained


def picks_of_rounds(strategy, folder, select):
    """The ids, texts and scores that three rounds buy by select(budget, strategy, ...), and what their models were asked to score. The rows that
    were bought stay in the table: their texts are labeled."""
    bought, found, asked = [], [], folder / ("%s.asked" % strategy)
    for number in (1, 2, 3):
        picks = select(5, strategy, model=trained(number, str(asked)), labeled=list(bought), cache=str(folder / strategy), round=number, **ROUNDS[strategy])
        bought += picks.texts
        found.append([list(picks.ids), list(picks.texts), list(picks.scores)])
    lines = set(asked.read_text().splitlines())
    assert 5 < sum(line[0] == "2" for line in lines) < sum(line[0] == "1" for line in lines)
    return found, sorted(lines)


def one_machine(strategy, folder, table):
    """The same of one machine that has the table."""
    return picks_of_rounds(strategy, folder, lambda *arguments, model, **named: alcore.select(table, *arguments, model=model(), **named))
