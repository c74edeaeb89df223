# hone_library(NAME [COLD] DEPS ...): src/NAME as one static library hone_NAME, and its *_test.cc files
# as NAME_test. Sources are globbed: adding a file is the whole act of adding it, and the include-
# direction check (script/check_includes), not this list, is what guards the structure.

add_library(hone_flags INTERFACE)
target_compile_options(hone_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<BOOL:${HONE_WERROR}>:-Werror>)
target_include_directories(hone_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(hone_flags INTERFACE HONE_VERSION="${PROJECT_VERSION}")
if(HONE_SANITIZE)
  target_compile_options(hone_flags INTERFACE
    -fsanitize=${HONE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  string(REPLACE "fuzzer-no-link," "" hone_sanitize_link "${HONE_SANITIZE}")
  target_link_options(hone_flags INTERFACE -fsanitize=${hone_sanitize_link})
endif()

# Most of the time to build hone is headers read again and again, and the optimizer at work on code that
# runs once. So sources are compiled in batches (HONE_BATCHES; precompiled headers gain little on top),
# and COLD libraries, on no request's path, get -O1. A compiler cache, and whoever edits, does better
# without batches; the clang preset has none either, which shows that each file stands by itself.
option(HONE_BATCHES "compile sources in batches: the fastest first build" ON)
set(CMAKE_UNITY_BUILD ${HONE_BATCHES})
# More in a batch gains little and leaves the last batches of a library without company.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)

function(hone_library name)
  cmake_parse_arguments(arg "COLD" "" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  # An optional component has files of its own for either case, so that no code asks what was found.
  if(http3_FOUND)
    list(FILTER sources EXCLUDE REGEX "/wire/http3_absent\\.cc$")
  else()
    list(FILTER sources EXCLUDE REGEX "/wire/(http3|quic)_[a-z0-9_]*\\.cc$")
    list(FILTER sources EXCLUDE REGEX "/load/http3_faults_test\\.cc$")
    if(name STREQUAL "traffic")
      list(APPEND sources ${CMAKE_SOURCE_DIR}/src/traffic/wire/http3_absent.cc)
    endif()
  endif()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  add_library(hone_${name} STATIC ${sources})
  target_link_libraries(hone_${name} PUBLIC hone_flags ${arg_DEPS})
  if(arg_COLD)
    target_compile_options(hone_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(HONE_TESTS AND NOT HONE_ORIGIN_ONLY AND tests)
    add_executable(${name}_test ${tests} ${CMAKE_SOURCE_DIR}/tests/test_main.cc)
    target_link_libraries(${name}_test hone_${name} hone_system GTest::gmock GTest::gtest)
    # One ctest entry a library: a GoogleTest process prints its own count, and starting one
    # process per case would cost more than the cases do.
    add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1
             WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  endif()
  if(HONE_FUZZ)
    foreach(file ${fuzzers})
      get_filename_component(target ${file} NAME_WE)
      add_executable(${target} ${file})
      target_link_libraries(${target} hone_${name})
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()

function(hone_executable name main)
  add_executable(${name} ${CMAKE_SOURCE_DIR}/${main})
  target_link_libraries(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()
