# hone_library(NAME [COLD] DEPS ... [PRECOMPILE ...]): src/NAME as one static library hone_NAME, and its *_test.cc files as
# NAME_test. Sources are globbed: adding a file is the whole act of adding it, and the include-
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

# Half of the time to build hone is headers read again and again, and the optimizer at work on code that
# runs once. So: big headers are precompiled (HONE_PRECOMPILE; a compiler cache does better without),
# the conversions to JSON, which need every header of their library, are compiled as one, and COLD
# libraries, on no request's path, get -O1.
option(HONE_PRECOMPILE "precompile big headers" ON)
function(hone_build_quickly target sources precompile cold)
  if(HONE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${precompile})
  endif()
  list(FILTER sources EXCLUDE REGEX "_json\\.cc$")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  if(cold)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

function(hone_library name)
  cmake_parse_arguments(arg "COLD" "" "DEPS;PRECOMPILE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  add_library(hone_${name} STATIC ${sources})
  target_link_libraries(hone_${name} PUBLIC hone_flags ${arg_DEPS})
  hone_build_quickly(hone_${name} "${sources}" "${arg_PRECOMPILE}" ${arg_COLD})
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
