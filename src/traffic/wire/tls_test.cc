#include "traffic/wire/tls.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "traffic/wire/recorded_events.h"

namespace hone::traffic::wire {
namespace {

using testing::HasSubstr;

class Tls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string pattern = testing::TempDir() + "hone-tls-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    const auto pair = make_self_signed_certificate();
    ASSERT_TRUE(pair) << pair.error().what;
    authority = pair->cert_pem;
    std::ofstream(cert()) << pair->cert_pem;
    std::ofstream(key()) << pair->key_pem;
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder); }
  static std::string cert() { return folder + "/cert.pem"; }
  static std::string key() { return folder + "/key.pem"; }

  static std::shared_ptr<TlsContext> server_context() {
    auto made = TlsContext::server(cert(), key());
    EXPECT_TRUE(made) << made.error().what;
    return *made;
  }
  static ClientTlsOptions options(const std::string& name) {
    ClientTlsOptions made;
    made.ca_pem = authority;
    made.sni = name;
    return made;
  }
  static std::shared_ptr<TlsContext> client_context(const ClientTlsOptions& of) {
    auto made = TlsContext::client(of);
    EXPECT_TRUE(made) << made.error().what;
    return *made;
  }

  static inline std::string folder, authority;
};

// Two channels connected by memory.
struct Connection {
  Connection(std::shared_ptr<TlsContext> client_side, std::shared_ptr<TlsContext> server_side)
      : client(make_tls_channel(std::move(client_side))),
        server(make_tls_channel(std::move(server_side))) {}

  static Status carry(TlsChannel& from, TlsChannel& to, std::string* plain, std::size_t piece) {
    std::string bytes = drain(from);
    for (std::string_view left = bytes; !left.empty();
         left.remove_prefix(std::min(piece, left.size()))) {
      HONE_CHECK(to.receive(left.substr(0, piece), plain));
    }
    return {};
  }
  Status turn(std::size_t piece = 1 << 20) {
    while (!client->output().empty() || !server->output().empty()) {
      HONE_CHECK(carry(*client, *server, &at_server, piece));
      HONE_CHECK(carry(*server, *client, &at_client, piece));
    }
    return {};
  }
  Status shake(std::size_t piece = 1 << 20) {
    HONE_CHECK(client->start());
    return turn(piece);
  }

  std::unique_ptr<TlsChannel> client, server;
  std::string at_client, at_server;
};

TEST_F(Tls, CarriesBytesBothWays) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    Connection c(client_context(options("localhost")), server_context());
    const Status shaken = c.shake(piece);
    ASSERT_TRUE(shaken) << shaken.error().what;
    ASSERT_TRUE(c.client->established());
    ASSERT_TRUE(c.server->established());
    EXPECT_FALSE(c.client->resumed());
    EXPECT_EQ(c.client->alpn(), "http/1.1");
    EXPECT_EQ(c.server->alpn(), "http/1.1");
    const std::string large(100'000, 'x');
    ASSERT_TRUE(c.client->send(large));
    ASSERT_TRUE(c.server->send("answer"));
    ASSERT_TRUE(c.server->send(""));
    ASSERT_TRUE(c.turn(piece));
    EXPECT_TRUE(c.at_server == large);
    EXPECT_EQ(c.at_client, "answer");
    c.server->close();
    ASSERT_TRUE(c.turn(piece));
    EXPECT_TRUE(c.client->peer_closed());
    EXPECT_FALSE(c.server->peer_closed());
  }
}

TEST_F(Tls, AgreesOnHttp2) {
  auto wanted = options("localhost");
  wanted.protocol = Protocol::kHttp2;
  Connection c(client_context(wanted), server_context());
  ASSERT_TRUE(c.shake());
  EXPECT_EQ(c.client->alpn(), "h2");
  EXPECT_EQ(c.server->alpn(), "h2");
}

TEST_F(Tls, VerifiesNamesAndAddresses) {
  for (const char* good : {"localhost", "127.0.0.1", "::1", "[::1]"}) {
    Connection c(client_context(options(good)), server_context());
    const Status status = c.shake();
    EXPECT_TRUE(status) << good << ": " << status.error().what;
  }
  const std::map<std::string, std::string> bad = {{"other.test", "hostname mismatch"},
                                                  {"127.0.0.2", "IP address mismatch"}};
  for (const auto& [name, why] : bad) {
    Connection c(client_context(options(name)), server_context());
    const Status status = c.shake();
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().kind, ErrorKind::kNetwork);
    EXPECT_THAT(status.error().what, HasSubstr("certificate verify failed"));
    EXPECT_THAT(status.error().what, HasSubstr(why));
    EXPECT_THAT(status.error().what, HasSubstr("'" + name + "'"));
    EXPECT_FALSE(c.client->established());
    EXPECT_FALSE(c.client->receive("x", &c.at_client));
    // The server learns of it by the alert.
    const Status told = Connection::carry(*c.client, *c.server, &c.at_server, 1 << 20);
    ASSERT_FALSE(told);
    EXPECT_THAT(told.error().what, HasSubstr("alert"));
  }
}

TEST_F(Tls, VerifiesTheAuthorityUnlessToldNotTo) {
  auto unknown = options("localhost");
  unknown.ca_pem.clear();
  Connection refused(client_context(unknown), server_context());
  const Status status = refused.shake();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("self-signed certificate"));
  unknown.verify = false;
  unknown.sni = "any.test";
  Connection taken(client_context(unknown), server_context());
  EXPECT_TRUE(taken.shake());
  unknown.sni.clear();
  Connection nameless(client_context(unknown), server_context());
  EXPECT_TRUE(nameless.shake());
}

TEST_F(Tls, ResumesTheNewestSessionAgainAndAgain) {
  const auto client = client_context(options("localhost"));
  const auto server = server_context();
  for (int i = 0; i < 4; ++i) {
    Connection c(client, server);
    ASSERT_TRUE(c.shake());
    EXPECT_EQ(c.client->resumed(), i > 0) << i;
    EXPECT_EQ(c.server->resumed(), i > 0) << i;
  }  // each ends without close_notify, as a load generator's connections may
  auto fresh = options("localhost");
  fresh.resume = false;
  const auto without = client_context(fresh);
  for (int i = 0; i < 2; ++i) {
    Connection c(without, server);
    ASSERT_TRUE(c.shake());
    EXPECT_FALSE(c.client->resumed());
  }
}

TEST_F(Tls, NamesWhatIsNotTls) {
  Connection c(client_context(options("localhost")), server_context());
  const Status status = c.server->receive("GET / HTTP/1.1\r\nhost: x\r\n\r\n", &c.at_server);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("the TLS handshake failed: http request"));
  ASSERT_TRUE(c.client->start());
  const Status answer = c.client->receive("HTTP/1.1 400 Bad Request\r\n\r\n", &c.at_client);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("wrong version number"));
}

TEST_F(Tls, NamesACorruptedRecord) {
  Connection c(client_context(options("localhost")), server_context());
  ASSERT_TRUE(c.shake());
  ASSERT_TRUE(c.server->send("answer"));
  std::string bytes = drain(*c.server);
  bytes.back() ^= 1;
  const Status status = c.client->receive(bytes, &c.at_client);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("the TLS connection failed: decryption failed"));
  EXPECT_FALSE(c.client->send("x"));
}

TEST_F(Tls, NamesFilesItCannotUse) {
  const auto missing = TlsContext::server(folder + "/none", key());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr(folder + "/none"));
  const auto swapped = TlsContext::server(cert(), cert());
  ASSERT_FALSE(swapped);
  EXPECT_THAT(swapped.error().what, HasSubstr("cannot read the private key"));
  const auto other = make_self_signed_certificate();
  ASSERT_TRUE(other);
  std::ofstream(folder + "/other.pem") << other->key_pem;
  const auto mismatched = TlsContext::server(cert(), folder + "/other.pem");
  ASSERT_FALSE(mismatched);
  EXPECT_THAT(mismatched.error().what, HasSubstr("key values mismatch"));
  auto no_authority = options("localhost");
  const std::string cut = authority.substr(0, authority.size() / 2);
  for (const std::string& pem : {other->key_pem, std::string("none"), authority + cut}) {
    no_authority.ca_pem = pem;
    const auto refused = TlsContext::client(no_authority);
    ASSERT_FALSE(refused) << pem;
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  }
  no_authority.ca_pem = "of this test\n" + authority + "\n" + authority;
  EXPECT_TRUE(Connection(client_context(no_authority), server_context()).shake());
  const auto nameless = TlsContext::client(options(""));
  ASSERT_FALSE(nameless);
  EXPECT_EQ(nameless.error().kind, ErrorKind::kUsage);
}

TEST_F(Tls, CarriesHttp) {
  for (const Protocol protocol : {Protocol::kHttp1, Protocol::kHttp2}) {
    auto wanted = options("localhost");
    wanted.protocol = protocol;
    Connection c(client_context(wanted), server_context());
    ASSERT_TRUE(c.shake());
    Request request;
    request.authority = "localhost";
    request.scheme = "https";
    const auto prepared = prepare(protocol, request);
    RecordedClient client_events;
    RecordedServer server_events;
    const auto client = make_client_session(protocol, 1, &client_events);
    const auto server = make_server_session(protocol, &server_events);
    server_events.then = [&](std::uint64_t stream, const RequestView&) {
      Reply reply;
      reply.body_length = 50'000;
      server->respond(stream, reply);
    };
    client->submit(1, *prepared);
    for (int turns = 0; turns < 5; ++turns) {
      ASSERT_TRUE(c.client->send(drain(*client)));
      ASSERT_TRUE(c.server->send(drain(*server)));
      ASSERT_TRUE(c.turn());
      ASSERT_TRUE(server->receive(c.at_server));
      ASSERT_TRUE(client->receive(c.at_client));
      c.at_server.clear();
      c.at_client.clear();
    }
    EXPECT_THAT(client_events.lines, testing::ElementsAre("1: 200 with 50000 after 0"));
  }
}

}  // namespace
}  // namespace hone::traffic::wire
