"""Linear relations: what a proof states, as equations that are linear in secret scalars.

After draft-irtf-cfrg-sigma-protocols-03 section 3. A relation says "I know scalars such that in
every equation the sum of `coefficient · element` (the image) equals the sum of
`coefficient · scalar · element` (the terms)". Every element on which a statement depends is
listed by itself and absorbed into the challenge (section 3.2); nothing is summed beforehand by
the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Generic, NamedTuple, NewType

from protocol.errors import LocalError, ProofError
from protocol.proofs.ciphersuite import Element, Group

ScalarIndex = NewType("ScalarIndex", int)
ElementIndex = NewType("ElementIndex", int)

GENERATOR_INDEX: Final = ElementIndex(0)

# Indices and counts are encoded in four bytes (section 3.6).
_INDEX_BOUND: Final = 2**32


class ImageTerm(NamedTuple):
    """`coefficient · element`, without a secret."""

    element: ElementIndex
    coefficient: int = 1


class RelationTerm(NamedTuple):
    """`coefficient · scalar · element`, with the secret scalar of that index."""

    scalar: ScalarIndex
    element: ElementIndex
    coefficient: int = 1


class Equation(NamedTuple):
    """An equation: the sum of its image terms equals the sum of its terms."""

    image: tuple[ImageTerm, ...]
    terms: tuple[RelationTerm, ...]


@dataclass(frozen=True, slots=True)
class LinearRelation(Generic[Element]):
    """A valid linear relation, its images and matrix computed once, ready to prove or verify.

    `elements[0]` is the generator. The constructor makes all ten checks of section 3.5 and raises
    `ProofError` with `instance.equations` (1), `instance.empty` (2), `instance.index` (3),
    `instance.element` (4), `instance.unused-element` (5), `instance.unused-scalar` (6),
    `instance.generator` (7), `instance.identity` (8), `instance.image` (9) or `instance.column`
    (10).
    """

    group: Group[Element]
    elements: tuple[Element | None, ...]  #: None for an identity, which is refused (check 8).
    equations: tuple[Equation, ...]
    num_scalars: int = field(init=False)
    images: tuple[Element, ...] = field(init=False, repr=False, compare=False)
    #: For each equation its nonzero entries of the matrix: (scalar index, summed base).
    rows: tuple[tuple[tuple[int, Element], ...], ...] = field(init=False, repr=False, compare=False)
    _encoded: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the relation, and compute its images, rows and encoding; raises `ProofError`
        `instance.*`, and `LocalError` for a coefficient that is not reduced.
        """
        _check_shape(self.equations, len(self.elements))
        _check_coefficients(self.equations, self.group.order)
        num_scalars = _check_scalars(self.equations)
        elements = _check_elements(self.group, self.elements)
        images = _evaluate_images(self.group, elements, self.equations)
        rows = _evaluate_rows(self.group, elements, self.equations, num_scalars)
        # Frozen: what follows from the equations is computed once, here.
        object.__setattr__(self, "num_scalars", num_scalars)
        object.__setattr__(self, "images", images)
        object.__setattr__(self, "rows", rows)
        # Without element 0, the generator, which everybody has (specs 2.6).
        written = [self.group.encode(element) for element in elements[1:]]
        start = _equation_bytes(self.equations, self.group.scalar_bytes)
        object.__setattr__(self, "_encoded", b"".join((start, *written)))

    def to_bytes(self) -> bytes:
        """Return the relation's serialization (section 3.6), which is unambiguous and
        prefix-free.
        """
        return self._encoded

    def map(self, scalars: Sequence[int]) -> tuple[Element | None, ...]:
        """Return the right-hand side of every equation with `scalars` in place of the secrets;
        None for an identity (section 3.3).
        """
        combine = self.group.combine
        return tuple(combine([(scalars[index], base) for index, base in row]) for row in self.rows)

    def simulated_commitment(
        self, response: Sequence[int], challenge: int
    ) -> tuple[Element | None, ...]:
        """Return `map(response) - challenge · image` for each equation; None for an identity
        (section 4.4).
        """
        combine = self.group.combine
        opposite = -challenge % self.group.order
        return tuple(
            combine([*[(response[index], base) for index, base in row], (opposite, image)])
            for row, image in zip(self.rows, self.images, strict=True)
        )


class RelationBuilder(Generic[Element]):
    """Builds a linear relation from scalars, elements and equations, in the order of their
    declaration (section 3.4).

    The generator is there from the start, at `GENERATOR_INDEX`.
    """

    def __init__(self, group: Group[Element]) -> None:
        """Begin a relation over `group`."""
        self._group = group
        self._elements: list[Element] = [group.generator]
        self._equations: list[Equation] = []
        self._num_scalars = 0

    def scalar(self) -> ScalarIndex:
        """Declare a secret scalar and return its index, which is its place in the witness."""
        self._num_scalars += 1
        return ScalarIndex(self._num_scalars - 1)

    def element(self, element: Element) -> ElementIndex:
        """Declare a public element and return its index."""
        self._elements.append(element)
        return ElementIndex(len(self._elements) - 1)

    def equation(
        self,
        image: Sequence[ElementIndex | tuple[ElementIndex, int]],
        terms: Sequence[tuple[ScalarIndex, ElementIndex] | tuple[ScalarIndex, ElementIndex, int]],
    ) -> None:
        """Add an equation between image terms, each an element, and terms, each a scalar and an
        element, all by index.

        A coefficient may follow in each; it is 1 if left out, and may be negative.
        """
        order = self._group.order
        # Lists, since a generator takes longer, and every proof builds a relation.
        left = [ImageTerm(*one) if isinstance(one, tuple) else ImageTerm(one) for one in image]
        right = [RelationTerm(*one) for one in terms]
        self._equations.append(
            Equation(
                tuple([one._replace(coefficient=one.coefficient % order) for one in left]),
                tuple([one._replace(coefficient=one.coefficient % order) for one in right]),
            )
        )

    def relation(self) -> LinearRelation[Element]:
        """Return the finished relation; raises `ProofError` `instance.*` unless it is valid."""
        return LinearRelation(self._group, tuple(self._elements), tuple(self._equations))


def _check_shape(equations: Sequence[Equation], num_elements: int) -> None:
    """Check the equations' terms and indices (section 3.5, checks 1 to 5); raises `ProofError`."""
    if not equations:
        raise ProofError("instance.equations", "a relation has at least one equation")
    if any(not equation.image or not equation.terms for equation in equations):
        raise ProofError("instance.empty", "an equation has image terms and terms")
    counts = (
        len(equations),
        *(len(e.image) for e in equations),
        *(len(e.terms) for e in equations),
    )
    image_elements = [term.element for e in equations for term in e.image]
    term_elements = [term.element for e in equations for term in e.terms]
    scalars = [term.scalar for e in equations for term in e.terms]
    numbers = (*counts, *image_elements, *term_elements, *scalars)
    # Not isinstance: True is an int, and would be encoded as one.
    if {*map(type, numbers)} != {int} or not 0 <= min(numbers) <= max(numbers) < _INDEX_BOUND:
        raise ProofError("instance.index", "indices and counts lie between 0 and 2^32")
    # The generator counts as used: it is there from the start.
    referenced = {0, *image_elements, *term_elements}
    if max(referenced) >= num_elements:
        raise ProofError("instance.element", "an index refers to no element")
    if len(referenced) != num_elements:
        raise ProofError("instance.unused-element", "an element is in no equation")


def _check_coefficients(equations: Sequence[Equation], order: int) -> None:
    """Raise `LocalError` unless all coefficients are reduced modulo the order."""
    for equation in equations:
        coefficients = [term.coefficient for term in equation.image]
        coefficients += [term.coefficient for term in equation.terms]
        if not 0 <= min(coefficients) <= max(coefficients) < order:
            # No proof error: coefficients come from our own builder, never from a message.
            raise LocalError("a coefficient must lie between 0 and the group's order")


def _check_scalars(equations: Sequence[Equation]) -> int:
    """Return the number of secret scalars; raises `ProofError` if one is in no equation (check
    6).
    """
    used = {term.scalar for equation in equations for term in equation.terms}
    count = 1 + max(used)
    if len(used) != count:
        raise ProofError("instance.unused-scalar", "a scalar is in no equation")
    return count


def _check_elements(
    group: Group[Element], elements: Sequence[Element | None]
) -> tuple[Element, ...]:
    """Return the elements, none of them the identity and the first the generator's own object;
    raises `ProofError` (checks 7 and 8).
    """
    present = tuple(element for element in elements if element is not None)
    first = elements[0] if elements else None
    # By identity first: it is the very object mostly, and encodings cost time.
    if first is None or (
        first is not group.generator and group.encode(first) != group.encode(group.generator)
    ):
        raise ProofError("instance.generator", "element 0 is the group's generator")
    if len(present) != len(elements):
        raise ProofError("instance.identity", "an element is the identity")
    # The generator's own object lets the group use its fast, constant-time multiplication.
    return (group.generator, *present[1:])


def _evaluate_images(
    group: Group[Element], elements: Sequence[Element], equations: Sequence[Equation]
) -> tuple[Element, ...]:
    """Return the image of each equation; raises `ProofError` for an identity (check 9)."""
    images = []
    for equation in equations:
        image = _combine(group, [(t.coefficient, elements[t.element]) for t in equation.image])
        if image is None:
            raise ProofError("instance.image", "an image is the identity")
        images.append(image)
    return tuple(images)


def _evaluate_rows(
    group: Group[Element],
    elements: Sequence[Element],
    equations: Sequence[Equation],
    num_scalars: int,
) -> tuple[tuple[tuple[int, Element], ...], ...]:
    """Return the matrix row of each equation: for each secret scalar its index and its base, the
    sum of its elements in the equation; identities are left out.

    Raises `ProofError` for a scalar without any base (check 10).
    """
    rows = []
    # Scalars with a base in some equation: a proof about any other would say nothing (check 10).
    live: set[int] = set()
    for equation in equations:
        columns: dict[int, list[tuple[int, Element]]] = {}
        for term in equation.terms:
            entry = (term.coefficient, elements[term.element])
            columns.setdefault(term.scalar, []).append(entry)
        row = []
        for index, entries in columns.items():
            base = _combine(group, entries)
            # Terms of one scalar may cancel; then the equation does not depend on it (check 10).
            if base is not None:
                row.append((index, base))
                live.add(index)
        rows.append(tuple(row))
    if len(live) != num_scalars:
        raise ProofError("instance.column", "a scalar has the identity as its base everywhere")
    return tuple(rows)


def _combine(group: Group[Element], terms: Sequence[tuple[int, Element]]) -> Element | None:
    """Return the sum of the terms, None for the identity; a single term of coefficient 1 gives
    the very object that it holds.
    """
    return terms[0][1] if len(terms) == 1 and terms[0][0] == 1 else group.combine(terms)


# Written once for each form; bounded, since numbers of cards give more and more forms.
@lru_cache(maxsize=256)
def _equation_bytes(equations: tuple[Equation, ...], width: int) -> bytes:
    """Return the serialization of the equations without the elements, coefficients in `width`
    bytes; relations of one form share it.
    """
    # Little-endian counts and indices, big-endian coefficients, as in the draft.
    encoded = {1: (1).to_bytes(width, "big")}  # by far the most frequent coefficient, written once
    parts = [len(equations).to_bytes(4, "little")]
    for image, terms in equations:
        parts.append(len(image).to_bytes(4, "little"))
        for element, coefficient in image:
            written = encoded.get(coefficient) or coefficient.to_bytes(width, "big")
            parts += (element.to_bytes(4, "little"), written)
        parts.append(len(terms).to_bytes(4, "little"))
        for scalar, element, coefficient in terms:
            written = encoded.get(coefficient) or coefficient.to_bytes(width, "big")
            parts += (scalar.to_bytes(4, "little"), element.to_bytes(4, "little"), written)
    return b"".join(parts)
