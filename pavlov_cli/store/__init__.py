"""What has been measured, where is it kept, and can it be trusted?

Rows are appended and never rewritten; manifest and tables are written whole or not at all; everything read is checked.
"""

from pavlov_cli.durable import make_folder
from pavlov_cli.store.evidence import Conflict, Damage, Rows, Stored
from pavlov_cli.store.folders import find_run, list_runs, plain_name, run_dir, run_name
from pavlov_cli.store.manifest import read_manifest, write_manifest
from pavlov_cli.store.merge import merge, settle
from pavlov_cli.store.reader import read_rows
from pavlov_cli.store.runs import StoredRun, is_finished, load_run
from pavlov_cli.store.seal import is_sealed, write_seal
from pavlov_cli.store.tables import read_table, table_text, write_table
from pavlov_cli.store.writer import RowWriter

__all__ = [
    "Conflict",
    "Damage",
    "RowWriter",
    "Rows",
    "Stored",
    "StoredRun",
    "find_run",
    "is_finished",
    "is_sealed",
    "list_runs",
    "load_run",
    "make_folder",
    "merge",
    "plain_name",
    "read_manifest",
    "read_rows",
    "read_table",
    "run_dir",
    "run_name",
    "settle",
    "table_text",
    "write_manifest",
    "write_seal",
    "write_table",
]
