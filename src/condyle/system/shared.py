"""What is found out of a system once, for all runs on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class shared_property(Generic[Value]):
    """A property of a `System` that is computed when it is first asked for, and then serves all runs on the system.

    Two threads that ask at once may both compute it: the values are equal, and nobody writes into them.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> shared_property[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        system = instance.shared
        if self._name not in system.__dict__:
            system.__dict__[self._name] = self._function(system)
        value = instance.__dict__[self._name] = system.__dict__[self._name]
        return value
