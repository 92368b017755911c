"""Local laws: pure compiled functions of a few gathered vectors. Imports nothing else of Condyle but `condyle.errors`.

gram.py         dispatch of all laws written in the Gram matrix G = y yᵀ (energies and constraints), and their
                discrete gradient
energies.py     springs and materials: ψ(G), ∂ψ/∂G, ∂²ψ/∂G²
constraints.py  scalar constraints c(G)
forces.py       forces f(y, ẏ, t): loads, torques, dampers
user.py         laws of the user's own: `condyle.law`, their names and their compilation
pointers.py     how the compiled code calls them
kernel.py       the one decorator for compiled code

A new law is a function in one of these files and a line in its dispatch (`gram_law` or `force_law`); the tests find it by
the code table `LAWS` and check it against finite differences.
"""
