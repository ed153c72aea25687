"""How likely does a given stored value beat the own one, given the interference that all of them share?

One Hebbian head with unit keys and values reads ``r = v_i + b v_j + g`` at key i, where b = <k_i, k_j> and g sums the
other n - 2 values. Let t = <v_i, g> and R be the length of g across v_i. Value j wins, <v_j - v_i, r> > 0, where v_j
makes a smaller angle with ``(1 - b) v_i + g`` than v_i does, because <v_j - v_i, v_j + v_i> = 0. So it wins where a
coordinate of a random unit vector in d_v dimensions exceeds y / sqrt(y^2 + R^2), y = 1 - b + t. That settles the
overlap <v_i, v_j>, and only b is left to integrate.

g is an isotropic Gaussian vector of random scale X (a gamma law with the fourth moment of the true sum), and the
distractors are independent given (t, R). Equal steps in t and log R are exponentially accurate for such smooth peaks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

BELOW_ONE = 1 - 2.0**-53  # stands for a certain win, whose logarithm of losing has no use
_DROP = 37.0  # exp(-37) = 1e-16 of a density's height: what lies below is left out
_STEP_T, _STEP_R, _STEP_X = 0.16, 0.6, 0.7  # of a standard deviation; halving all three moves errors > 1e-6 by < 1e-5
_MOST_STEPS = 400  # on either side; more would only resolve errors far below the float64 range of interest


@dataclass(frozen=True)
class Grid:
    """The law of the interference (t, R), as weighted nodes.

    Attributes:
        t: interference along the own value, in equal steps.
        step: distance of two t.
        radius: interference across the own value, > 0.
        weight: probabilities [t, radius], summing to 1 up to what is left out at small t and R.
    """

    t: Float[np.ndarray, " t"]
    step: float
    radius: Float[np.ndarray, " r"]
    weight: Float[np.ndarray, "t r"]

    def extended(self, steps: int) -> Float[np.ndarray, " more"]:
        """The same t with ``steps`` further ones at either end."""
        return self.t[0] + self.step * np.arange(-steps, len(self.t) + steps)


def sphere_moment(d: int) -> float:
    """``d^2 E c^4 = 3 d/(d+2)`` of a coordinate c of a random unit vector; 3 for a normal one."""
    return 3 * d / (d + 2)


def sign_moment(d: int) -> float:
    """``d^2 E c^4 = 3 - 2/d`` of the overlap c of two vectors with components +-1/sqrt(d)."""
    return 3 - 2 / d


def degrees_of_freedom(keys: float, values: float, terms: float, *, repeats: float = 0.0) -> float:
    """The chi-square degrees of freedom nu of X for a sum of ``terms`` values with overlaps as weights.

    ``2/nu = (keys values / 3 - 1) / N + (1 - 1/N) p (values - 1)``, from E t^4 = 3 (E X)^2 (1 + 2/nu) / d_v^2, where
    two terms of the sum carry the same value with probability p.

    Args:
        keys: ``d_k^2 E b^4`` of the overlap of two keys; ``keys values`` above 3.
        values: ``d_v^2 E a^4`` of the overlap of two values.
        terms: N > 0.
        repeats: p in [0, 1].

    Returns:
        nu > 0.
    """
    pairs = max(0.0, 1 - 1 / terms) * repeats * (values - 1)
    return 2 / ((keys * values / 3 - 1) / terms + pairs)


def interference_grid(d_v: int, mean_square: float, freedom: float, *, own: float = 0.0) -> Grid:
    """Nodes for t ~ N(0, X/d_v) and R^2 = X chi2_{d_v-1}/d_v with X = mean_square chi2_nu/nu.

    Args:
        d_v: value dimension, >= 8.
        mean_square: E X > 0, the mean squared length of the interference.
        freedom: nu > 0.
        own: variance that a later convolution adds to t; it widens the range and the steps.

    Returns:
        The grid.
    """
    across = d_v - 1
    log_x, x_step = _equal_steps(freedom, _STEP_X * math.sqrt(2 / (freedom + d_v)))
    of_product = 1 / (1 / freedom + 1 / across)
    log_r, r_step = _equal_steps(of_product, _STEP_R * math.sqrt(2 / of_product))
    step = _STEP_T * math.sqrt(mean_square / d_v + own)
    reach = max(9.0, _DROP / math.sqrt(freedom))  # t has tails exp(-sqrt(nu) abs(t)) in standard deviations
    t = step * np.arange(-math.ceil(reach / _STEP_T), math.ceil(9 / _STEP_T) + 1)
    deviation = np.sqrt(mean_square / d_v * np.exp(log_x))
    t_given_x = np.exp(-((t[:, None] / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi)) * step
    x_weight = _chi_density(log_x, freedom) * x_step
    r_given_x = _chi_density(log_r - log_x[:, None], across) * r_step
    radius = np.sqrt(mean_square * across / d_v * np.exp(log_r))
    return Grid(t, step, radius, (t_given_x * x_weight) @ r_given_x)


def _equal_steps(freedom: float, step: float) -> tuple[Float[np.ndarray, " m"], float]:
    """Equal steps in log(chi2/dof) over all of its density that is above exp(-``_DROP``) of the height."""
    from scipy.special import lambertw

    drop = 2 * _DROP / freedom
    if drop < 1e-6:  # exp(y) - 1 - y is y^2/2, and Lambert's W too close to its branch point
        low, high = -math.sqrt(2 * drop), math.sqrt(2 * drop)
    else:  # exp(y) - 1 - y = drop: exp(y) is -W(-exp(-1 - drop)) in both branches
        low, high = (math.log(-lambertw(-math.exp(-1 - drop), branch).real) for branch in (0, -1))
    return step * np.arange(math.floor(low / step), math.ceil(high / step) + 1), step


def _chi_density(y: Float[np.ndarray, "..."], freedom: float) -> Float[np.ndarray, "..."]:
    """Density of y = log(chi2/dof), also for very many degrees of freedom."""
    from scipy.special import gammaln

    half = freedom / 2
    if half < 1e4:
        log_height = half * math.log(half) - half - float(gammaln(half))
    else:  # Stirling's series, where the terms above cancel
        log_height = math.log(half / (2 * math.pi)) / 2 - 1 / (12 * half)
    return np.exp(half * (y - np.expm1(y)) + log_height)


def win_probability(
    d_v: int, y: Float[np.ndarray, "..."], radius: Float[np.ndarray, "..."]
) -> Float[np.ndarray, "..."]:
    """P(c > y / sqrt(y^2 + R^2)) for a coordinate c of a random unit vector; relative precision for y > 0.

    Args:
        d_v: dimension of the vector, >= 2.
        y: advantage of the own value.
        radius: R > 0; broadcasts with ``y``.

    Returns:
        Probabilities in [0, 1].
    """
    from scipy.special import betainc

    tail = betainc((d_v - 1) / 2, 0.5, 1 / (1 + (y / radius) ** 2)) / 2
    return np.where(y < 0, 1 - tail, tail)


def overlap_weights(d_k: int, step: float) -> Float[np.ndarray, " odd"]:
    """The law of an overlap of two sphere keys as weights on multiples of ``step``, the middle one at 0.

    Equal steps sum a smooth density: moments up to the sixth are right to 1e-6 from d 32, at d 8 to 1e-3 where steps
    are 0.16 deviations and to 5% at the widest. A step too wide for that means an overlap small against everything
    else, where seven weights with those moments do: ``E b^2p = (2p-1)!! / (d (d+2) ... (d+2p-2))``.

    Args:
        d_k: key dimension, >= 8.
        step: > 0.

    Returns:
        Weights summing to 1, of odd length.
    """
    if step > 0.7 / math.sqrt(d_k):
        offsets = np.arange(1, 4.0)
        odd, even = np.array([1, 3, 15]), np.cumprod([d_k, d_k + 2, d_k + 4], dtype=np.float64)
        side = np.linalg.solve(2 * offsets ** np.array([[2], [4], [6]]), odd / even / step ** np.array([2, 4, 6]))
        return np.concatenate([side[::-1], [1 - 2 * side.sum()], side])
    furthest = math.sqrt(-math.expm1(-4 * _DROP / d_k))  # (1 - b^2)^(d/2) = exp(-2 _DROP)
    steps = min(math.floor(furthest / step), _MOST_STEPS)
    overlap = step * np.arange(-steps, steps + 1)
    weight = np.maximum(1 - overlap**2, 0.0) ** ((d_k - 3) / 2)
    return weight / weight.sum()


def convolved(rows: Float[np.ndarray, "more r"], weights: Float[np.ndarray, " odd"]) -> Float[np.ndarray, "t r"]:
    """Sum over b of weights(b) rows(t - b), where ``rows`` have half the weights' length more t at either end.

    Args:
        rows: a function of t, down the first axis, and R.
        weights: symmetric, of odd length.

    Returns:
        The convolution at the t that have all their neighbours.
    """
    from scipy.linalg import convolution_matrix

    inner = len(rows) - len(weights) + 1
    return convolution_matrix(weights, inner).T @ rows


@lru_cache(maxsize=128)
def stored_wins(d_k: int, d_v: int, n: int) -> tuple[Float[np.ndarray, "t r"], Float[np.ndarray, "t r"]]:
    """P(t, R) that a given other stored value wins, and the weights of (t, R).

    Args:
        d_k: key dimension, >= 8.
        d_v: value dimension, >= 8.
        n: number of associations, >= 3.

    Returns:
        Probabilities in [0, 1) and weights, both [t, R].
    """
    terms = n - 2
    grid = interference_grid(d_v, terms / d_k, degrees_of_freedom(sphere_moment(d_k), sphere_moment(d_v), terms))
    weights = overlap_weights(d_k, grid.step)
    advantage = 1 + grid.extended(len(weights) // 2)
    wins = convolved(win_probability(d_v, advantage[:, None], grid.radius), weights)
    return np.clip(wins, 0.0, BELOW_ONE), grid.weight


def log_linear_root(product: float) -> float:
    """The x > 1 with x ln x = ``product``.

    Args:
        product: > 0.

    Returns:
        ``product / W(product)``, W Lambert's function.
    """
    from scipy.special import lambertw

    return product / float(lambertw(product).real)
