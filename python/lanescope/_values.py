"""Parameters of queries, as the text that the library takes."""

import json as _json
import math as _math
import operator as _operator
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence


def _value(name, value):
    """A value that JSON can write without a loss."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        value.encode("utf-8")  # raises for halves of characters
        return str(value)
    if isinstance(value, float):
        if not _math.isfinite(value):
            raise ValueError(f"The value of parameter {name} is {value}: queries take finite numbers")
        return float(value)
    try:
        whole = _operator.index(value)
    except TypeError:
        raise TypeError(f"The value of parameter {name} is of type {type(value).__name__}: queries take None, int, "
                        "float and str") from None
    if not -(1 << 63) <= whole < 1 << 63:
        raise OverflowError(f"The value of parameter {name} has more than 64 bits: {whole}")
    return whole


def parameters(given):
    """The text of a sequence or mapping."""
    if isinstance(given, _Mapping):
        for name in given:
            if not isinstance(name, str):
                raise TypeError(f"Names of parameters are texts, not {name!r}")
        return _json.dumps({str(name): _value(name, value) for name, value in given.items()})
    if isinstance(given, _Sequence) and not isinstance(given, (str, bytes, bytearray, memoryview)):
        return _json.dumps([_value(number, value) for number, value in enumerate(given, 1)])
    raise TypeError(f"parameters is a sequence or a mapping, not {type(given).__name__}")
