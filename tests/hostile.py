"""Changes of model files and checkpoints, with right checksums, as somebody might make them on purpose."""

import json
import struct
import zlib
from copy import deepcopy

import numpy as np
from hypothesis import strategies as st

from aligner.storage import array_file

INTERESTING = [0, 1, -1, 2, 7, 63, 64, 1 << 30, (1 << 31) - 1, 1 << 31, 1 << 62, -(1 << 62), 1 << 80]
JSON_VALUES = st.one_of(
    st.sampled_from(INTERESTING),
    st.sampled_from([None, True, "", "hmm", "|O", "<f2", "<U3", [], [1], {}, 0.5, -1.0, 1e300]),
    st.integers(-5, 5000),
)


def contents(header, arrays):
    """Return the bytes of a file with this header and these arrays, with right checksums."""
    body = b""
    for entry in header["arrays"]:
        data = arrays.get(entry.get("name"), np.zeros(0, np.uint8)).tobytes()
        data += bytes(-len(data) % 64)
        entry["crc32"] = zlib.crc32(data)
        body += data
    encoded = json.dumps(header).encode()
    encoded += b" " * (-(20 + len(encoded)) % 64)
    return struct.pack("<8sIII", array_file.MAGIC, 1, len(encoded), zlib.crc32(encoded)) + encoded + body


def paths_of(value, path=()):
    """Yield the path of every value nested in JSON data."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from paths_of(part, (*path, key))


def replaced(header, path, value):
    """Return a header with another value at a path."""
    header = deepcopy(header)
    place = header
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return header


def changed_layout(data, header):
    """Return a header in which one array has another name, type, shape or offset."""
    entries = header["arrays"]
    number = data.draw(st.integers(0, len(entries) - 1))
    key = data.draw(st.sampled_from(["name", "dtype", "shape", "offset"]))
    if key == "shape" and data.draw(st.booleans()):
        value = data.draw(st.lists(st.sampled_from(INTERESTING), max_size=3))
    elif key == "offset":
        value = data.draw(st.sampled_from([entry["offset"] for entry in entries] + INTERESTING))
    elif key == "name":
        value = data.draw(st.sampled_from([entry["name"] for entry in entries] + ["forward.more"]))
    else:
        value = data.draw(st.one_of(JSON_VALUES, st.sampled_from([entry[key] for entry in entries])))
    return replaced(header, ("arrays", number, key), value)


def changed_header(data, header):
    """Return a header in which one value has changed, but not the layout of the arrays."""
    path = data.draw(st.sampled_from([path for path in paths_of(header) if path and path[0] != "arrays"]))
    return replaced(header, path, data.draw(JSON_VALUES))


def changed_values(data, arrays):
    """Return arrays of which one has up to three other values."""
    name = data.draw(st.sampled_from([name for name, array in arrays.items() if array.size]))
    array = arrays[name].copy()
    values = array.reshape(-1)
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(0, len(values) - 1))
        if data.draw(st.booleans()):
            octets = values.view(np.uint8)
            octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
        elif array.dtype.kind == "f":
            values[position] = data.draw(st.sampled_from([0.0, -0.0, -1.0, 1e-45, 1.0, 2.0, np.nan, np.inf]))
        else:
            values[position] = data.draw(st.sampled_from(INTERESTING)) % (1 << 7 * array.itemsize)
    return arrays | {name: array}
