/* An instrumented module that comes by dlopen, for the tests of the flush library. */
static volatile int sink;

__attribute__((noinline)) void plugin_turn(void) { ++sink; }

void plugin_turns(int count) {
  for (int i = 0; i < count; ++i) plugin_turn();
}
