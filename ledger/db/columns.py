"""The columns of a model, by Django's documented `_meta`."""

from typing import Any

from django.db.models import GeneratedField, Model


def columns_of(model: type[Model]) -> list[Any]:
    return [field for field in model._meta.get_fields() if field.concrete and not field.many_to_many]


def columns_to_write(model: type[Model]) -> list[Any]:
    return [
        field for field in columns_of(model) if not (field.primary_key or isinstance(field, GeneratedField))
    ]


def field_at(model: Any, path: str) -> Any:
    *through, last = path.split("__")
    for name in through:
        model = model._meta.get_field(name).related_model
    return model._meta.pk if last == "pk" else model._meta.get_field(last)
