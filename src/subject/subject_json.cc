#include "subject/server_spec.h"
#include "subject/worker_spread.h"

namespace hone::subject {

HONE_JSON_FIELDS(Ready, http, tcp, limit_s)
HONE_JSON_FIELDS(Stop, signal, post, limit_s)
HONE_JSON_FIELDS(FileTemplate, name, text)
HONE_JSON_FIELDS(ServerSpec, command, env, workers, user, ready, stop, files)
HONE_JSON_FIELDS(Generator, command, answers, answers_json, failures)
HONE_JSON_FIELDS(Shape, name, protocol, tls, method, path, headers, body_bytes, config, train,
                 prove, share, generator)
HONE_JSON_FIELDS(WorkerSpread, connections, redialled, unknown)

}  // namespace hone::subject
