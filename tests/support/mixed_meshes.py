"""A block of all kinds of cells that fit: along x wedges, hexahedra, pyramids with tetrahedra among them, tetrahedra."""

import numpy as np

import condyle as cd


def mixed_block(across=2, *, low=0.0, move=0.0, seed=0):
    """Of length 4, one unit wide and high, its bottom at z = low; nodes inside are moved about by up to `move`."""
    block = cd.Mesh.block((4.0, 1.0, 1.0), (4, across, across), origin=(0.0, 0.0, low))
    X = block.nodes.copy()
    inside = (np.minimum(X - X.min(axis=0), X.max(axis=0) - X) > 1e-9).all(axis=1)
    X[inside] += np.random.default_rng(seed).uniform(-move, move, (inside.sum(), 3))
    slab = np.floor(block.nodes[block.cells][:, :, 0].mean(axis=1)).astype(int)
    wedges, hexes, third, last = (block.cells[slab == k] for k in range(4))
    pyramids = cd.Mesh(X, third, "hex8").converted("pyramid5")
    beside = (block.nodes[np.minimum(pyramids.cells[:, :4], len(X) - 1), 0] == 3.0).all(axis=1)
    tets = cd.Mesh(pyramids.nodes, {"pyramid5": pyramids.cells[beside], "hex8": last}, "mixed").converted("tet4")
    cells = {
        "wedge6": cd.Mesh(X, wedges, "hex8").converted("wedge6").cells,
        "hex8": hexes,
        "pyramid5": pyramids.cells[~beside],
        "tet4": tets.cells,
    }
    return cd.Mesh(tets.nodes, cells, "mixed", block.sets)
