# The project links its programs against a shared libnghttp2, whose code a rebuild of the program
# alone would not reach. This puts the static library of the same sources under the name that the
# programs ask for; it goes with -DENABLE_SHARED_LIB=OFF -DENABLE_STATIC_LIB=ON.
add_library(nghttp2 INTERFACE)
target_link_libraries(nghttp2 INTERFACE nghttp2_static)
target_include_directories(nghttp2 INTERFACE
  ${PROJECT_SOURCE_DIR}/lib/includes ${PROJECT_BINARY_DIR}/lib/includes)
