# The ISAs, one line each: file in core/isa, type, rank (the highest that runs is the default),
# CPU features at run time, compiler flags.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(TIERSCOPE_ISAS
    "scalar|Scalar|0||"
    "avx2|Avx2|1|avx2 fma|-mavx2 -mfma"
    "avx512|Avx512|2|avx512f avx512dq|-mavx512f -mavx512dq -mfma -mprefer-vector-width=512")
else()
  set(TIERSCOPE_ISAS
    "scalar|Scalar|0||")
endif()

if(TIERSCOPE_ONLY_ISAS)
  string(REPLACE ";" "|" ONLY "${TIERSCOPE_ONLY_ISAS}")
  list(FILTER TIERSCOPE_ISAS INCLUDE REGEX "^(${ONLY})[|]")
endif()
