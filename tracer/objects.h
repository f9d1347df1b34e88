// SPDX-License-Identifier: GPL-2.0-or-later
/// What the library in the program says to the plug-in: numbers of system calls that no kernel has, and of places.
#pragma once

enum {
  OBJECTS_CODE = 0x54530000,  // begin, end: of code that is not traced
  OBJECTS_MUTE,               // this thread is not traced until
  OBJECTS_UNMUTE,
  OBJECTS_TEXT,       // 48 bytes of text, whose end is a 0
  OBJECTS_ALLOCATED,  // address, bytes, place
  OBJECTS_FREED,      // address
  OBJECTS_PHASE       // 48 bytes of text: by the program itself, which begins a part of its work
};
/// Places: 0 is all that no other place has.
enum { OBJECTS_REST = 0, OBJECTS_FIRST = 1, OBJECTS_MOST = 65535 };
