"""Which arithmetic computed a row? Part of every point id."""

KERNEL_VERSION = "4"  # raise it when a change alters any stored value, even in its last bit
