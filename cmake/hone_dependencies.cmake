# Every library hone stands on, found here and nowhere else. script/setup installs them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2>=1.52)
# Optional, and not for the embedded subject, whose builds are to stay comparable. The next releases of
# both have other functions.
if(HONE_HTTP3 AND NOT HONE_ORIGIN_ONLY)
  pkg_check_modules(http3 IMPORTED_TARGET libngtcp2>=0.12 libngtcp2<0.13 libngtcp2_crypto_gnutls
                    libnghttp3>=0.8 libnghttp3<0.9 gnutls>=3.7.2)
endif()

# Header-only libraries whose packages carry no CMake target on Debian 12.
function(hone_header_library target header)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
endfunction()
hone_header_library(hone_expected tl/expected.hpp)
if(NOT HONE_ORIGIN_ONLY)
  find_package(Boost 1.74 REQUIRED)
  hone_header_library(hone_mustache kainjow/mustache.hpp)
  hone_header_library(hone_tomlplusplus toml++/toml.h)
  hone_header_library(hone_cli11 CLI/CLI.hpp)
  if(HONE_TESTS)
    enable_testing()
    find_package(GTest REQUIRED)
  endif()
endif()
