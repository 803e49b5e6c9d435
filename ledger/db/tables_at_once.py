"""Tables that a migration creates one after the other are created from one picture of the models.

Django draws its picture of the models anew for each table, with all that is connected to it: in a new database that was two
thirds of the time of `migrate`.
"""

from collections.abc import Iterable
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import Migration
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateModels(Operation):
    """Several tables, of which none is altered in between."""

    def __init__(self, models: list[CreateModel]) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Leave the picture to be drawn once all of them are known."""
        vars(state).pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Create them in their order."""
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)


def at_once(operations: Iterable[Operation]) -> list[Operation]:
    """The same operations, with each row of tables that are created as one."""
    found: list[Operation] = []
    for operation in operations:
        if type(operation) is not CreateModel:
            found.append(operation)
        elif found and isinstance(found[-1], CreateModels):
            found[-1].models.append(operation)
        else:
            found.append(CreateModels([operation]))
    return found


def before_migrate(plan: Iterable[tuple[Migration, bool]], **_: Any) -> None:
    """What is about to be migrated forwards creates its tables so."""
    for migration, backwards in plan:
        if not backwards:
            vars(migration)["operations"] = at_once(migration.operations)
