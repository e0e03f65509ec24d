"""Which columns of a CSV file go where, as a request says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.http import parse_model
from jackfield.api.records import record
from jackfield.api.storage.tables import ColumnType
from jackfield_data_tables.asking import model, read_object
from jackfield_data_tables.csv_texts import Places
from jackfield_data_tables.values import TableRefusal

if TYPE_CHECKING:
    from jackfield_data_tables.schemas import CsvMapping


@record
class TakenColumns:
    """places: the columns of a table by their places in the file; new: the types of those that are made first."""

    places: Places
    new: Mapping[str, ColumnType]


def taken_columns(text: str, header: Sequence[str]) -> TakenColumns:
    """header: the first line of the file. Raises `InvalidInput`."""
    given = cast("CsvMapping", parse_model(model("CsvMapping"), read_object(text, "mapping")))
    columns = [(each.place, each.name.strip(), each.type) for each in given.columns]
    for place, name, _ in columns:
        if place >= len(header):
            details = {"mapping": f"the file has {len(header)} columns, the last at {len(header) - 1}"}
            raise TableRefusal(f"the file has no column at {place} for {name}", details=details)
    if len({name for _, name, _ in columns}) < len(columns) or len({place for place, *_ in columns}) < len(columns):
        details = {"mapping": "name each column once"}
        raise TableRefusal("two columns of the file go to one, or one goes to two", details=details)
    return TakenColumns(
        {place: name for place, name, _ in columns}, {name: kind for _, name, kind in columns if kind is not None}
    )
