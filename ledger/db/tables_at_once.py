"""Create the tables of consecutive migrations from one state of the models. Django renders the models'
state again for each table, with all related models: two thirds of the time of `migrate` in a new database."""

from collections.abc import Iterable
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import Migration
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateModels(Operation):
    def __init__(self, models: list[CreateModel]) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
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
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)


def at_once(operations: Iterable[Operation]) -> list[Operation]:
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
    for migration, backwards in plan:
        if not backwards:
            vars(migration)["operations"] = at_once(migration.operations)
