# SPDX-License-Identifier: Apache-2.0
"""Strategies that practitioners know from elsewhere: TypiClust, ProbCover, facility location (spec 4.11 to 4.13)."""
import math

import kmeans
import random_numbers
from arithmetic import sqd, unit

MIN_DISTANCE = 1e-5


def typicality(row, members, vectors, neighbors, code):
    """(The mean distance of a row to its nearest members, 1 over it); with code squared ones."""
    squares = sorted(sqd(vectors[row], vectors[other]) for other in members if other != row)
    count = min(neighbors, len(members) // 2 if code else len(members) - 1)
    total = 0.0
    for square in squares[:count]:
        total += square if code else math.sqrt(square)
    mean = total / count if count > 0 else 0.0
    return mean, 1.0 / (mean + MIN_DISTANCE)


def turns(clusters, labeled, min_cluster):
    """The clusters in the order of their turns: the large ones, then the others."""
    size = {c: len(rows) + labeled[c] for c, rows in clusters.items()}
    order = sorted(clusters, key=lambda c: (labeled[c], -size[c], c))
    return [c for c in order if size[c] >= min_cluster], [c for c in order if size[c] < min_cluster]


def typiclust_picks(clusters, labeled, vectors, k, neighbors=20, min_cluster=6, code=False):
    """TypiClust once the clusters are known: {cluster: rows} of candidates, and how many labeled rows each has. Returns the
    picks and their scores."""
    members = {c: list(rows) for c, rows in clusters.items()}
    left = {c: list(rows) for c, rows in clusters.items()}
    picks, scores = [], []
    for group in turns(clusters, labeled, min_cluster):
        turn = 0
        while len(picks) < k and any(left[c] for c in group):
            c = group[turn % len(group)]
            turn += 1
            if not left[c]:
                continue
            of = {row: typicality(row, left[c] if code else members[c], vectors, neighbors, code) for row in left[c]}
            pick = min(left[c], key=lambda row: (of[row][0], row))
            left[c].remove(pick)
            picks.append(pick)
            scores.append(of[pick][1])
    return picks, scores


def typiclust(rows, vectors, labeled, k, seed, round_, max_clusters=500, **params):
    """TypiClust of candidates rows; labeled: a list of vectors. Vectors are compared as unit vectors."""
    vectors = {row: unit(vectors[row]) for row in rows}
    count = min(max_clusters, len(labeled) + k, len(rows))
    generator = random_numbers.stream(seed, random_numbers.KMEANS, round_)
    _, cluster, centroids, _ = kmeans.kmeans(rows, vectors, count, generator)
    clusters = {c: [row for row in rows if cluster[row] == c] for c in range(len(centroids))}
    known = {c: 0 for c in clusters}
    for vector in labeled:
        distances = [sqd(unit(vector), centroid) for centroid in centroids]
        known[distances.index(min(distances))] += 1
    picks, scores = typiclust_picks(clusters, known, vectors, k, **params)
    return picks, scores, cluster


# ---- covers by similarity (spec 4.12, 4.13) ----

CHUNK_ROWS = 512


def cosine(distance, _):
    return max(0.0, 1.0 - distance * distance / 2.0)


def rbf(distance, gamma):
    return math.exp(-gamma * (distance * distance))


def ball(distance, delta):
    return 1.0 if distance < delta else 0.0


def is_near(rows, vectors, neighbors):
    """The pairs (i, j) of which j is i or one of the rows that are nearest to i."""
    found = set()
    for i in rows:
        order = sorted((j for j in rows if j != i), key=lambda j: (sqd(vectors[i], vectors[j]), j))
        found.update((i, j) for j in [i] + order[:neighbors])
    return found


def cover(rows, vectors, labeled, budget, similarity, x, cost=None, neighbors=None):
    """Greedily the row of the largest gain for its cost, until the budget is spent. vectors by row, labeled: a list; both are
    unit vectors. neighbors: a row is covered by so many nearest ones alone. Returns the picks, their gains for each unit of cost, and
    what each row is covered by."""
    cost = cost or {row: 1.0 for row in rows}
    counts = is_near(rows, vectors, neighbors) if neighbors else None
    near = {row: min((sqd(vectors[row], z) for z in labeled), default=math.inf) for row in rows}
    covered = {row: similarity(math.sqrt(near[row]), x) if near[row] < math.inf else 0.0 for row in rows}
    pair = {(i, j): similarity(math.sqrt(sqd(vectors[i], vectors[j])), x) if not counts or (i, j) in counts else 0.0
            for i in rows for j in rows}
    picks, gains, left, spent = [], [], list(rows), 0.0

    def gain(j):
        total = 0.0
        for first in range(0, len(rows), CHUNK_ROWS):
            chunk = 0.0
            for i in rows[first:first + CHUNK_ROWS]:
                if pair[i, j] > covered[i]:
                    chunk += pair[i, j] - covered[i]
            total += chunk
        return total / cost[j] if cost[j] > 0 else 0.0

    while left and spent < budget:
        of = {j: gain(j) for j in left}
        pick = max(left, key=lambda j: (of[j], -j))
        left.remove(pick)
        picks.append(pick)
        gains.append(of[pick])
        spent += cost[pick]
        for row in rows:
            covered[row] = max(covered[row], pair[row, pick])
    return picks, gains, [covered[row] for row in rows]


def purest_delta(rows, vectors, seed, round_, purity=0.95, classes=10):
    """The largest delta that leaves the balls of that share of the rows inside their clusters."""
    generator = random_numbers.stream(seed, random_numbers.KMEANS, round_)
    cluster = kmeans.kmeans(rows, vectors, min(classes, len(rows)), generator)[1]
    reach = []
    for row in rows:
        others = [sqd(vectors[row], vectors[other]) for other in rows if cluster[other] != cluster[row]]
        reach.append(min(others, default=4.0))
    reach.sort(reverse=True)
    return math.sqrt(reach[max(1, math.ceil(purity * len(rows))) - 1])
