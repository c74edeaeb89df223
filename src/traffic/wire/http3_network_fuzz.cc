// An HTTP/3 client and a server, and a network that loses, repeats, reorders and spoils what they
// send, or adds something of its own: no crash, no busy loop, and every request ends exactly once.
#include <cstdint>
#include <cstdlib>

#include "traffic/wire/http3_network.h"

namespace {

using namespace hone::traffic::wire;

ClientTlsOptions unverified() {
  ClientTlsOptions options;
  options.verify = false;
  return options;
}

struct Contexts {
  CertificateFiles files;
  std::shared_ptr<QuicContext> server = *QuicContext::server(files.cert(), files.key());
  std::shared_ptr<QuicContext> client = *QuicContext::client(unverified());
};

// What a request of that number is answered with.
Reply reply_to(std::size_t kind) {
  Reply reply;
  reply.framing = static_cast<Framing>(kind % 3);
  reply.body_length = (kind % 11) * 4000;
  reply.early_hints = static_cast<int>(kind % 2);
  if (kind % 5 == 0) reply.trailers = {{"t", "u"}};
  return reply;
}

// The input, a byte at a time; zeros behind its end.
class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool over() const { return at_ >= size_; }
  std::uint8_t next() { return over() ? 0 : data_[at_++]; }
  std::string bytes(std::size_t count) {
    std::string text;
    for (; count > 0 && !over(); --count) text.push_back(static_cast<char>(next()));
    return text;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

void act(std::uint8_t what, Script* script, Http3Network* net, std::uint64_t* submitted) {
  const bool something = !net->on_the_way.empty();
  switch (what % 8) {
    case 0:
    case 1:
      return net->deliver(what % 8 == 0, script->bytes(script->next() * 6U));
    case 2:
      if (something) net->on_the_way.erase(net->on_the_way.begin());
      return;
    case 3:
      if (something) {
        std::string& bytes = net->on_the_way.front().bytes;
        bytes[script->next() % bytes.size()] ^= static_cast<char>(script->next());
      }
      return;
    case 4:
      if (something) net->on_the_way.push_back(net->on_the_way.front());
      return;
    case 5:
      if (net->client->free_slots() > 0) {
        const std::size_t size = script->next();
        const std::string path = "/" + std::string(size % 64, 'p');
        net->submit((*submitted)++, path, size % 3 == 0 ? "HEAD" : "POST",
                    std::string(size * size / 2, 'b'));
      }
      return;
    case 6:
      net->settle(std::chrono::milliseconds(script->next() * 20));
      return;
    default:
      net->settle(std::chrono::microseconds(script->next()));
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Contexts contexts;
  if (size > 4096) return 0;
  Script script(data, size);
  Http3Network net;
  net.serve(contexts.server, 20'000);
  net.connect(contexts.client, 10);
  net.answer = [](const RequestView& request) { return reply_to(request.path.size()); };
  std::uint64_t submitted = 0;
  if (script.next() % 4 != 0) {
    net.run([&] { return net.client->ready(); });
  }
  while (!script.over() && net.status) {
    net.collect();
    act(script.next(), &script, &net, &submitted);
  }
  // Longer than any idle timeout: by then all of it has ended, or the connection has.
  net.run([&] { return net.responses.size() + net.losses.size() == submitted; },
          std::chrono::minutes(30));
  if (net.responses.size() + net.losses.size() != submitted) std::abort();
  net.client->close();
  net.collect();
  return 0;
}
