// A Debian source package through an apt of hone's own: own list of archives, own index, own cache.
// Nothing outside the given folder is written.
#pragma once

#include <string>

#include "base/error.h"
#include "pipeline/observer.h"
#include "system/system.h"

namespace hone::pipeline {

struct AptSource {
  std::string version;     // "1.52.0-1+deb12u3"
  std::string tree;        // the unpacked source, relative to the folder
  std::string dsc_sha256;  // of its description, which lists the hashes of everything else
};

// `wanted`: "nghttp2" (the newest there is) or "nghttp2=1.52.0-1". `folder` may hold what an
// earlier, cut attempt left. kSource with apt's own words when it cannot be had.
Result<AptSource> fetch_apt_source(const std::string& wanted, const system::Path& folder,
                                   system::System&, Observer&);

// apt's own complaints out of its output, shortest form that says why.
std::string apt_complaints(const std::string& output);
// The versions of `package` that `apt-cache showsrc` lists, each once, in its order.
std::vector<std::string> listed_versions(const std::string& showsrc, const std::string& package);

}  // namespace hone::pipeline
