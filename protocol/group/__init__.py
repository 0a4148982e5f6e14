"""secp256k1: scalars, points, hashing to the curve, constants of unknown logarithm."""
