#include "cli/screen/live_log.hpp"

#include "base/check.hpp"
#include "base/sys/log.hpp"

namespace bellows::cli {

namespace {

// The log's sink is a plain function, so the area it prints above is named here.
LiveArea* current_area = nullptr;

void print_above(std::string_view line) {
  current_area->print_above(line);
}

}  // namespace

LiveLog::LiveLog(Terminal terminal) : area_(terminal) {
  CHECK(current_area == nullptr, "one live area at a time");
  current_area = &area_;
  sys::log::set_sink(print_above);
}

LiveLog::~LiveLog() {
  sys::log::set_sink(nullptr);
  current_area = nullptr;
}

}  // namespace bellows::cli
