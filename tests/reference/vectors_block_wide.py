# SPDX-License-Identifier: Apache-2.0
"""TV-BLOCK with 70 dimensions: three runs of lanes, the last one short."""
from vectors_block import block_vector


def vectors():
    return {"TV-BLOCK-WIDE": block_vector(70)}
