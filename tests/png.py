"""Reads and writes PNG files without other libraries, for tests and scripts: RGB or a palette, 8 bits, not interlaced."""
import pathlib
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def size(file):
    """Width and height in pixels. `file` is a path or the file's bytes."""
    head = file[:24] if isinstance(file, bytes) else pathlib.Path(file).read_bytes()[:24]
    assert head[:8] == SIGNATURE and head[12:16] == b"IHDR", head
    return struct.unpack(">II", head[16:24])


def read(path):
    """Width, height and rows of a picture, three bytes per pixel."""
    data = pathlib.Path(path).read_bytes()
    width, height = size(data)
    kind = data[24:29]
    assert kind in (b"\x08\x02\0\0\0", b"\x08\x03\0\0\0"), data[:29]
    channels = 3 if kind[1] == 2 else 1
    rows = _unfiltered(zlib.decompress(_chunk(data, b"IDAT")), width * channels, channels)
    if channels == 1:
        palette = _chunk(data, b"PLTE")
        colors = [palette[i:i + 3] for i in range(0, len(palette), 3)]
        rows = [b"".join(map(colors.__getitem__, row)) for row in rows]
    return width, height, rows


def write(path, rows):
    """Writes rows of equal length, three bytes per pixel."""
    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    chunks = [(b"IHDR", header), (b"IDAT", pixels), (b"IEND", b"")]
    pathlib.Path(path).write_bytes(SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks))


def _chunk(data, name):
    """The contents of all chunks of this name, one after the other."""
    contents, position = b"", 8
    while position < len(data):
        length = int.from_bytes(data[position:position + 4], "big")
        if data[position + 4:position + 8] == name:
            contents += data[position + 8:position + 8 + length]
        position += 12 + length
    return contents


def _unfiltered(data, stride, channels):
    rows, before = [], bytearray(stride)
    for start in range(0, len(data), stride + 1):
        kind, row = data[start], bytearray(data[start + 1:start + 1 + stride])
        if kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, before))
        elif kind:
            for i in range(stride):
                left = row[i - channels] if i >= channels else 0
                up, corner = before[i], before[i - channels] if i >= channels else 0
                row[i] = (row[i] + (left, 0, (left + up) // 2, _paeth(left, up, corner))[kind - 1]) & 255
        rows.append(row)
        before = row
    return rows


def _paeth(left, up, corner):
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    return left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
