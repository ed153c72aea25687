"""How likely does a sum of independent sphere coordinates exceed 1, with relative precision also in the far tail?

With M(z) = E exp(z s) for one coordinate s of a uniform unit vector, the tail is an integral on any line c > 0,

    P(s_1 + ... + s_N > 1) = (1/pi) int_0^inf Re[ M(c + iy)^N exp(-(c + iy)) / (c + iy) ] dy.

Near the saddle point nothing cancels there, while the line c = 0 (the Fourier integral) loses all digits below 1e-15.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from jaxtyping import Complex, Float

_DIGITS = 36.0  # exp(-36) = 2e-16: what is dropped, relative to what is kept
_BLOCK = 64  # points of the contour per step
_UNDERFLOW = 745.0  # exp(-745) is the smallest float64


@lru_cache(maxsize=4096)
def upper_tail(d_k: int, count: int) -> float:
    """P(sum of ``count`` independent sphere coordinates > 1); 0 for ``count`` <= 1, where it cannot be.

    Args:
        d_k: dimension of the sphere's space, >= 4 (below, the integrand decays too slowly).
        count: number of coordinates, >= 0.

    Returns:
        A probability in [0, 1/2); 0 where it is below the float64 range.
    """
    if count <= 1 or d_k / (2 * count) > _UNDERFLOW:  # Hoeffding-type bound exp(-d/(2 count)) of the sub-Gaussian sum
        return 0.0
    return _two_coordinates(d_k) if count == 2 else _contour_integral(d_k, count)


def _two_coordinates(d_k: int) -> float:
    """The tail for two coordinates, int_0^1 f(s) P(s' > 1 - s) ds, with s = sin^2 x by Gauss-Legendre."""
    from scipy.special import betainc, gammaln, roots_legendre

    nodes, weights = roots_legendre(400)
    x = (nodes + 1) * math.pi / 4
    s = np.sin(x) ** 2
    shape = (d_k - 1) / 2
    log_scale = gammaln(d_k / 2) - gammaln(shape) - math.log(math.pi) / 2
    # f(s) ds = exp(log_scale) (1 - s^2)^(shape - 1) 2 sin x cos x dx, and 1 - s = cos^2 x
    density = np.exp(log_scale + (shape - 1) * np.log1p(s) + (2 * shape - 1) * np.log(np.cos(x))) * 2 * np.sin(x)
    return float(np.sum(weights * density * betainc(shape, 0.5, s * (2 - s)) / 2) * math.pi / 4)


def _contour_integral(d_k: int, count: int) -> float:
    """The integral by the trapezoid rule, which is exponentially accurate on this line; Args as ``upper_tail``."""
    deviation = math.sqrt(count / d_k)
    mean = 1 / count
    # c: where the tilted mean is 1/count (inverse Bessel ratio of Banerjee et al. 2005), away from the pole at 0
    c = max(mean * (d_k - mean**2) / (1 - mean**2), 1 / deviation)
    exponent = count * _log_moment(d_k, c) - c
    # Poisson summation: the rule adds tails one period further on, of relative size exp(exponent - period * c) below
    # and exp(-period^2/(2 deviation^2)) above
    period = max(9 * deviation, (_DIGITS - exponent + math.log1p(c * deviation)) / c)
    step = 2 * math.pi / period
    total, first = 0.0, 0
    while True:
        y = step * np.arange(first, first + _BLOCK)
        log_ratio = count * _log_characteristic(d_k, c, y) - 1j * y
        terms = np.exp(log_ratio) / (c + 1j * y)
        total += float(np.sum(terms.real)) - (terms[0].real / 2 if first == 0 else 0.0)
        first += _BLOCK
        if np.max(np.abs(terms)) < 1e-14 * abs(total):
            return float(math.exp(exponent) * total * step / math.pi)


def _tilted_nodes(d_k: int, c: float, y_max: float) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"], float]:
    """Nodes s in (-1, 1), weights summing to 1, and the log of the total, of a coordinate's law times exp(c s).

    With s = tanh u the law is proportional to (2 cosh u)^(1-d) du, for which equal steps in u are exponentially
    accurate: the step h keeps exp(-2 pi a/h) below all growth of the integrand in the strip abs(Im u) < a.
    """
    a = min(0.8, math.sqrt(80 / d_k))
    growth = -(d_k - 1) * math.log(math.cos(a)) + c * math.tan(a) ** 2 + y_max * math.tan(a)
    h = 2 * math.pi * a / (_DIGITS + growth)
    s_mode = 2 * c / (d_k - 1 + math.hypot(d_k - 1, 2 * c))  # maximum of (1-d) log cosh u + c tanh u
    reach = math.sqrt(2 * _DIGITS / ((d_k - 1) * (1 - s_mode**2))) + _DIGITS / (d_k - 1)
    steps = math.ceil(reach / h)
    u = math.atanh(s_mode) + h * np.arange(-steps, steps + 1)
    s = np.tanh(u)
    log_weight = (1 - d_k) * np.logaddexp(u, -u) + c * s
    largest = float(log_weight.max())
    weight = np.exp(log_weight - largest)
    total = float(weight.sum())
    return s, weight / total, largest + math.log(total * h)


def _log_moment(d_k: int, c: float) -> float:
    """Log M(c) for c >= 0, about c^2/(2 d); its relative precision survives c -> 0."""
    if c**2 > 2 * d_k:
        return _tilted_nodes(d_k, c, 0.0)[2] - _tilted_nodes(d_k, 0.0, 0.0)[2]
    s, weight, _ = _tilted_nodes(d_k, 0.0, c)
    return math.log1p(float(np.sum(weight * 2 * np.sinh(c * s / 2) ** 2)))  # E cosh(c s) - 1, s being symmetric


def _log_characteristic(d_k: int, c: float, y: Float[np.ndarray, " m"]) -> Complex[np.ndarray, " m"]:
    """Log of M(c + iy) / M(c) modulo 2 pi i, precise also where it is near 0; ``y`` ascending."""
    s, weight, _ = _tilted_nodes(d_k, c, float(y[-1]))
    half = np.outer(y / 2, s)
    sine = np.sin(half)
    real, imaginary = -2 * (sine**2 @ weight), 2 * ((sine * np.cos(half)) @ weight)  # E exp(i y s) - 1
    squared_modulus_less_one = np.maximum(real * (2 + real) + imaginary**2, -1 + 2.0**-52)  # log of 0 has no use here
    return 0.5 * np.log1p(squared_modulus_less_one) + 1j * np.arctan2(imaginary, 1 + real)
