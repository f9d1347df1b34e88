"""Emulated machines by QEMU with memory that this machine lacks: DAX, CXL, nodes. For placement and order, never time.

A machine is booted for one command. It needs QEMU, Debian's kernel for clouds, a static busybox and the static core.
"""
