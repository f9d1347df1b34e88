# Structures in pools found, as one generated unit that lists them where libpmemobj is not: a new file in
# core/structures/persistent needs no line here. Its entry begins with NAME, the file's own name, summary and source.
file(GLOB STRUCTURES_IN_POOLS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/core/structures/persistent/*.cpp)
set(ABSENT_ENTRIES)
foreach(PATH IN LISTS STRUCTURES_IN_POOLS)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PATH})
  file(READ ${PATH} TEXT)
  if(NOT TEXT MATCHES "StructureEntry entry")
    continue()
  endif()
  get_filename_component(NAME ${PATH} NAME_WE)
  if(NOT TEXT MATCHES "string_view NAME = \"${NAME}\";" OR
     NOT TEXT MATCHES "StructureEntry entry{[ \n]*NAME,[ \n]*(\"[^\"]*\"),[ \n]*(\"[^\"]*\"),[ \n]*true,")
    message(FATAL_ERROR "${PATH}: expected NAME = \"${NAME}\" and an entry{NAME, \"summary\", \"source\", true, ...")
  endif()
  string(APPEND ABSENT_ENTRIES "    {\"${NAME}\", ${CMAKE_MATCH_1}, ${CMAKE_MATCH_2}, true, LACKING, &refuse, &no_pool},\n")
endforeach()
set(ABSENT_STRUCTURES ${CMAKE_CURRENT_BINARY_DIR}/without_pool.cpp)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cmake/without_pool.cpp.in ${ABSENT_STRUCTURES} @ONLY)
