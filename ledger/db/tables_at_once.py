"""Create the tables of consecutive migrations from one state of the models, and add constraints and indexes
to the state as it is. Django renders the models' state again for each of them, with all related models: nine
tenths of the time of `migrate` in a new database."""

from collections.abc import Iterable
from typing import Any

from django.db.migrations import Migration
from django.db.migrations.operations import AddConstraint, AddIndex, CreateModel, RemoveConstraint
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateModels(Operation):
    def __init__(self, models: list[CreateModel]) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        vars(state).pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, *states: ProjectState) -> None:
        for model in self.models:
            model.database_forwards(app_label, schema_editor, *states)


class ChangedOptions(Operation):
    """A constraint or an index of one model, which changes no other model's state."""

    def __init__(self, operation: AddConstraint | RemoveConstraint | AddIndex) -> None:
        self.operation = operation

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        rendered = vars(state).pop("apps", None)
        self.operation.state_forwards(app_label, state)
        if rendered is not None:
            vars(state)["apps"] = rendered
            name = self.operation.model_name.lower()
            meta, told = rendered.all_models[app_label][name]._meta, state.models[app_label, name].options
            meta.constraints, meta.indexes = list(told["constraints"]), list(told["indexes"])
            vars(meta).pop("total_unique_constraints", None)

    def database_forwards(self, app_label: str, schema_editor: Any, *states: ProjectState) -> None:
        self.operation.database_forwards(app_label, schema_editor, *states)


def at_once(operations: Iterable[Operation]) -> list[Operation]:
    found: list[Operation] = []
    for operation in operations:
        if isinstance(operation, AddConstraint | RemoveConstraint | AddIndex):
            found.append(ChangedOptions(operation))
        elif type(operation) is not CreateModel:
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
