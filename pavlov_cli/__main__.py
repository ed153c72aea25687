"""``python -m pavlov_cli``: the same as the ``pavlov`` command."""

from pavlov_cli.cli import entry_point

if __name__ == "__main__":
    entry_point()
