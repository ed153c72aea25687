"""What can be concluded from per-trial numbers: intervals, capacities, exponents, verdicts and when to stop."""

from pavlov_cli.stats.crossings import Crossing, crossing, smooth_half_width
from pavlov_cli.stats.differences import difference_z
from pavlov_cli.stats.fits import Slope, exponent, slope_of, standard_error_log
from pavlov_cli.stats.intervals import mean_interval, proportion_interval
from pavlov_cli.stats.order import median_interval, quantile
from pavlov_cli.stats.stages import precise_enough, stages
from pavlov_cli.stats.verdicts import Verdict, verdict

__all__ = [
    "Crossing",
    "Slope",
    "Verdict",
    "crossing",
    "difference_z",
    "exponent",
    "mean_interval",
    "median_interval",
    "precise_enough",
    "proportion_interval",
    "quantile",
    "slope_of",
    "smooth_half_width",
    "stages",
    "standard_error_log",
    "verdict",
]
