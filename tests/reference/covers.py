# SPDX-License-Identifier: Apache-2.0
"""Strategies that practitioners know from elsewhere: TypiClust (spec 4.11)."""
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
