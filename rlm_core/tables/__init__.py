"""Any table: what its columns are (:class:`TableSchema`), and a row as numbers (:class:`TablePreprocessor`).

    file or frame ── read_table ──▶ frame ── TableSchema.read ──▶ tidy values ── TablePreprocessor ──▶ matrix (n, p)

Lending Club's loans are one instance (``rlm_core.data``): a schema written by hand. Schema and
preprocessor come from public rows and are fixed before anybody's row is read with them.
"""

from rlm_core.tables.errors import TableError
from rlm_core.tables.feature import Feature
from rlm_core.tables.files import read_table
from rlm_core.tables.infer import LeftOut
from rlm_core.tables.preprocessor import Block, DecodedTable, TablePreprocessor
from rlm_core.tables.schema import TableSchema

__all__ = [
    "Block",
    "DecodedTable",
    "Feature",
    "LeftOut",
    "TableError",
    "TablePreprocessor",
    "TableSchema",
    "read_table",
]
