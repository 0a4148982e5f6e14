"""The type of a source of randomness: it arrives as an argument, nothing here owns one."""

from collections.abc import Callable

Entropy = Callable[[int], bytes]  #: From a length to that many fresh, uniformly random bytes.
