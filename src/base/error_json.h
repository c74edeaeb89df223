// An error on its way to another process.
#pragma once

#include "base/error.h"
#include "base/json.h"

namespace hone {

Json error_json(const Error& error);
// What is missing stays empty; a kind that is none of ours is kInternal. Throws Json's exceptions
// for values of another type.
Error error_from(const Json& json);

}  // namespace hone
