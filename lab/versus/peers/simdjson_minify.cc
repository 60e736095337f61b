// Minifies a file in memory with one implementation of simdjson for several rounds. Prints the bytes and
// the seconds of the fastest round, the length of the result, and its FNV-1a hash.
//
//   simdjson_minify icelake|haswell|... FILE ROUNDS
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/mman.h>

#include "simdjson.h"

namespace {

int fail(const char *what, const char *name) {
  std::fprintf(stderr, "simdjson_minify: %s %s\n", what, name);
  return 1;
}

// Memory in huge pages, as on thresh's side.
uint8_t *allocate(size_t bytes) {
  constexpr size_t huge = size_t(2) << 20;
  bytes = (bytes + huge - 1) / huge * huge;
  void *p = std::aligned_alloc(huge, bytes);
  if (p != nullptr) madvise(p, bytes, MADV_HUGEPAGE);
  return static_cast<uint8_t *>(p);
}

uint64_t fnv1a(const uint8_t *p, size_t bytes) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 1099511628211u;
  return hash;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) return fail("wants IMPLEMENTATION FILE ROUNDS, got", "something else");
  const simdjson::implementation *with = simdjson::get_available_implementations()[argv[1]];
  if (with == nullptr || !with->supported_by_runtime_system()) return fail("cannot run here:", argv[1]);

  std::FILE *f = std::fopen(argv[2], "rb");
  if (f == nullptr) return fail("cannot open", argv[2]);
  std::fseek(f, 0, SEEK_END);
  const size_t bytes = size_t(std::ftell(f));
  std::rewind(f);
  uint8_t *src = allocate(bytes + simdjson::SIMDJSON_PADDING);
  uint8_t *dst = allocate(bytes + simdjson::SIMDJSON_PADDING);
  if (src == nullptr || dst == nullptr) return fail("has no memory for", argv[2]);
  const size_t got = std::fread(src, 1, bytes, f);
  std::fclose(f);
  if (got != bytes) return fail("cannot read all of", argv[2]);

  double fastest = 1e300;
  size_t kept = 0;
  for (int round = std::atoi(argv[3]); round > 0; round--) {
    const auto begin = std::chrono::steady_clock::now();
    if (with->minify(src, bytes, dst, kept) != simdjson::SUCCESS) return fail("cannot minify", argv[2]);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (took.count() < fastest) fastest = took.count();
  }
  std::printf("%zu %.9f %zu %016llx\n", bytes, fastest, kept,
              static_cast<unsigned long long>(fnv1a(dst, kept)));
  return 0;
}
