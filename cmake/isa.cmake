# The ISAs that this processor family may have, found: a new header in core/isa needs no line here. Its lines `/// Build:`
# and `/// Flags:` state the type, the rank (the highest that runs is the default), the values of CMAKE_SYSTEM_PROCESSOR,
# the CPU features at run time, and the compiler flags. Lines of TIERSCOPE_ISAS are rank|name|type|features|flags, by rank.
file(GLOB ISA_PATHS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/core/isa/*.hpp)
list(FILTER ISA_PATHS EXCLUDE REGEX "/isa[.]hpp$")  # the concept that all of them meet
set(TIERSCOPE_ISAS)
foreach(PATH IN LISTS ISA_PATHS)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PATH})
  get_filename_component(ISA ${PATH} NAME_WE)
  file(STRINGS ${PATH} LINE REGEX "^/// Build: ")
  file(STRINGS ${PATH} FLAGS REGEX "^/// Flags: ")
  if(NOT FLAGS OR NOT LINE MATCHES "^/// Build: ([A-Za-z0-9_]+), rank ([0-9]+), on ([A-Za-z0-9_ ]+), features \"([^\"]*)\"$")
    message(FATAL_ERROR "${PATH}: expected two lines as in core/isa/avx2.hpp:\n"
      "  /// Build: Avx2, rank 1, on x86_64 AMD64, features \"avx2 fma\"\n  /// Flags: -mavx2 -mfma (or none)")
  endif()
  set(LINE "${CMAKE_MATCH_2}|${ISA}|${CMAKE_MATCH_1}|${CMAKE_MATCH_4}|")
  string(REPLACE " " ";" FAMILIES "${CMAKE_MATCH_3}")
  string(REGEX REPLACE "^/// Flags: (none$)?" "" FLAGS "${FLAGS}")
  if("any" IN_LIST FAMILIES OR CMAKE_SYSTEM_PROCESSOR IN_LIST FAMILIES)
    list(APPEND TIERSCOPE_ISAS "${LINE}${FLAGS}")
  endif()
endforeach()
list(SORT TIERSCOPE_ISAS COMPARE NATURAL)

if(TIERSCOPE_ONLY_ISAS)
  string(REPLACE ";" "|" ONLY "${TIERSCOPE_ONLY_ISAS}")
  list(FILTER TIERSCOPE_ISAS INCLUDE REGEX "^[0-9]+[|](${ONLY})[|]")
endif()
