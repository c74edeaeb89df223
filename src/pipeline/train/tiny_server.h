// For tests: a small HTTP/1.1 server in C, built on the spot with clang's -fprofile-generate, the
// profile library to preload into it, and an observer that remembers.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "flush/flush.h"
#include "pipeline/observer.h"
#include "pipeline/recipe/recipe.h"
#include "system/system.h"
#include "system/temporary_folder.h"
#include "toolchain/toolchain.h"

namespace hone::pipeline {

class RecordingObserver final : public Observer {
 public:
  void stage(const std::string&, double) override {}
  void line(const std::string& text) override { lines.push_back(text); }
  void progress(const std::string&, double, double) override { ++progressed; }
  void finding(const Finding& finding) override { findings.push_back(finding); }

  std::vector<std::string> lines;
  Findings findings;
  int progressed = 0;
};

// PORT WAY: "plain"; "fork": a worker process serves; "stubborn": SIGTERM is ignored; "dies": exits
// at the tenth request; "503": every answer is that. /a and /b run different functions.
inline constexpr char kTinyServer[] = R"(
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static const char* way;
static volatile int sink;
static int requests;
__attribute__((noinline)) static void only_a(void) { for (int i = 0; i < 100; ++i) sink += i; }
__attribute__((noinline)) static void only_b(void) { for (int i = 0; i < 300; ++i) sink ^= i; }
__attribute__((noinline)) static void only_start(void) { for (int i = 0; i < 50; ++i) sink += 2; }
static void (*routes[2])(void) = {only_a, only_b};
static void* serve(void* data) {
  int fd = (int)(long)data;
  char buffer[4096];
  size_t have = 0;
  for (;;) {
    ssize_t n = read(fd, buffer + have, sizeof(buffer) - 1 - have);
    if (n <= 0) break;
    have += (size_t)n;
    buffer[have] = 0;
    if (strstr(buffer, "\r\n\r\n") == NULL) continue;
    have = 0;
    routes[strncmp(buffer, "GET /b", 6) == 0]();
    if (strcmp(way, "dies") == 0 && __sync_add_and_fetch(&requests, 1) == 10) exit(3);
    const char* answer = strcmp(way, "503") == 0
        ? "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
        : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    if (write(fd, answer, strlen(answer)) < 0) break;
  }
  close(fd);
  return NULL;
}
int main(int argc, char** argv) {
  way = argc > 2 ? argv[2] : "plain";
  if (strcmp(way, "stubborn") == 0) signal(SIGTERM, SIG_IGN);
  only_start();
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  struct sockaddr_in address = {0};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((unsigned short)atoi(argv[1]));
  if (bind(listener, (struct sockaddr*)&address, sizeof(address)) != 0) return 1;
  listen(listener, 64);
  if (strcmp(way, "fork") == 0 && fork() != 0) { wait(NULL); return 0; }
  for (;;) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) continue;
    pthread_t thread;
    pthread_create(&thread, NULL, serve, (void*)(long)fd);
    pthread_detach(thread);
  }
}
)";

class TinyServer {
 public:
  // Nothing when this machine lacks the compiler: the test is then skipped, with this as its
  // reason.
  static std::optional<TinyServer> build(const system::Path& folder, system::System& system) {
    TinyServer made;
    const auto clang = system.processes->find_program("clang-22");
    const auto profdata = system.processes->find_program("llvm-profdata-22");
    const auto strip = system.processes->find_program("llvm-strip-22");
    if (!clang || !profdata || !strip) return std::nullopt;
    made.tools.major = 22;
    made.tools.version = "22";
    made.tools.profdata = profdata->string();
    made.binary = folder / "tiny_server";
    made.stripped = folder / "stripped_server";
    made.flush_library = folder / "libhone_flush.so";
    const system::Path source = folder / "tiny_server.c";
    EXPECT_TRUE(system.files->write(source, kTinyServer));
    const std::string build =
        clang->string() + " -O1 -fprofile-generate -fprofile-update=atomic " + source.string() +
        " -o " + made.binary.string() + " -lpthread " HONE_FLUSH_LINK_FLAGS " && " +
        strip->string() + " -o " + made.stripped.string() + " " + made.binary.string() + " && " +
        clang->string() +
        " -shared -fPIC -O1 -std=c11 -D_GNU_SOURCE -fvisibility=hidden -Isrc src/flush/*.c -o " +
        made.flush_library.string();
    system::Command command;
    command.argv = {"/bin/sh", "-c", build};
    command.output = folder / "build.log";
    const auto exit = system.processes->run(command);
    EXPECT_TRUE(exit && exit->ok()) << *system.files->read(folder / "build.log");
    return made;
  }

  // Shapes "a" and "b" on this server.
  Recipe recipe(const std::string& way = "plain") const {
    Recipe recipe;
    recipe.server.command = {"{binary}", "{port}", way};
    recipe.prove.connections = 4;
    recipe.train.leg_s = 0.2;
    for (const char* name : {"a", "b"}) {
      subject::Shape shape;
      shape.name = name;
      shape.path = std::string("/") + name;
      recipe.shapes.push_back(shape);
    }
    recipe.loads = {{"busy", 0, 0.6, "poisson"}};
    return recipe;
  }

  toolchain::Toolchain tools;
  system::Path binary, stripped, flush_library;
};

}  // namespace hone::pipeline
