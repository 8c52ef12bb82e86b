#include "replay/io/run_filter.hpp"

#include <cerrno>
#include <fstream>
#include <iostream>

namespace bellows::replay {

namespace {

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kNotUnderstood = 2;

Result<void> feed_file(Filter& filter, const std::string& name) {
  std::ifstream file(name);
  if (!file) return fail(system_error(name, "open", errno));
  return feed(filter, file, std::cout);
}

}  // namespace

int run_filter(std::string_view who, Filter& filter, const std::optional<std::string>& file) {
  std::ios::sync_with_stdio(false);
  const Result<void> fed = file ? feed_file(filter, *file) : feed(filter, std::cin, std::cout);
  std::cout.flush();
  if (!fed) {
    std::cerr << who << ": " << to_string(fed.error()) << "\n";
    return fed.error().kind() == ErrorKind::kMalformed ? kNotUnderstood : kFailed;
  }
  if (!std::cout) {
    std::cerr << who << ": standard output: could not be written\n";
    return kFailed;
  }
  return kGood;
}

}  // namespace bellows::replay
