#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads a counter from Python by the code page, with nothing but ctypes: code.py CPU EVENT-NUMBER READS. Prints how many
reads there were, and how many of them were not between two reads by ioctl."""
import ctypes
import fcntl
import mmap
import os
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]

MAP_CODE = 0x10000000
IOC_INFO = 0xC0000000 | 64 << 16 | 0xBC << 8
IOC_READ = 0xC0000000 | 56 << 16 | 0xBC << 8 | 4
PERF_EVENT_OPEN = {"aarch64": 241, "x86_64": 298}[os.uname().machine]


def mapped(fd, size, protection, offset):
    address = libc.mmap(None, size, protection, mmap.MAP_SHARED, fd, offset)
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return address


def word(address, form):
    return struct.unpack(form, ctypes.string_at(address, struct.calcsize(form)))[0]


def symbols(image):
    """The dynamic symbols of an ELF image, name to address."""
    found, tables = {}, {}
    start, count = word(image + 32, "<Q"), word(image + 56, "<H")
    for segment in range(image + start, image + start + 56 * count, 56):
        if word(segment, "<I") == 2:
            dynamic = image + word(segment + 16, "<Q")
            while word(dynamic, "<Q"):
                tables[word(dynamic, "<Q")] = image + word(dynamic + 8, "<Q")
                dynamic += 16
    names, hashes, table = tables[5], tables[4], tables[6]
    for number in range(1, word(hashes + 4, "<I")):
        symbol = table + 24 * number
        found[ctypes.string_at(names + word(symbol, "<I")).decode()] = image + word(symbol + 8, "<Q")
    return found


def take_right():
    """A disabled event of this thread that asks for user access."""
    attr = bytearray(128)
    struct.pack_into("<IIQ", attr, 0, 0, 128, 0)
    struct.pack_into("<Q", attr, 40, 1 | 1 << 5)
    struct.pack_into("<Q", attr, 56, 2 if os.uname().machine == "aarch64" else 0)
    buffer = (ctypes.c_char * 128).from_buffer(attr)
    fd = libc.syscall(PERF_EVENT_OPEN, buffer, 0, -1, ctypes.c_long(-1), 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    mapped(fd, mmap.PAGESIZE, mmap.PROT_READ, 0)
    fcntl.ioctl(fd, 0x2400, 0)
    fcntl.ioctl(fd, 0x2401, 0)


class Sequence(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("start", ctypes.c_uint64),
                ("length", ctypes.c_uint64), ("abort", ctypes.c_uint64)]


class Place(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_uint64), ("rseq", ctypes.c_uint64), ("sequence", ctypes.c_uint64)]


def main(cpu, event, reads):
    os.sched_setaffinity(0, {cpu})
    device = os.open("/dev/pmuctl", os.O_RDONLY | os.O_CLOEXEC)
    info = fcntl.ioctl(device, IOC_INFO, struct.pack("<I60x", 64))
    area_size, code_size = struct.unpack_from("<QQ", info, 16)
    area = mapped(device, area_size, mmap.PROT_READ, 0)
    of = symbols(mapped(device, code_size, mmap.PROT_READ | mmap.PROT_EXEC, MAP_CODE))
    if word(of["pmuctl_code_version"], "<I") != 1:
        raise SystemExit("another version of the code page")
    take_right()

    sequence = Sequence(0, 0, of["pmuctl_read_begin"], of["pmuctl_read_end"] - of["pmuctl_read_begin"],
                        of["pmuctl_read_abort"])
    thread = ctypes.CFUNCTYPE(ctypes.c_uint64)(of["pmuctl_thread_pointer"])()
    rseq = thread + ctypes.c_ssize_t.in_dll(libc, "__rseq_offset").value
    slot = area + word(area + 32, "<I") + word(area + 44, "<I") + (event << word(area + 48, "<I"))
    place = Place(slot, rseq, ctypes.addressof(sequence))
    read = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(of["pmuctl_read"])

    def fresh():
        answer = fcntl.ioctl(device, IOC_READ, struct.pack("<IIII40x", 56, 0, cpu, event))
        return struct.unpack_from("<Q", answer, 16)[0]

    wrong = 0
    for _ in range(reads):
        low = fresh()
        value = read(ctypes.addressof(place))
        wrong += not low <= value <= fresh()
    print(reads, wrong)


main(*(int(word) for word in sys.argv[1:4]))
